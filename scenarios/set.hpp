// Values of a document by their dotted paths, as --set and sweeps have them: "program.0.all_gather.bytes". Items of
// lists count from 0. Cost: linear in the path and in the maps along it.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/document.hpp"

namespace hopsim {

// Puts a value at a path. Maps and keys that are missing are made, and stand at `key`; whether they are known is for
// the loader. Throws PlacedError at `key` for a path that leads through a value, or to no item of a list.
void set_value(Document&, std::string_view path, YamlValue value, const FilePlace& key);

// Null where the document has no such value.
const YamlValue* value_at(const Document&, std::string_view path);

}  // namespace hopsim

// Values of a document that no file has: what flags say, in the form a file would have it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "scenarios/document.hpp"

namespace hopsim {

// The byte at `offset` of what a flag was given; messages name the flag.
inline FilePlace place_in_flag(const std::string& flag, std::size_t offset = 0) {
  return {std::make_shared<const std::string>(flag), 1, 1 + static_cast<int>(offset)};
}

inline YamlValue made_value(YamlValue::Kind kind, const FilePlace& place) {
  YamlValue value;
  value.kind = kind;
  value.place = place;
  return value;
}

inline YamlValue made_scalar(std::string text, const FilePlace& place) {
  YamlValue value = made_value(YamlValue::Kind::scalar, place);
  value.text = std::move(text);
  value.verbatim = true;
  return value;
}

// The key stands where the value does.
inline void add_entry(YamlValue& map, const std::string& key, YamlValue value) {
  value.key = key;
  value.key_place = value.place;
  map.items.push_back(std::move(value));
}

}  // namespace hopsim

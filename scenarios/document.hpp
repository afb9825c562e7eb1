// A YAML document as a tree that knows where each value stands in its file.
//
// Read from yaml-cpp's events, not its nodes, so that what scenario files may not have is refused with its place:
// a key given twice, anchors, aliases, merge keys, tags, a second document, keys that are not text, more than 64
// levels. Before parsing: files beyond 1 MiB, text that is not UTF-8, control characters. Every scalar stays text;
// the loaders make quantities of it.
//
// Errors: PlacedError; InputError for a file that cannot be read. Cost: linear in the text.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/place.hpp"

namespace hopsim {

constexpr std::size_t kMaxDocumentBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDocumentDepth = 64;

struct YamlValue {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  FilePlace place;        // of the first character; a null's is that of its key
  std::string text;       // of a scalar
  bool quoted = false;    // in quotes, or a block scalar
  bool verbatim = false;  // the text stands in the file as it is, on one line
  std::string key;        // of a map's value
  FilePlace key_place;
  std::vector<YamlValue> items;  // of a sequence, or the values of a map in the order of the file

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }

  const YamlValue* find(std::string_view name) const;  // a map's value, null if there is none
  // Where the character at byte `offset` of the text stands; the value's own place if the text is not verbatim.
  FilePlace place_of(std::size_t offset) const;
};

struct Document {
  std::string name;  // as messages call it
  YamlValue root;
};

Document parse_document(std::string_view text, const std::string& name);

// A file, or `standard_input` for "-", then called <stdin>.
Document read_document(const std::string& path, std::istream& standard_input);

// An empty map, for commands that have flags and no file.
Document empty_document(const std::string& name);

// `KEY=VALUE`: a dotted path into the document (a list's items by index, from 0), and a value in YAML. Keys that are
// missing are made; whether they are known is for the loader, as ever. The value's place names the flag:
// "--set KEY:1:COLUMN", counted in VALUE.
void apply_set(Document& document, std::string_view assignment);

}  // namespace hopsim

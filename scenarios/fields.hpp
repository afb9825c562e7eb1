// Reading typed values out of a document. Every error has the value's place and the valid choices, and names the key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scenarios/document.hpp"
#include "sim/error.hpp"

namespace hopsim {

using Names = std::vector<std::string_view>;

std::string joined(const Names&);  // "a, b, c"

// The valid name that `got` is a slip of the keyboard away from; empty if none is near.
std::string_view nearest(std::string_view got, const Names& valid);

// "unknown WHAT", with the valid names, and the nearest if one is near.
[[noreturn]] void refuse_name(const FilePlace&, const std::string& what, const std::string& got, const Names& valid);

// A map of known keys. The constructor refuses a value that is no map, and the first unknown key.
// REQUIRES: the map outlives the reader; find and require ask for known keys only.
class MapReader {
 public:
  MapReader(const YamlValue& map, std::string what, Names known);

  // Null if the key is absent. A key without a value is an error.
  const YamlValue* find(std::string_view key) const;
  const YamlValue& require(std::string_view key) const;
  // Of two keys that exclude each other, refuses the later one.
  void exclude(std::string_view key, std::string_view other) const;

  const YamlValue& map() const { return map_; }
  const std::string& what() const { return what_; }

 private:
  const YamlValue& map_;
  std::string what_;  // for messages: "machine"
  Names known_;
};

// What a value is called in messages: its key, or "a list item".
std::string name_of(const YamlValue&);

void expect_map(const YamlValue&);
void expect_list(const YamlValue&, const std::string& valid = "a list");
const std::string& text_of(const YamlValue&, const std::string& valid = "text");

// The scalar's text through one of the parsers of sim/units.hpp (or alike): InputError gets its place.
template <class Parse>
auto parsed(const YamlValue& value, Parse parse) -> Placed<std::invoke_result_t<Parse, std::string_view>> {
  const std::string& text = text_of(value);
  try {
    return {parse(std::string_view(text)), value.place};
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(value.place, InputError(name_of(value) + ": " + e.what()));
  }
}

bool bool_of(const YamlValue&);
std::int64_t count_of(const YamlValue&, std::uint64_t least, std::uint64_t most);
std::int64_t integer_of(const YamlValue&);  // may be negative
std::string choice_of(const YamlValue&, const Names& valid);
std::vector<std::int64_t> counts_of(const YamlValue&, std::uint64_t least, std::uint64_t most);  // of a list
std::vector<bool> bools_of(const YamlValue&);

// A name that notation and messages can carry: a letter, then letters, digits, underscores.
void check_identifier(const std::string& name, const std::string& what, const FilePlace&);

}  // namespace hopsim

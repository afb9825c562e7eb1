#include "scenarios/fields.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "sim/units.hpp"

namespace hopsim {
namespace {

// Levenshtein's: letters to add, drop or change.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string kind_of(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::null:
      break;
    case YamlValue::Kind::scalar:
      return quoted_for_message(value.text);
    case YamlValue::Kind::sequence:
      return "a list";
    case YamlValue::Kind::map:
      return "a map";
  }
  return "nothing";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string joined(const Names& names) {
  std::string all;
  for (const std::string_view name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

std::string_view nearest(std::string_view got, const Names& valid) {
  constexpr std::size_t kLongest = 40;
  std::string_view best;
  std::size_t least = std::min<std::size_t>(2, got.size() / 2) + 1;
  if (got.size() > kLongest) return best;
  for (const std::string_view name : valid) {
    const std::size_t distance = edit_distance(got, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

void refuse_name(const FilePlace& place, const std::string& what, const std::string& got, const Names& valid) {
  const std::string near(nearest(got, valid));
  const std::string hint = near.empty() ? "" : " (did you mean " + near + "?)";
  throw PlacedError(place, "unknown " + what + hint, quoted_for_message(got), joined(valid));
}

MapReader::MapReader(const YamlValue& map, std::string what, Names known)
    : map_(map), what_(std::move(what)), known_(std::move(known)) {
  if (!map.is_map()) throw PlacedError(map.place, what_ + " must be a map", kind_of(map), joined(known_));
  for (const YamlValue& value : map.items) {
    if (std::find(known_.begin(), known_.end(), value.key) == known_.end()) {
      refuse_name(value.key_place, "key in " + what_, value.key, known_);
    }
  }
}

const YamlValue* MapReader::find(std::string_view key) const {
  assert(std::find(known_.begin(), known_.end(), key) != known_.end());
  const YamlValue* value = map_.find(key);
  if (value != nullptr && value->is_null()) throw PlacedError(value->place, std::string(key) + " has no value");
  return value;
}

const YamlValue& MapReader::require(std::string_view key) const {
  const YamlValue* value = find(key);
  if (value == nullptr) throw PlacedError(map_.place, what_ + " needs the key " + std::string(key));
  return *value;
}

void MapReader::exclude(std::string_view key, std::string_view other) const {
  const YamlValue *a = find(key), *b = find(other);
  if (a == nullptr || b == nullptr) return;
  const YamlValue& later = a < b ? *b : *a;  // items of one vector, in the order of the file
  throw PlacedError(later.key_place, what_ + " cannot have both " + std::string(key) + " and " + std::string(other),
                    later.key, "one of them");
}

std::string name_of(const YamlValue& value) { return value.key.empty() ? "a list item" : value.key; }

void expect_map(const YamlValue& value) {
  if (!value.is_map()) throw PlacedError(value.place, name_of(value) + " must be a map", kind_of(value));
}

void expect_list(const YamlValue& value, const std::string& valid) {
  if (!value.is_sequence()) throw PlacedError(value.place, name_of(value) + " must be a list", kind_of(value), valid);
}

const std::string& text_of(const YamlValue& value, const std::string& valid) {
  if (value.is_null()) throw PlacedError(value.place, name_of(value) + " has no value", "", valid);
  if (!value.is_scalar())
    throw PlacedError(value.place, name_of(value) + " must be one value", kind_of(value), valid);
  if (value.text.empty()) throw PlacedError(value.place, name_of(value) + " is empty", "", valid);
  return value.text;
}

bool bool_of(const YamlValue& value) { return choice_of(value, {"true", "false"}) == "true"; }

std::int64_t count_of(const YamlValue& value, std::uint64_t least, std::uint64_t most) {
  return parsed(value,
                [&](std::string_view text) { return static_cast<std::int64_t>(parse_count(text, least, most)); })
      .value;
}

std::int64_t integer_of(const YamlValue& value) {
  return parsed(value,
                [](std::string_view text) {
                  const bool negative = text.starts_with('-');
                  const auto magnitude =
                      static_cast<std::int64_t>(parse_count(text.substr(negative ? 1 : 0), 0, 1u << 30));
                  return negative ? -magnitude : magnitude;
                })
      .value;
}

std::string choice_of(const YamlValue& value, const Names& valid) {
  const std::string& text = text_of(value, joined(valid));
  if (std::find(valid.begin(), valid.end(), text) == valid.end()) {
    refuse_name(value.place, "value of " + name_of(value), text, valid);
  }
  return text;
}

std::vector<std::int64_t> counts_of(const YamlValue& value, std::uint64_t least, std::uint64_t most) {
  expect_list(value, "a list of numbers, such as [8, 4]");
  std::vector<std::int64_t> counts;
  for (const YamlValue& item : value.items) counts.push_back(count_of(item, least, most));
  return counts;
}

std::vector<bool> bools_of(const YamlValue& value) {
  expect_list(value, "a list such as [true, false]");
  std::vector<bool> bools;
  for (const YamlValue& item : value.items) bools.push_back(bool_of(item));
  return bools;
}

void check_identifier(const std::string& name, const std::string& what, const FilePlace& place) {
  const bool good = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good) {
    throw PlacedError(place, "not a name for " + what, quoted_for_message(name),
                      "a letter, then letters, digits and underscores");
  }
}

}  // namespace hopsim

#include "sharding/notation_axes.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace hopsim {

bool AxisNames::known(std::string_view axis) const {
  return std::find(names_.begin(), names_.end(), axis) != names_.end();
}

std::string AxisNames::list() const {
  if (any_) return "capital letters, longer names in braces";
  std::string list;
  for (const std::string& axis : names_) list += (list.empty() ? "" : ", ") + axis;
  return list.empty() ? "none, there is no mesh" : list;
}

namespace notation {
namespace {

bool capital(char c) { return c >= 'A' && c <= 'Z'; }
bool letters(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

std::optional<std::string> letter_axis(char c, const Item& item, const AxisNames& names) {
  const std::string axis(1, c);
  if (names.free()) return capital(c) ? std::optional(axis) : std::nullopt;
  if (names.known(axis)) return axis;
  const std::string small(1, static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  if (item.raised && names.known(small)) return small;
  return std::nullopt;
}

[[noreturn]] void unknown(const Item& item, const AxisNames& names, std::size_t letter) {
  if (!item.braced && item.text.size() > 1 && (names.free() ? letters(item.text) : names.known(item.text))) {
    throw NotationError(item.column, "an axis name longer than a letter needs braces", item.text,
                        "_{" + item.text + "}");
  }
  // A run of letters, some of them axes, has one wrong letter; anything else is wrong as a whole.
  const bool run = letters(item.text) && std::any_of(item.text.begin(), item.text.end(),
                                                     [&](char c) { return letter_axis(c, item, names).has_value(); });
  throw NotationError(run ? item.column + static_cast<int>(letter) : item.column, "unknown axis",
                      run ? item.text.substr(letter, 1) : item.text, names.list());
}

void append_letters(const Item& item, const AxisNames& names, std::vector<AxisUse>& uses) {
  for (std::size_t i = 0; i < item.text.size(); ++i) {
    const auto axis = letter_axis(item.text[i], item, names);
    if (!axis) unknown(item, names, i);
    uses.push_back({*axis, item.column + static_cast<int>(i)});
  }
}

}  // namespace

void append_axes(const Item& item, const AxisNames& names, std::vector<AxisUse>& uses) {
  const bool long_name = names.free()
                             ? item.text.size() > 1 && !std::all_of(item.text.begin(), item.text.end(), capital)
                             : names.known(item.text);
  if (item.braced && long_name) {
    uses.push_back({item.text, item.column});
  } else {
    append_letters(item, names, uses);
  }
}

void append_divisor(const Item& item, const AxisNames& names, std::vector<AxisUse>& uses) {
  if (names.free() || names.known(item.text)) {
    uses.push_back({item.text, item.column});
  } else {
    append_letters(item, names, uses);
  }
}

void require_distinct(const std::vector<AxisUse>& uses, const std::string& where) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (uses[k].axis == uses[i].axis) {
        throw NotationError(uses[i].column, "axis " + uses[i].axis + " is used twice in " + where, {},
                            "each axis at most once");
      }
    }
  }
}

}  // namespace notation
}  // namespace hopsim

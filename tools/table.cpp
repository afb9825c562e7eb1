#include "tools/table.hpp"

#include <algorithm>

namespace hopsim {
namespace {

// Terminal columns of UTF-8 text without wide or combining characters.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string text;
  const auto line = [&](auto cell) {
    std::string l;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& s = cell(c);
      const std::string pad(widths[c] - width(s), ' ');
      l += (c ? "  " : "") + (columns_[c].align == Align::left ? s + pad : pad + s);
    }
    l.erase(l.find_last_not_of(' ') + 1);
    text += l + '\n';
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
  return text;
}

}  // namespace hopsim

#include "tools/table.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {
namespace {

// Terminal columns of UTF-8 text without wide or combining characters.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)), widths_(columns_.size()) {
  for (std::size_t c = 0; c < columns_.size(); ++c) widen(c, columns_[c].title);
}

void Table::add(std::vector<std::string> row) {
  for (std::size_t c = 0; c < columns_.size(); ++c) widen(c, row[c]);
  rows_.push_back(std::move(row));
}

void Table::widen(std::size_t column, const std::string& text) {
  widths_[column] = std::max(widths_[column], width(text));
}

std::string Table::line(const std::vector<std::string>& row) const {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string pad(widths_[c] - std::min(width(row[c]), widths_[c]), ' ');
    line += (c ? "  " : "") + (columns_[c].align == Align::left ? row[c] + pad : pad + row[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string Table::heading() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  return line(titles);
}

std::string Table::text() const {
  std::string text = heading();
  for (const auto& row : rows_) text += line(row);
  return text;
}

}  // namespace hopsim

// A table for a terminal: columns as wide as they need to be, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace hopsim {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns);
  void add(std::vector<std::string> row);  // one cell a column
  std::string text() const;

  // For rows that are shown as they come: first add some as wide as the widest, then ask for these, line ends
  // included.
  std::string heading() const;
  std::string line(const std::vector<std::string>& row) const;

 private:
  void widen(std::size_t column, const std::string& text);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace hopsim

// The text of a document, for turning yaml-cpp's marks (lines and bytes from 0) into places (characters from 1).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/place.hpp"

namespace hopsim {

class SourceText {
 public:
  // Throws PlacedError where the text is not UTF-8 or has control characters.
  SourceText(std::string_view text, const std::string& name);

  std::string_view text() const { return text_; }    // without a byte order mark
  FilePlace place(int line, int byte_column) const;  // of a mark
  FilePlace place(std::size_t offset) const;
  std::size_t offset(int line, int byte_column) const;

 private:
  void check() const;

  std::string_view text_;
  std::shared_ptr<const std::string> name_;
  std::vector<std::size_t> line_starts_;
};

// Characters of UTF-8 text.
int characters(std::string_view text);

}  // namespace hopsim

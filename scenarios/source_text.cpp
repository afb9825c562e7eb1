#include "scenarios/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace hopsim {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

// The bytes of the UTF-8 character at i; 0 if it is none (RFC 3629: no overlong forms, no surrogates).
std::size_t character_length(std::string_view text, std::size_t i) {
  const std::uint8_t first = byte_at(text, i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) return 0;
  }
  const std::uint8_t second = byte_at(text, i + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_text(std::string_view text, std::size_t i) {
  const std::uint8_t c = byte_at(text, i);
  if (c == '\r') return i + 1 < text.size() && text[i + 1] == '\n';
  return c == '\t' || c == '\n' || (c >= ' ' && c != 0x7f);
}

}  // namespace

int characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

SourceText::SourceText(std::string_view text, const std::string& name)
    : text_(text), name_(std::make_shared<const std::string>(name)), line_starts_{0} {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  check();
}

void SourceText::check() const {
  for (std::size_t i = 0; i < text_.size();) {
    const std::size_t length = character_length(text_, i);
    const std::string got = fmt::format("byte 0x{:02x}", byte_at(text_, i));
    if (length == 0) throw PlacedError(place(i), "the text is not UTF-8", got);
    if (!is_text(text_, i)) throw PlacedError(place(i), "a control character in the text", got, "UTF-8 text");
    i += length;
  }
}

std::size_t SourceText::offset(int line, int byte_column) const {
  if (line < 0) return 0;
  if (static_cast<std::size_t>(line) >= line_starts_.size()) return text_.size();
  return std::min(text_.size(), line_starts_[static_cast<std::size_t>(line)] + static_cast<std::size_t>(byte_column));
}

FilePlace SourceText::place(int line, int byte_column) const { return place(offset(line, byte_column)); }

FilePlace SourceText::place(std::size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  return {name_, static_cast<int>(next - line_starts_.begin()), 1 + characters(text_.substr(start, offset - start))};
}

}  // namespace hopsim

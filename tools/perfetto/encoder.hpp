// A protobuf encoder of the few wire types a Perfetto trace needs: varints, fixed 64 bits, strings, nested messages.
//
// Messages are written in place, in order, with the shortest possible lengths: a nested one reserves a byte for its
// length, and is moved up if it turns out to need more (128 bytes and longer). Costs a few ns a field; memory grows
// to the largest content between two clear()s. Format: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace hopsim::perfetto {

class Encoder {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    char* out = room(2 * kLongestVarint);
    advance_to(put_varint(put_varint(out, tag(field, kVarint)), value));
  }

  void fixed64(std::uint32_t field, std::uint64_t value) {
    char* out = put_varint(room(kLongestVarint + 8), tag(field, kFixed64));
    for (int i = 0; i < 8; ++i) *out++ = static_cast<char>(value >> 8 * i);
    advance_to(out);
  }

  void real(std::uint32_t field, double value) { fixed64(field, std::bit_cast<std::uint64_t>(value)); }

  void string(std::uint32_t field, std::string_view text) {
    char* out = room(2 * kLongestVarint + text.size());
    out = put_varint(put_varint(out, tag(field, kLengthDelimited)), text.size());
    advance_to(std::copy(text.begin(), text.end(), out));
  }

  // Whatever body() encodes becomes the content of the message.
  template <class Body>
  void message(std::uint32_t field, Body&& body) {
    char* out = put_varint(room(kLongestVarint + 1), tag(field, kLengthDelimited));
    advance_to(out + 1);
    const std::size_t length_at = size_ - 1;
    body();
    close(length_at);
  }

  // A message of two numbers, of which the first is a single byte. REQUIRES: its fields and `first` are below 16 and
  // 128.
  void pair(std::uint32_t field, std::uint32_t first_field, std::uint64_t first, std::uint32_t second_field,
            std::uint64_t second) {
    char* out = put_varint(room(3 * kLongestVarint), tag(field, kLengthDelimited));
    char* const length = out++;
    *out++ = static_cast<char>(tag(first_field, kVarint));
    *out++ = static_cast<char>(first);
    *out++ = static_cast<char>(tag(second_field, kVarint));
    out = put_varint(out, second);
    *length = static_cast<char>(out - length - 1);
    advance_to(out);
  }

  std::string_view bytes() const { return {buffer_.get(), size_}; }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2 };
  static constexpr std::size_t kLongestVarint = 10;

  static constexpr std::uint64_t tag(std::uint32_t field, WireType type) { return std::uint64_t{field} << 3 | type; }

  // Where the next byte goes; there is space for `more` of them. Asked for once a field, since bytes may alias
  // anything: with every one stored the compiler would load the members anew.
  char* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    return buffer_.get() + size_;
  }
  void advance_to(const char* end) { size_ = static_cast<std::size_t>(end - buffer_.get()); }

  void grow(std::size_t more) {
    capacity_ = 2 * capacity_ + more;
    std::unique_ptr<char[]> bigger(new char[capacity_]);
    std::copy_n(buffer_.get(), size_, bigger.get());
    buffer_ = std::move(bigger);
  }

  static char* put_varint(char* out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
    *out++ = static_cast<char>(value);
    return out;
  }

  void close(std::size_t length_at) {
    const std::size_t length = size_ - length_at - 1;
    if (length < 0x80) {
      buffer_[length_at] = static_cast<char>(length);
      return;
    }
    std::array<char, kLongestVarint> prefix;
    const auto n = static_cast<std::size_t>(put_varint(prefix.data(), length) - prefix.data());
    room(n - 1);
    char* at = buffer_.get() + length_at;
    std::memmove(at + n, at + 1, length);
    std::memcpy(at, prefix.data(), n);
    size_ += n - 1;
  }

  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace hopsim::perfetto

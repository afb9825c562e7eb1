// A gzip stream for text and records that repeat with small changes, several times as fast as zlib's fastest level,
// at about its size.
//
// Blocks of up to 256 KiB, each compressed by itself: one candidate a position (the last place where its four bytes
// stood), taken if it matches; Huffman codes of the block's own. The same bytes in give the same bytes out, however
// they are divided among calls of write(). Costs some 1 to 4 ns a byte; memory is constant (2 MB).
// Formats: RFC 1951 (deflate), RFC 1952 (gzip).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/huffman.hpp"

namespace hopsim {

class GzipEncoder {
 public:
  static constexpr std::size_t kBlock = 256 << 10;  // whole ones, at once, are not copied

  GzipEncoder();

  // What is ready of the stream is appended to `out`.
  void write(std::string_view, std::string& out);
  void finish(std::string& out);  // once; nothing may be written after it

 private:
  static constexpr std::size_t kLiterals = 286, kDistances = 30, kLengths = 256;

  struct Bits {
    std::uint32_t bits, count;
  };

  void compress_block(std::string_view, std::string& out);
  void find_matches(std::string_view);
  void put(std::uint64_t bits, unsigned count, std::string& out);
  void put_codes(std::string& out);
  std::array<Bits, kLengths> coded_lengths() const;  // of matches, with their extra bits
  void put_tokens(std::string& out);

  std::string pending_;                // of the block to come
  std::vector<std::uint32_t> latest_;  // by hash of four bytes: where in the block they stood last, from 1
  std::vector<std::uint32_t> tokens_;  // of the block: literals, and matches (kMatch)
  std::size_t tokens_used_ = 0;
  std::array<std::uint32_t, kLiterals> literal_counts_{};
  std::array<std::uint32_t, kDistances> distance_counts_{};
  std::array<HuffmanCode, kLiterals> literal_codes_{};
  std::array<HuffmanCode, kDistances> distance_codes_{};
  std::uint64_t bits_ = 0;  // not yet in the stream
  unsigned bit_count_ = 0;
  std::uint32_t crc_ = 0, size_ = 0;  // of all that was written
  bool begun_ = false;
};

}  // namespace hopsim

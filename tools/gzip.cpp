#include "tools/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace hopsim {
namespace {

constexpr std::size_t kShortest = 4, kLongest = 258, kFarthest = 32768;  // matches; RFC 1951 has them from 3
constexpr unsigned kHashBits = 13;
constexpr std::uint32_t kMatch = 1u << 31;  // of tokens: then length and distance, less the least ones
constexpr std::uint32_t kEndOfBlock = 256, kFirstLength = 257;
constexpr std::size_t kLeastLength = 3, kLeastDistance = 1;

template <class Word>
Word load(const char* from) {
  Word w;
  std::memcpy(&w, from, sizeof w);
  return w;
}

std::uint32_t hash(std::uint32_t four_bytes) { return four_bytes * 2654435761u >> (32 - kHashBits); }

// How far what stands at `a` and `b` is the same, up to `most`.
std::size_t common(const char* a, const char* b, std::size_t most) {
  std::size_t n = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; n + 8 <= most; n += 8)
      if (const std::uint64_t differ = load<std::uint64_t>(a + n) ^ load<std::uint64_t>(b + n))
        return n + static_cast<std::size_t>(std::countr_zero(differ)) / 8;
  }
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// RFC 1951, 3.2.5. Both kinds of symbols cover twice as many values every few of them (4 lengths, 2 distances), the
// rest being in extra bits that follow.
struct Symbol {
  std::uint32_t symbol, extra_bits, extra;
};
constexpr Symbol scaled(std::uint32_t value, unsigned log_symbols) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= log_symbols + 1) return {value, 0, 0};
  const unsigned extra = width - 1 - log_symbols;
  return {(extra << log_symbols) + (value >> extra), extra, value & ((1u << extra) - 1)};
}
constexpr auto kLengthSymbols = [] {
  std::array<Symbol, kLongest - kLeastLength + 1> all{};
  for (std::uint32_t l = 0; l < all.size(); ++l) all[l] = l == all.size() - 1 ? Symbol{28, 0, 0} : scaled(l, 2);
  return all;
}();
Symbol of_distance(std::uint32_t less_one) { return scaled(less_one, 1); }

void put_word(std::uint32_t word, std::string& out) {
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<char>(word >> 8 * i));
}

}  // namespace

GzipEncoder::GzipEncoder() : latest_(std::size_t{1} << kHashBits), tokens_(kBlock) {}

void GzipEncoder::write(std::string_view bytes, std::string& out) {
  while (pending_.size() + bytes.size() >= kBlock) {
    const std::size_t n = kBlock - pending_.size();
    if (pending_.empty()) {
      compress_block(bytes.substr(0, n), out);
    } else {
      pending_.append(bytes.substr(0, n));
      compress_block(pending_, out);
      pending_.clear();
    }
    bytes.remove_prefix(n);
  }
  pending_.append(bytes);
}

void GzipEncoder::finish(std::string& out) {
  compress_block(pending_, out);
  put(1, 1, out);  // the last block,
  put(1, 2, out);  // in the codes that need not be told,
  put(0, 7, out);  // is empty
  put(0, (8 - bit_count_) % 8, out);
  put_word(crc_, out);
  put_word(size_, out);
}

void GzipEncoder::compress_block(std::string_view block, std::string& out) {
  if (!std::exchange(begun_, true)) out.append("\x1f\x8b\x08\0\0\0\0\0\x04\x03", 10);  // neither name nor time; fast
  if (block.empty()) return;
  crc_ = static_cast<std::uint32_t>(
      crc32(crc_, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(block.size())));
  size_ += static_cast<std::uint32_t>(block.size());
  find_matches(block);
  assign_huffman_codes(literal_counts_, literal_codes_);
  assign_huffman_codes(distance_counts_, distance_codes_);
  put(0, 1, out);  // more follow
  put(2, 2, out);  // with codes of its own
  put_codes(out);
  put_tokens(out);
}

// In locals: bytes may alias anything, so members would be loaded anew after every token.
void GzipEncoder::find_matches(std::string_view block) {
  std::fill(latest_.begin(), latest_.end(), 0);
  std::array<std::uint32_t, kLiterals> literals{};
  std::array<std::uint32_t, kDistances> distances{};
  literals[kEndOfBlock] = 1;
  distances[0] = distances[1] = 1;  // a code has two symbols at least
  std::uint32_t* const latest = latest_.data();
  std::uint32_t* token = tokens_.data();
  const char* const begin = block.data();
  const std::size_t size = block.size();
  const auto literal = [&](char c) { ++literals[*token++ = static_cast<unsigned char>(c)]; };
  std::size_t at = 0;
  while (at + kShortest <= size) {
    const auto here = load<std::uint32_t>(begin + at);
    const std::size_t before = std::exchange(latest[hash(here)], static_cast<std::uint32_t>(at + 1));
    const std::size_t distance = at + 1 - before;
    if (before == 0 || distance > kFarthest || load<std::uint32_t>(begin + before - 1) != here) {
      literal(begin[at++]);
      continue;
    }
    const std::size_t length = common(begin + at, begin + before - 1, std::min(kLongest, size - at));
    const auto l = static_cast<std::uint32_t>(length - kLeastLength);
    const auto d = static_cast<std::uint32_t>(distance - kLeastDistance);
    ++literals[kFirstLength + kLengthSymbols[l].symbol];
    ++distances[of_distance(d).symbol];
    *token++ = kMatch | l << 16 | d;
    at += length;
  }
  while (at < size) literal(begin[at++]);
  tokens_used_ = static_cast<std::size_t>(token - tokens_.data());
  literal_counts_ = literals;
  distance_counts_ = distances;
}

void GzipEncoder::put(std::uint64_t bits, unsigned count, std::string& out) {
  bits_ |= bits << bit_count_;
  for (bit_count_ += count; bit_count_ >= 8; bit_count_ -= 8, bits_ >>= 8) out.push_back(static_cast<char>(bits_));
}

// RFC 1951, 3.2.7. The lengths of the two codes' symbols are themselves coded, here 4 bits each: 160 bytes a block.
void GzipEncoder::put_codes(std::string& out) {
  constexpr unsigned kKinds = 19, kRepeats = 3;  // what a length may be; the first three repeat others
  put(kLiterals - 257, 5, out);
  put(kDistances - 1, 5, out);
  put(kKinds - 4, 4, out);
  for (unsigned kind = 0; kind < kKinds; ++kind) put(kind < kRepeats ? 0 : 4, 3, out);
  const auto put_length = [&](const HuffmanCode& c) {
    const unsigned n = c.length;
    put((n & 1) << 3 | (n & 2) << 1 | (n & 4) >> 1 | n >> 3, 4, out);
  };
  std::for_each(literal_codes_.begin(), literal_codes_.end(), put_length);
  std::for_each(distance_codes_.begin(), distance_codes_.end(), put_length);
}

std::array<GzipEncoder::Bits, GzipEncoder::kLengths> GzipEncoder::coded_lengths() const {
  std::array<Bits, kLengths> all;
  for (std::uint32_t l = 0; l < kLengths; ++l) {
    const Symbol& s = kLengthSymbols[l];
    const HuffmanCode& code = literal_codes_[kFirstLength + s.symbol];
    all[l] = {code.bits | s.extra << code.length, code.length + s.extra_bits};
  }
  return all;
}

void GzipEncoder::put_tokens(std::string& out) {
  const auto lengths = coded_lengths();
  std::array<char, 1 << 12> part;
  std::size_t used = 0;
  std::uint64_t bits = bits_;  // less than a byte, and a token at a time: 15 + 5 + 15 + 13 bits at most
  unsigned count = bit_count_;
  const auto append = [&](std::uint32_t more, std::uint32_t n) {
    bits |= std::uint64_t{more} << count;
    count += n;
  };
  for (const std::uint32_t token : std::span(tokens_).first(tokens_used_)) {
    if (token & kMatch) {
      const Bits length = lengths[token >> 16 & 0xff];
      append(length.bits, length.count);
      const Symbol s = of_distance(token & 0xffff);
      append(distance_codes_[s.symbol].bits, distance_codes_[s.symbol].length);
      append(s.extra, s.extra_bits);
    } else {
      append(literal_codes_[token].bits, literal_codes_[token].length);
    }
    for (unsigned i = 0; i < 8; ++i) part[used + i] = static_cast<char>(bits >> 8 * i);
    used += count / 8;
    bits >>= count / 8 * 8;
    count %= 8;
    if (used + 8 <= part.size()) continue;
    out.append(part.data(), used);
    used = 0;
  }
  out.append(part.data(), used);
  bits_ = bits;
  bit_count_ = count;
  put(literal_codes_[kEndOfBlock].bits, literal_codes_[kEndOfBlock].length, out);
}

}  // namespace hopsim

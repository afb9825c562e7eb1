// Huffman codes as deflate wants them: no longer than 15 bits, given by their lengths alone.
#pragma once

#include <cstdint>
#include <span>

namespace hopsim {

// The bits stand in the order in which they go into a stream, the first one lowest.
struct HuffmanCode {
  std::uint16_t bits = 0, length = 0;  // 0: the symbol does not occur
};

// Codes for symbols that occur so often; short ones for frequent ones. REQUIRES: at least two symbols occur.
// O(n log n) in the number of symbols, a few times over where some are extremely rare.
void assign_huffman_codes(std::span<const std::uint32_t> counts, std::span<HuffmanCode> codes);

}  // namespace hopsim

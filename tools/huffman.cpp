#include "tools/huffman.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace hopsim {
namespace {

constexpr unsigned kLongest = 15;

// By Huffman's algorithm: depth of each symbol in the tree; false where one is beyond kLongest.
bool measure(const std::vector<std::uint32_t>& counts, std::span<HuffmanCode> codes) {
  using Weighed = std::pair<std::uint64_t, std::size_t>;  // weight, node: symbols, then inner ones
  std::priority_queue<Weighed, std::vector<Weighed>, std::greater<>> heap;
  for (std::size_t s = 0; s < counts.size(); ++s)
    if (counts[s] > 0) heap.push({counts[s], s});
  std::vector<std::size_t> parent(2 * counts.size());
  std::size_t next = counts.size();
  while (heap.size() > 1) {
    const auto [a, left] = heap.top();
    heap.pop();
    const auto [b, right] = heap.top();
    heap.pop();
    parent[left] = parent[right] = next;
    heap.push({a + b, next++});
  }
  std::vector<unsigned> depth(next);  // the root is the last node, and parents come after their children
  for (std::size_t node = next - 1; node-- > 0;)
    if (node >= counts.size() || counts[node] > 0) depth[node] = depth[parent[node]] + 1;
  for (std::size_t s = 0; s < counts.size(); ++s) codes[s].length = static_cast<std::uint16_t>(depth[s]);
  return std::all_of(depth.begin(), depth.begin() + static_cast<std::ptrdiff_t>(counts.size()),
                     [](unsigned d) { return d <= kLongest; });
}

std::uint16_t reversed(unsigned bits, unsigned length) {
  unsigned r = 0;
  for (unsigned i = 0; i < length; ++i) r |= (bits >> i & 1) << (length - 1 - i);
  return static_cast<std::uint16_t>(r);
}

}  // namespace

void assign_huffman_codes(std::span<const std::uint32_t> counts, std::span<HuffmanCode> codes) {
  std::vector<std::uint32_t> weights(counts.begin(), counts.end());
  while (!measure(weights, codes))
    for (std::uint32_t& w : weights)
      if (w > 0) w = w / 2 + 1;  // evener weights, a flatter tree
  // RFC 1951, 3.2.2: codes of one length are consecutive, in the order of the symbols.
  std::array<unsigned, kLongest + 1> used{}, next{};
  for (const HuffmanCode& c : codes)
    if (c.length > 0) ++used[c.length];
  for (unsigned length = 1; length <= kLongest; ++length) next[length] = (next[length - 1] + used[length - 1]) << 1;
  for (HuffmanCode& c : codes)
    if (c.length > 0) c.bits = reversed(next[c.length]++, c.length);
}

}  // namespace hopsim

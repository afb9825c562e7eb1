#include "tools/machine_facts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace hopsim {
namespace {

// Links by the node they leave.
std::vector<std::vector<std::uint32_t>> neighbours(const Fabric& f) {
  std::vector<std::vector<std::uint32_t>> to(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) to[l.from].push_back(l.to);
  return to;
}

int farthest(const Fabric& f, const std::vector<std::vector<std::uint32_t>>& to, std::uint32_t from) {
  std::vector<int> hops(f.nodes, -1);
  std::vector<std::uint32_t> queue{from};
  hops[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::uint32_t next : to[queue[i]])
      if (hops[next] < 0) {
        hops[next] = hops[queue[i]] + 1;
        queue.push_back(next);
      }
  int most = 0;
  for (std::uint32_t chip = 0; chip < f.chips(); ++chip) {
    if (hops[chip] < 0) throw std::invalid_argument("no way between two chips");
    most = std::max(most, hops[chip]);
  }
  return most;
}

bool has_all_links(const Fabric& f) {
  if (!f.grid()) return false;
  std::uint32_t links = 0;
  for (int d = 0; d < f.shape.dimensions; ++d) {
    const std::uint32_t n = static_cast<std::uint32_t>(f.shape.size[d]), rows = f.chips() / n;
    links += 2 * rows * (f.shape.wrap[d] ? n : n - 1);
  }
  return links == f.existing_links();
}

// What crosses from the `half` planes from `first` on into the others, along d.
std::uint64_t leaving(const Fabric& f, int d, int first, int half) {
  const int n = f.shape.size[d];
  const auto inside = [&](std::uint32_t chip) { return (f.shape.at(ChipId{chip})[d] - first + n) % n < half; };
  std::uint64_t rate = 0;
  for (const Link& l : f.links)
    if (l.exists() && inside(l.from) && !inside(l.to)) rate += l.bandwidth.bytes_per_second();
  return rate;
}

}  // namespace

int diameter(const Fabric& f) {
  const auto to = neighbours(f);
  const std::uint32_t sources = has_all_links(f) ? 1 : f.chips();
  int most = 0;
  for (std::uint32_t chip = 0; chip < sources; ++chip) most = std::max(most, farthest(f, to, chip));
  return most;
}

std::optional<Bandwidth> bisection(const Fabric& f) {
  if (!f.grid() || f.chips() == 1) return std::nullopt;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int d = 0; d < f.shape.dimensions; ++d) {
    const int n = f.shape.size[d], half = n / 2;
    if (n == 1) continue;
    // Planes that go round the ends of a line would cut it twice.
    const int cuts = f.shape.wrap[d] ? n : n - half + 1;
    for (int first = 0; first < cuts; ++first) least = std::min(least, leaving(f, d, first, half));
  }
  return Bandwidth(least);
}

}  // namespace hopsim

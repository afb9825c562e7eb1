#include "topologies/graph_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "topologies/max_flow.hpp"

namespace hopsim {
namespace {

// ---- hops

struct Sum {
  int most = 0;
  std::uint64_t hops = 0;

  void add(int n) {
    most = std::max(most, n);
    hops += static_cast<std::uint64_t>(n);
  }
};

// From chip 0 to all others, over a grid's links.
Sum hops_from_first(const Fabric& f) {
  std::vector<std::vector<std::uint32_t>> to(f.chips());
  for (const Link& l : f.links)
    if (l.exists()) to[l.from].push_back(l.to);
  std::vector<int> hops(f.chips(), -1);
  std::vector<std::uint32_t> queue{0};
  hops[0] = 0;
  Sum sum;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    sum.add(hops[queue[i]]);
    for (const std::uint32_t next : to[queue[i]])
      if (hops[next] < 0) {
        hops[next] = hops[queue[i]] + 1;
        queue.push_back(next);
      }
  }
  return sum;
}

// Of all chips to one, as the tables lead; nodes on the way keep their counts.
class TableHops {
 public:
  explicit TableHops(const Fabric& f) : fabric_(f) {}

  void add_to(Sum& sum, std::uint32_t destination) {
    hops_.assign(fabric_.nodes, -1);
    hops_[destination] = 0;
    for (std::uint32_t chip = 0; chip < fabric_.chips(); ++chip) sum.add(count(chip, destination));
  }

 private:
  int count(std::uint32_t from, std::uint32_t destination) {
    way_.clear();
    for (; hops_[from] < 0; from = fabric_.links[index(fabric_.next_link(from, destination, 0))].to)
      way_.push_back(from);
    int hops = hops_[from];
    for (auto node = way_.rbegin(); node != way_.rend(); ++node) hops_[*node] = ++hops;
    return hops;
  }

  const Fabric& fabric_;
  std::vector<int> hops_;
  std::vector<std::uint32_t> way_;
};

// Distances in a box are sums over its dimensions: along a ring of n floor(n^2/4)/n on average, a chip to itself
// counted, along a line (n^2-1)/(3n).
HopCounts of_box(const Shape& s) {
  HopCounts counts;
  for (int d = 0; d < s.dimensions; ++d) {
    const int n = s.size[d];
    counts.diameter += s.wrap[d] ? n / 2 : n - 1;
    counts.mean += s.wrap[d] ? std::floor(n * n * 0.25) / n : static_cast<double>(n * n - 1) / (3.0 * n);
  }
  counts.mean *= static_cast<double>(s.chips()) / static_cast<double>(s.chips() - 1);
  return counts;
}

// ---- cuts

// Planes first .. first + half - 1 along d, over the end if need be.
std::vector<bool> planes(const Shape& s, int d, int first, int half) {
  std::vector<bool> inside(s.chips());
  for (std::uint32_t chip = 0; chip < s.chips(); ++chip)
    inside[chip] = (s.at(ChipId{chip})[d] - first + s.size[d]) % s.size[d] < half;
  return inside;
}

std::uint64_t leaving(const Fabric& f, const std::vector<bool>& inside) {
  if (f.nodes > f.chips()) return static_cast<std::uint64_t>(max_flow(f, inside));
  std::uint64_t rate = 0;
  for (const Link& l : f.links)
    if (l.exists() && inside[l.from] && !inside[l.to]) rate += l.bandwidth.bytes_per_second();
  return rate;
}

}  // namespace

HopCounts hop_counts(const Fabric& f) {
  const std::uint32_t chips = f.chips();
  if (chips == 1) return {};
  if (f.grid() && !f.shape.any_twist()) return of_box(f.shape);
  if (f.grid()) {  // a twisted torus looks the same from every chip
    const Sum one = hops_from_first(f);
    return {one.most, static_cast<double>(one.hops) / (chips - 1)};
  }
  Sum all;
  TableHops tables(f);
  for (std::uint32_t chip = 0; chip < chips; ++chip) tables.add_to(all, chip);
  return {all.most, static_cast<double>(all.hops) / chips / (chips - 1)};
}

std::optional<Bandwidth> bisection(const Fabric& f) {
  if (f.chips() == 1) return std::nullopt;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int d = 0; d < f.shape.dimensions; ++d) {
    const int n = f.shape.size[d], half = n / 2;
    if (n == 1) continue;
    // Planes that go round the ends of a line would cut it twice; where a dimension only names chips one cut is any.
    const bool closed = f.shape.wrap[d] || f.shape.twisted(d);
    const int cuts = f.nodes > f.chips() ? 1 : closed ? n : n - half + 1;
    for (int first = 0; first < cuts; ++first) least = std::min(least, leaving(f, planes(f.shape, d, first, half)));
  }
  return Bandwidth(least);
}

}  // namespace hopsim

#include "collectives/bounds.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <vector>

namespace hopsim {
namespace {

// Bytes/s into and out of sets of chips. Along dimension d: the planes x_d = m, and the halves x_d < m and x_d >= m.
struct Capacities {
  struct Slices {
    std::vector<std::uint64_t> into_plane, from_plane, down, up;   // down[m]: from x >= m to x < m
  };
  std::vector<std::uint64_t> into_chip, from_chip;
  std::vector<Slices> along;
};

Capacities capacities(const Fabric& f) {
  Capacities c;
  c.into_chip.resize(f.nodes);
  c.from_chip.resize(f.nodes);
  for (int d = 0; d < f.shape.dimensions; ++d) {
    const auto n = static_cast<std::size_t>(f.shape.size[d]);
    using V = std::vector<std::uint64_t>;
    c.along.push_back({V(n), V(n), V(n), V(n)});
  }
  for (const Link& l : f.links) {
    if (!l.exists()) continue;
    const std::uint64_t w = l.bandwidth.bytes_per_second();
    c.into_chip[l.to] += w;
    c.from_chip[l.from] += w;
    if (!f.grid()) continue;
    const Coordinates from = f.shape.at(ChipId{l.from}), to = f.shape.at(ChipId{l.to});
    for (int d = 0; d < f.shape.dimensions; ++d) {
      if (from[d] == to[d]) continue;
      auto& s = c.along[static_cast<std::size_t>(d)];
      s.into_plane[static_cast<std::size_t>(to[d])] += w;
      s.from_plane[static_cast<std::size_t>(from[d])] += w;
      for (int m = std::min(from[d], to[d]) + 1; m <= std::max(from[d], to[d]); ++m)
        (from[d] >= m ? s.down : s.up)[static_cast<std::size_t>(m)] += w;
    }
  }
  return c;
}

// How much an array of V bytes makes cross the edge of a set that holds `inside` of a group's n members.
struct Need {
  Operation operation;
  double bytes;
  int n;
  double into(int inside) const { return inside == 0 || inside == n ? 0 : operation == Operation::all_gather ? rest(inside) : 0; }
  double out_of(int inside) const { return inside == 0 || inside == n ? 0 : operation == Operation::reduce_scatter ? rest(inside) : 0; }
  double rest(int inside) const { return bytes * (n - inside) / n; }
};

double seconds(double bytes, std::uint64_t capacity) { return capacity ? bytes / static_cast<double>(capacity) : 0; }

// Sums, over the groups, of what a growing set of chips needs.
class Tally {
 public:
  Tally(const Need& need, std::size_t chips) : need_(need), members_(chips) {}
  void add(std::uint32_t group) {
    int& k = members_[group];
    into_ += need_.into(k + 1) - need_.into(k);
    out_ += need_.out_of(k + 1) - need_.out_of(k);
    ++k;
  }
  double into() const { return into_; }
  double out_of() const { return out_; }

 private:
  Need need_;
  std::vector<int> members_;
  double into_ = 0, out_ = 0;
};

double slices_bound(const Fabric& f, const Row& row, const Need& need, const Capacities& c, int d) {
  const auto& s = c.along[static_cast<std::size_t>(d)];
  const auto n = static_cast<std::size_t>(f.shape.size[d]);
  std::vector<std::vector<std::uint32_t>> plane(n);            // the groups of its chips
  for (std::uint32_t chip = 0; chip < f.chips(); ++chip) {
    const Coordinates at = f.shape.at(ChipId{chip});
    if (row.position(at) >= 0) plane[static_cast<std::size_t>(at[d])].push_back(index(row.first(at)));
  }
  double worst = 0;
  Tally below(need, f.chips()), above(need, f.chips());
  for (std::size_t m = 0; m < n; ++m) {
    Tally alone(need, f.chips());
    for (const std::uint32_t g : plane[m]) alone.add(g);
    worst = std::max({worst, seconds(alone.into(), s.into_plane[m]), seconds(alone.out_of(), s.from_plane[m])});
    if (m > 0) worst = std::max({worst, seconds(below.into(), s.down[m]), seconds(below.out_of(), s.up[m])});
    for (const std::uint32_t g : plane[m]) below.add(g);
  }
  for (std::size_t m = n; m-- > 1;) {
    for (const std::uint32_t g : plane[m]) above.add(g);
    worst = std::max({worst, seconds(above.into(), s.up[m]), seconds(above.out_of(), s.down[m])});
  }
  return worst;
}

double chips_bound(const Fabric& f, const Row& row, const Need& need, const Capacities& c) {
  double worst = 0;
  for (std::uint32_t chip = 0; chip < f.chips(); ++chip)
    if (row.position(f.shape.at(ChipId{chip})) >= 0)
      worst = std::max({worst, seconds(need.into(1), c.into_chip[chip]), seconds(need.out_of(1), c.from_chip[chip])});
  return worst;
}

// Latency of the quickest way from `from` (against the links: to it) to every node.
std::vector<Time> distances(const Fabric& f, std::uint32_t from) {
  std::vector<std::vector<const Link*>> out(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) out[l.from].push_back(&l);
  std::vector<Time> distance(f.nodes, Time::max());
  using Entry = std::pair<Time, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[from] = Time{};
  queue.push({Time{}, from});
  while (!queue.empty()) {
    const auto [t, node] = queue.top();
    queue.pop();
    if (t > distance[node]) continue;
    for (const Link* l : out[node])
      if (t + l->latency < distance[l->to]) queue.push({distance[l->to] = t + l->latency, l->to});
  }
  return distance;
}

}  // namespace

Time lower_bound(const Fabric& f, const Request& r) {
  if (r.operation != Operation::all_gather && r.operation != Operation::reduce_scatter)
    throw std::logic_error("no lower bound for " + std::string(name(r.operation)));
  const int n = r.row->size();
  if (n == 1) return {};
  const Need need{r.operation, static_cast<double>(r.bytes.count()), n};
  const Capacities c = capacities(f);
  double bandwidth = chips_bound(f, *r.row, need, c);
  if (f.grid())
    for (int d = 0; d < f.shape.dimensions; ++d) bandwidth = std::max(bandwidth, slices_bound(f, *r.row, need, c, d));

  std::uint32_t owner = 0;                       // any member will do: its shard has to come to all of its group
  while (r.row->position(f.shape.at(ChipId{owner})) < 0) ++owner;
  const auto group = r.row->first(f.shape.at(ChipId{owner}));
  const auto distance = distances(f, owner);
  Time farthest, hop = Time::max();
  for (std::uint32_t chip = 0; chip < f.chips(); ++chip)
    if (const auto at = f.shape.at(ChipId{chip}); r.row->position(at) >= 0 && r.row->first(at) == group)
      farthest = std::max(farthest, distance[chip]);
  for (const Link& l : f.links)
    if (l.exists()) hop = std::min(hop, l.latency);

  const std::uint64_t leaving = std::max(c.from_chip[owner], c.into_chip[owner]);
  const auto picoseconds = [](double s) { return Time::picoseconds(static_cast<std::uint64_t>(s * 1e12)); };
  return std::max(picoseconds(bandwidth) + hop, farthest + picoseconds(seconds(need.bytes / n, leaving)));
}

}  // namespace hopsim

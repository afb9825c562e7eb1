#include "collectives/bounds.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <vector>

namespace hopsim {
namespace {

// Bytes (or bytes/s) that cross, by cut: the planes x_d = m, and the halves x_d < m and x_d >= m.
struct Slices {
  explicit Slices(std::size_t n) : into_plane(n), from_plane(n), down(n), up(n) {}
  std::vector<double> into_plane, from_plane, down, up;  // down[m]: from x >= m to x < m
  double between_planes = 0;                             // altogether

  void add(int from, int to, double amount) {
    if (from == to) return;
    between_planes += amount;
    into_plane[static_cast<std::size_t>(to)] += amount;
    from_plane[static_cast<std::size_t>(from)] += amount;
    for (int m = std::min(from, to) + 1; m <= std::max(from, to); ++m)
      (from >= m ? down : up)[static_cast<std::size_t>(m)] += amount;
  }
};

double seconds(double bytes, double capacity) { return bytes > 0 ? bytes / capacity : 0; }

double worst(const std::vector<double>& bytes, const std::vector<double>& capacity) {
  double t = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) t = std::max(t, seconds(bytes[k], capacity[k]));
  return t;
}

// The chips of every group, in the order of their positions.
std::vector<std::vector<ChipId>> groups_of(const Fabric& f, const Row& row) {
  std::vector<std::vector<ChipId>> by_first(f.chips());
  for (std::uint32_t c = 0; c < f.chips(); ++c) {
    const Coordinates at = f.shape.at(ChipId{c});
    const int p = row.position(at);
    if (p < 0) continue;
    auto& group = by_first[index(row.first(at))];
    group.resize(static_cast<std::size_t>(row.size()));
    group[static_cast<std::size_t>(p)] = ChipId{c};
  }
  std::erase_if(by_first, [](const auto& g) { return g.empty(); });
  return by_first;
}

// How much of an array of V bytes must cross the edge of a set that holds k of a group's n members.
struct Need {
  Operation operation;
  double bytes, n;

  double into(int k) const {
    if (k == 0 || k == static_cast<int>(n)) return 0;
    switch (operation) {
      case Operation::all_gather:
        return bytes * (n - k) / n;  // the shards of the others
      case Operation::reduce_scatter:
        return bytes * k / n;  // their part of the sums of mine
      case Operation::all_reduce:
        return bytes;
      case Operation::all_to_all:
        return bytes * k * (n - k) / (n * n);
      default:
        return 0;
    }
  }
  double out_of(int k) const { return into(static_cast<int>(n) - k); }
  bool permutes() const { return operation == Operation::collective_permute || operation == Operation::send_recv; }
};

// Sums, over the groups, of what a growing set of chips needs.
class Tally {
 public:
  Tally(const Need& need, std::size_t groups) : need_(need), members_(groups) {}
  void forget(const std::vector<std::size_t>& groups) {
    for (const std::size_t g : groups) members_[g] = 0;
    into_ = out_ = 0;
  }
  void add(std::size_t group) {
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

using Groups = std::vector<std::vector<ChipId>>;

Slices demand_of_sets(const Fabric& f, const Groups& groups, const Need& need, int d) {
  const auto n = static_cast<std::size_t>(f.shape.size[d]);
  Slices s(n);
  std::vector<std::vector<std::size_t>> plane(n);  // the groups of its chips
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const ChipId c : groups[g]) plane[static_cast<std::size_t>(f.shape.at(c)[d])].push_back(g);
  Tally below(need, groups.size()), alone(need, groups.size());
  for (std::size_t m = 0; m < n; ++m) {
    s.down[m] = below.into();
    s.up[m] = below.out_of();
    for (const std::size_t g : plane[m]) {
      alone.add(g);
      below.add(g);
    }
    s.into_plane[m] = alone.into();
    s.from_plane[m] = alone.out_of();
    alone.forget(plane[m]);
  }
  if (need.operation != Operation::all_reduce) return s;
  for (const auto& group : groups) {
    std::vector<int> planes;
    for (const ChipId c : group) planes.push_back(f.shape.at(c)[d]);
    std::sort(planes.begin(), planes.end());
    const auto touched = std::unique(planes.begin(), planes.end()) - planes.begin();
    s.between_planes += 2 * static_cast<double>(touched - 1) * need.bytes;
  }
  return s;
}

Slices demand_of_pairs(const Fabric& f, const Groups& groups, const Request& r, int d) {
  Slices s(static_cast<std::size_t>(f.shape.size[d]));
  for (const auto& group : groups)
    for (const auto& [from, to] : r.pairs)
      s.add(f.shape.at(group[static_cast<std::size_t>(from)])[d], f.shape.at(group[static_cast<std::size_t>(to)])[d],
            static_cast<double>(r.bytes.count()));
  return s;
}

Slices capacity_along(const Fabric& f, int d) {
  Slices s(static_cast<std::size_t>(f.shape.size[d]));
  for (const Link& l : f.links)
    if (l.exists())
      s.add(f.shape.at(ChipId{l.from})[d], f.shape.at(ChipId{l.to})[d],
            static_cast<double>(l.bandwidth.bytes_per_second()));
  return s;
}

struct ChipCapacity {
  std::vector<double> into, from;
  double total = 0;
};

ChipCapacity chip_capacity(const Fabric& f) {
  ChipCapacity c{std::vector<double>(f.nodes), std::vector<double>(f.nodes)};
  for (const Link& l : f.links) {
    const auto w = static_cast<double>(l.bandwidth.bytes_per_second());
    c.into[l.to] += w;
    c.from[l.from] += w;
    c.total += w;
  }
  return c;
}

double chips_bound(const Groups& groups, const Need& need, const Request& r, const ChipCapacity& c) {
  double t = 0;
  const double all_messages = need.operation == Operation::all_reduce ? 2 * (need.n - 1) * need.bytes : 0;
  for (const auto& group : groups) {
    for (const ChipId chip : group)
      t = std::max({t, seconds(need.into(1), c.into[index(chip)]), seconds(need.out_of(1), c.from[index(chip)])});
    for (const auto& [from, to] : r.pairs)
      if (from != to)
        t = std::max({t, seconds(need.bytes, c.from[index(group[static_cast<std::size_t>(from)])]),
                      seconds(need.bytes, c.into[index(group[static_cast<std::size_t>(to)])])});
  }
  return std::max(t, seconds(all_messages * static_cast<double>(groups.size()), c.total));
}

double bandwidth_bound(const Fabric& f, const Request& r, const Need& need, const Groups& groups,
                       const ChipCapacity& chips) {
  double t = chips_bound(groups, need, r, chips);
  if (!f.grid()) return t;
  for (int d = 0; d < f.shape.dimensions; ++d) {
    if (f.shape.size[d] == 1) continue;
    const Slices needed = need.permutes() ? demand_of_pairs(f, groups, r, d) : demand_of_sets(f, groups, need, d);
    const Slices has = capacity_along(f, d);
    t = std::max({t, worst(needed.into_plane, has.into_plane), worst(needed.from_plane, has.from_plane),
                  worst(needed.down, has.down), worst(needed.up, has.up),
                  seconds(needed.between_planes, has.between_planes)});
  }
  return t;
}

// Latency of the quickest way from a chip to every node.
std::vector<Time> distances(const Fabric& f, ChipId from) {
  std::vector<std::vector<const Link*>> out(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) out[l.from].push_back(&l);
  std::vector<Time> distance(f.nodes, Time::max());
  using Entry = std::pair<Time, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[index(from)] = Time{};
  queue.push({Time{}, index(from)});
  while (!queue.empty()) {
    const auto [t, node] = queue.top();
    queue.pop();
    if (t > distance[node]) continue;
    for (const Link* l : out[node])
      if (t + l->latency < distance[l->to]) queue.push({distance[l->to] = t + l->latency, l->to});
  }
  return distance;
}

// A little below the true value: a schedule that attains it exactly must not come out below it by a rounding error.
Time picoseconds(double s) { return Time::picoseconds(static_cast<std::uint64_t>(s * 1e12 * (1 - 1e-14))); }

// Any chip will do as the source: here the first of the first group, whose data all members need, or the source of
// the first pair.
Time distance_bound(const Fabric& f, const Request& r, const Need& need, const Groups& groups,
                    const ChipCapacity& chips) {
  const auto& group = groups.front();
  if (need.permutes()) {
    Time t;
    for (const auto& [from, to] : r.pairs) {
      if (from == to) continue;
      const ChipId source = group[static_cast<std::size_t>(from)];
      const Time way = distances(f, source)[index(group[static_cast<std::size_t>(to)])];
      t = std::max(t, way + picoseconds(seconds(need.bytes, chips.from[index(source)])));
      if (group.size() > 64) break;  // one will do; all are too many
    }
    return t;
  }
  const ChipId source = group.front();
  const auto distance = distances(f, source);
  Time farthest;
  for (const ChipId c : group) farthest = std::max(farthest, distance[index(c)]);
  const double share = need.operation == Operation::all_to_all ? need.bytes / (need.n * need.n) : need.bytes / need.n;
  return farthest + picoseconds(seconds(share, std::max(chips.from[index(source)], chips.into[index(source)])));
}

}  // namespace

Time lower_bound(const Fabric& f, const Request& r) {
  const Need need{r.operation, static_cast<double>(r.bytes.count()), static_cast<double>(r.row->size())};
  const bool moves = std::any_of(r.pairs.begin(), r.pairs.end(), [](const auto& p) { return p.first != p.second; });
  if (r.row->size() == 1 || (need.permutes() && !moves)) return {};
  const Groups groups = groups_of(f, *r.row);
  const ChipCapacity chips = chip_capacity(f);
  Time hop = Time::max();
  for (const Link& l : f.links)
    if (l.exists()) hop = std::min(hop, l.latency);
  return std::max(picoseconds(bandwidth_bound(f, r, need, groups, chips)) + hop,
                  distance_bound(f, r, need, groups, chips));
}

}  // namespace hopsim

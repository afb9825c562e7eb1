#include "collectives/bounds.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <vector>

#include "collectives/cuts.hpp"
#include "collectives/demand.hpp"

namespace hopsim {
namespace {

double seconds(double bytes, double capacity) { return bytes > 0 ? bytes / capacity : 0; }

// A little below the true value: a schedule that attains it exactly must not come out below it by a rounding error.
Time picoseconds(double s) { return Time::picoseconds(static_cast<std::uint64_t>(s * 1e12 * (1 - 1e-14))); }

// Latency of the quickest way from a chip to every node, or to it.
std::vector<Time> distances(const Fabric& f, ChipId from, bool towards) {
  std::vector<std::vector<const Link*>> out(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) out[towards ? l.to : l.from].push_back(&l);
  std::vector<Time> distance(f.nodes, Time::max());
  using Entry = std::pair<Time, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[index(from)] = Time{};
  queue.push({Time{}, index(from)});
  while (!queue.empty()) {
    const auto [t, node] = queue.top();
    queue.pop();
    if (t > distance[node]) continue;
    for (const Link* l : out[node]) {
      const std::uint32_t next = towards ? l->from : l->to;
      if (t + l->latency < distance[next]) queue.push({distance[next] = t + l->latency, next});
    }
  }
  return distance;
}

class Bounds {
 public:
  Bounds(const Fabric& f, const Request& r)
      : f_(f),
        r_(r),
        need_{r.operation, static_cast<double>(r.bytes.count()), static_cast<double>(r.row->size())},
        groups_(groups_of(f, *r.row)),
        chips_(chip_capacity(f)) {}

  Time bandwidth() const {
    double t = std::max({chips(), columns(), domain_cuts(f_, r_, need_, groups_), byte_hops()});
    if (f_.shape.switches == 0 && need_.operation == Operation::all_reduce)
      t = std::max(t, seconds(2 * (need_.n - 1) * need_.bytes * static_cast<double>(groups_.size()), chips_.total));
    if (f_.grid() || (f_.ported && f_.nodes == f_.chips())) t = std::max(t, slice_cuts(f_, r_, need_, groups_));
    return picoseconds(t);
  }

  Time shortest_link() const {
    Time hop = Time::max();
    for (const Link& l : f_.links)
      if (l.exists()) hop = std::min(hop, l.latency);
    return hop;
  }

  Time distance() const {
    if (need_.permutes()) return distance_of_pairs();
    switch (need_.operation) {
      case Operation::broadcast:  // whoever is farthest needs every byte, also the last that leaves
      case Operation::reduce:
        return distance_from(position(r_.root), need_.bytes);
      case Operation::gather:
      case Operation::scatter:
        return distance_from(position(r_.root), need_.bytes / need_.n);
      case Operation::all_to_all:
        return distance_from_any(need_.bytes / (need_.n * need_.n));
      default:
        return distance_from_any(need_.bytes / need_.n);
    }
  }

 private:
  ChipId position(int p) const { return groups_.front()[static_cast<std::size_t>(p)]; }

  // Each chip by itself.
  double chips() const {
    double t = 0;
    for (const auto& group : groups_) {
      for (std::size_t p = 0; p < group.size(); ++p) {
        const bool root = static_cast<int>(p) == r_.root;
        t = std::max({t, seconds(need_.into(1, root), chips_.into[index(group[p])]),
                      seconds(need_.out_of(1, root), chips_.from[index(group[p])])});
      }
      for (const auto& [from, to] : r_.pairs)
        if (from != to)
          t = std::max({t, seconds(need_.bytes, chips_.from[index(group[static_cast<std::size_t>(from)])]),
                        seconds(need_.bytes, chips_.into[index(group[static_cast<std::size_t>(to)])])});
    }
    return t;
  }

  // The chips at one position of all groups together: links among them are no help.
  double columns() const {
    if (groups_.size() == 1 || need_.permutes()) return 0;
    std::vector<std::size_t> column(f_.nodes, groups_.front().size());
    for (const auto& group : groups_)
      for (std::size_t p = 0; p < group.size(); ++p) column[index(group[p])] = p;
    std::vector<double> into(groups_.front().size() + 1), from(into.size());
    for (const Link& l : f_.links)
      if (l.exists() && column[l.from] != column[l.to]) {
        from[column[l.from]] += static_cast<double>(l.bandwidth.bytes_per_second());
        into[column[l.to]] += static_cast<double>(l.bandwidth.bytes_per_second());
      }
    double t = 0;
    const auto groups = static_cast<double>(groups_.size());
    for (std::size_t p = 0; p < groups_.front().size(); ++p) {
      const bool root = static_cast<int>(p) == r_.root;
      t = std::max(
          {t, seconds(groups * need_.into(1, root), into[p]), seconds(groups * need_.out_of(1, root), from[p])});
    }
    return t;
  }

  // Every block of an AllToAll crosses as many links as its target is hops away.
  double byte_hops() const {
    if (need_.operation != Operation::all_to_all) return 0;
    double capacity = 0;
    for (const Link& l : f_.links) capacity += static_cast<double>(l.bandwidth.bytes_per_second());
    return seconds(need_.bytes / (need_.n * need_.n) * total_hops(f_, groups_), capacity);
  }

  Time distance_of_pairs() const {
    Time t;
    for (const auto& [from, to] : r_.pairs) {
      if (from == to) continue;
      const Time way = distances(f_, position(from), false)[index(position(to))];
      t = std::max(t, way + picoseconds(seconds(need_.bytes, chips_.from[index(position(from))])));
      if (r_.size() > 64) break;  // one will do; all are too many
    }
    return t;
  }

  // All need the data of every member. Along dimensions all members are as far from their farthest as the first or
  // nearer; of listed ones a few are tried.
  Time distance_from_any(double share) const {
    constexpr std::size_t kTried = 32;
    const std::size_t n = r_.row->dimensions().empty() ? std::min(groups_.front().size(), kTried) : 1;
    Time t;
    for (std::size_t p = 0; p < n; ++p) t = std::max(t, distance_from(position(static_cast<int>(p)), share));
    return t;
  }

  Time distance_from(ChipId source, double share) const {
    const bool towards = need_.operation == Operation::reduce || need_.operation == Operation::gather;
    const auto distance = distances(f_, source, towards);
    Time farthest;
    for (const ChipId c : groups_.front()) farthest = std::max(farthest, distance[index(c)]);
    return farthest + picoseconds(seconds(share, std::max(chips_.from[index(source)], chips_.into[index(source)])));
  }

  const Fabric& f_;
  const Request& r_;
  Need need_;
  Groups groups_;
  ChipCapacity chips_;
};

}  // namespace

Time lower_bound(const Fabric& f, const Request& r) {
  const bool moves = std::any_of(r.pairs.begin(), r.pairs.end(), [](const auto& p) { return p.first != p.second; });
  const bool permutes = r.operation == Operation::collective_permute || r.operation == Operation::send_recv;
  if (r.row->size() == 1 || (permutes && !moves)) return {};
  const Bounds bounds(f, r);
  return std::max(bounds.bandwidth() + bounds.shortest_link(), bounds.distance());
}

}  // namespace hopsim

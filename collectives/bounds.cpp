#include "collectives/bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "collectives/bound_facts.hpp"

namespace hopsim {
namespace {

// A little below the true value: a schedule that attains it exactly must not come out below it by a rounding error.
Time picoseconds(double s) { return Time::picoseconds(static_cast<std::uint64_t>(s * 1e12 * (1 - 1e-14))); }

class Bounds {
 public:
  Bounds(const BoundFacts& f, const Request& r)
      : f_(f), r_(r), need_{r.operation, static_cast<double>(r.bytes.count()), static_cast<double>(r.row->size())} {}

  Time bandwidth() const {
    double t = std::max({chips(), columns(), f_.cuts(need_)});
    if (need_.operation == Operation::all_to_all) t = std::max(t, f_.byte_hops(need_));
    if (!f_.switches_add()) t = std::max(t, seconds(f_.groups() * gossip(need_, need_.n), f_.chips_links()));
    return picoseconds(t);
  }

  Time distance() const {
    if (need_.permutes()) return distance_of_pairs();
    switch (need_.operation) {
      case Operation::broadcast:  // whoever is farthest needs every byte, also the last that leaves
      case Operation::reduce:
        return distance_from(r_.root, need_.bytes);
      case Operation::gather:
      case Operation::scatter:
        return distance_from(r_.root, need_.bytes / need_.n);
      case Operation::all_to_all:
        return distance_from_any(need_.bytes / (need_.n * need_.n));
      default:
        return distance_from_any(need_.bytes / need_.n);
    }
  }

 private:
  double one_of(double groups, const Poorest& p) const {
    return std::max({seconds(groups * need_.into(1, true), p.root.into),
                     seconds(groups * need_.out_of(1, true), p.root.from),
                     seconds(groups * need_.into(1, false), p.others.into),
                     seconds(groups * need_.out_of(1, false), p.others.from)});
  }

  // Each chip by itself.
  double chips() const {
    if (!need_.permutes()) return one_of(1, f_.chips());
    double t = 0;
    for (const auto& [from, to] : r_.pairs)
      if (from != to)
        t = std::max({t, seconds(need_.bytes, f_.chip(from).from), seconds(need_.bytes, f_.chip(to).into)});
    return t;
  }

  // The chips at one position of all groups together: links among them are no help.
  double columns() const { return f_.groups() == 1 || need_.permutes() ? 0 : one_of(f_.groups(), f_.columns()); }

  Time distance_of_pairs() const {
    Time t;
    std::size_t tried = 0;
    for (const auto& [from, to] : r_.pairs) {
      if (from == to) continue;
      const QuickestWay way = f_.way(from, to);
      t = std::max(t, way.latency + picoseconds(seconds(need_.bytes, way.start.from)));
      if (++tried == f_.ways_tried()) break;
    }
    return t;
  }

  // All need the data of every member. Along dimensions all members are as far from their farthest, and have as many
  // links, as the one at the first corner: or are nearer, or have more. Of listed ones a few are tried.
  Time distance_from_any(double share) const {
    constexpr int kTried = 32;
    if (!r_.row->dimensions().empty()) return distance_from(r_.row->position({}), share);
    Time t;
    for (int p = 0; p < std::min(r_.size(), kTried); ++p) t = std::max(t, distance_from(p, share));
    return t;
  }

  Time distance_from(int source, double share) const {
    const bool towards = need_.operation == Operation::reduce || need_.operation == Operation::gather;
    const QuickestWay way = f_.farthest(source, towards);
    return way.latency + picoseconds(seconds(share, std::max(way.start.from, way.start.into)));
  }

  const BoundFacts& f_;
  const Request& r_;
  Need need_;
};

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

constexpr double kNone = std::numeric_limits<double>::infinity();

void lower(Rates& r, const Rates& by) { r = {std::min(r.into, by.into), std::min(r.from, by.from)}; }

class FabricFacts final : public BoundFacts {
 public:
  FabricFacts(const Fabric& f, const Request& r)
      : f_(f), r_(r), groups_(groups_of(f, *r.row)), capacity_(chip_capacity(f)) {}

  double groups() const override { return static_cast<double>(groups_.size()); }
  bool switches_add() const override { return f_.shape.switches > 0; }
  Poorest chips() const override {
    Poorest p{{kNone, kNone}, {kNone, kNone}};
    for (int k = 0; k < r_.size(); ++k) lower(k == r_.root ? p.root : p.others, chip(k));
    return p;
  }
  Rates chip(int position) const override {
    Rates poorest{kNone, kNone};
    for (const auto& group : groups_) lower(poorest, rates(group[static_cast<std::size_t>(position)]));
    return poorest;
  }
  Poorest columns() const override;
  double cuts(const Need& need) const override {
    const double domains = domain_cuts(f_, r_, need, groups_);
    const bool slices = f_.grid() || (f_.ported && f_.nodes == f_.chips());
    return slices ? std::max(domains, slice_cuts(f_, r_, need, groups_)) : domains;
  }
  // Every block crosses as many links as its target is hops away.
  double byte_hops(const Need& need) const override {
    double capacity = 0;
    for (const Link& l : f_.links) capacity += static_cast<double>(l.bandwidth.bytes_per_second());
    return seconds(need.bytes / (need.n * need.n) * total_hops(f_, groups_), capacity);
  }
  double chips_links() const override { return capacity_.total; }
  Time shortest_link() const override {
    Time hop = Time::max();
    for (const Link& l : f_.links)
      if (l.exists()) hop = std::min(hop, l.latency);
    return hop;
  }
  QuickestWay way(int from, int to) const override {
    return {distances(f_, member(from), false)[index(member(to))], rates(member(from))};
  }
  QuickestWay farthest(int from, bool towards) const override {
    const auto distance = distances(f_, member(from), towards);
    Time latency;
    for (const ChipId c : groups_.front()) latency = std::max(latency, distance[index(c)]);
    return {latency, rates(member(from))};
  }
  std::size_t ways_tried() const override { return r_.size() > 64 ? 1 : r_.pairs.size(); }

 private:
  ChipId member(int p) const { return groups_.front()[static_cast<std::size_t>(p)]; }
  Rates rates(ChipId c) const { return {capacity_.into[index(c)], capacity_.from[index(c)]}; }

  const Fabric& f_;
  const Request& r_;
  Groups groups_;
  ChipCapacity capacity_;
};

Poorest FabricFacts::columns() const {
  const std::size_t n = groups_.front().size();
  std::vector<std::size_t> column(f_.nodes, n);  // of whoever is in no group: n
  for (const auto& group : groups_)
    for (std::size_t p = 0; p < n; ++p) column[index(group[p])] = p;
  std::vector<Rates> rates(n + 1);
  for (const Link& l : f_.links)
    if (l.exists() && column[l.from] != column[l.to]) {
      rates[column[l.from]].from += static_cast<double>(l.bandwidth.bytes_per_second());
      rates[column[l.to]].into += static_cast<double>(l.bandwidth.bytes_per_second());
    }
  Poorest poorest{{kNone, kNone}, {kNone, kNone}};
  for (std::size_t p = 0; p < n; ++p) lower(static_cast<int>(p) == r_.root ? poorest.root : poorest.others, rates[p]);
  return poorest;
}

}  // namespace

bool nothing_moves(const Request& r) {
  if (r.row->size() == 1) return true;
  const auto stays = [](const auto& pair) { return pair.first == pair.second; };
  return is_point_to_point(r.operation) && std::all_of(r.pairs.begin(), r.pairs.end(), stays);
}

Time lower_bound(const BoundFacts& f, const Request& r) {
  const Bounds bounds(f, r);
  return std::max(bounds.bandwidth() + f.shortest_link(), bounds.distance());
}

Time lower_bound(const Fabric& f, const Request& r) {
  return nothing_moves(r) ? Time{} : lower_bound(FabricFacts(f, r), r);
}

}  // namespace hopsim

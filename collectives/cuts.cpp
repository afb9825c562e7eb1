#include "collectives/cuts.hpp"

#include <algorithm>
#include <numeric>

namespace hopsim {
namespace {

double worst(const std::vector<double>& bytes, const std::vector<double>& capacity) {
  double t = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) t = std::max(t, seconds(bytes[k], capacity[k]));
  return t;
}

// What crosses between parts of the fabric, `part` being that of a chip.
template <class PartOf>
Slices demand(const Request& r, const Need& need, const Groups& groups, std::size_t parts, const PartOf& part) {
  Slices s(parts);
  if (need.permutes()) {
    for (const auto& group : groups)
      for (const auto& [from, to] : r.pairs)
        s.add(part(group[static_cast<std::size_t>(from)]), part(group[static_cast<std::size_t>(to)]), need.bytes);
    s.close();
    return s;
  }
  std::vector<std::vector<Member>> members(parts);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t p = 0; p < groups[g].size(); ++p)
      members[static_cast<std::size_t>(part(groups[g][p]))].push_back({g, static_cast<int>(p) == r.root});
  Tally below(need, groups.size()), alone(need, groups.size());
  for (std::size_t m = 0; m < parts; ++m) {
    s.down[m] = below.into();
    s.up[m] = below.out_of();
    for (const Member& member : members[m]) {
      alone.add(member);
      below.add(member);
    }
    s.into_plane[m] = alone.into();
    s.from_plane[m] = alone.out_of();
    alone.forget(members[m]);
  }
  return s;
}

// Over all groups, between the planes they touch.
double gossip(const Fabric& f, const Need& need, const Groups& groups, int d) {
  double bytes = 0;
  for (const auto& group : groups) {
    std::vector<int> planes;
    for (const ChipId c : group) planes.push_back(f.shape.at(c)[d]);
    std::sort(planes.begin(), planes.end());
    bytes += gossip(need, static_cast<double>(std::unique(planes.begin(), planes.end()) - planes.begin()));
  }
  return bytes;
}

// For each switch the side of the cut where fewer of its links cross, given the chips' sides. `below`: nodes inside.
void place_switches(const Fabric& f, std::vector<bool>& inside) {
  constexpr int kRounds = 3;  // leaves, then spines
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> pull(f.nodes);
    for (const Link& l : f.links)
      if (l.exists() && l.to >= f.chips())
        pull[l.to] += (inside[l.from] ? 1 : -1) * static_cast<double>(l.bandwidth.bytes_per_second());
    for (std::uint32_t s = f.chips(); s < f.nodes; ++s) inside[s] = pull[s] > 0;
  }
}

struct Crossing {
  double into = 0, from = 0;
};
Crossing crossing(const Fabric& f, std::vector<bool> inside) {
  place_switches(f, inside);
  Crossing c;
  for (const Link& l : f.links)
    if (inside[l.from] != inside[l.to])
      (inside[l.to] ? c.into : c.from) += static_cast<double>(l.bandwidth.bytes_per_second());
  return c;
}

}  // namespace

void Slices::add(int from, int to, double amount) {
  if (from == to) return;
  between_planes += amount;
  into_plane[static_cast<std::size_t>(to)] += amount;
  from_plane[static_cast<std::size_t>(from)] += amount;
  auto& halves = from > to ? down : up;
  const auto below = static_cast<std::size_t>(std::min(from, to)),
             last = static_cast<std::size_t>(std::max(from, to));
  halves[below + 1] += amount;
  if (last + 1 < halves.size()) halves[last + 1] -= amount;
}

void Slices::close() {
  std::partial_sum(down.begin(), down.end(), down.begin());
  std::partial_sum(up.begin(), up.end(), up.begin());
}

double worst(const Slices& needed, const Slices& has) {
  return std::max({worst(needed.into_plane, has.into_plane), worst(needed.from_plane, has.from_plane),
                   worst(needed.down, has.down), worst(needed.up, has.up),
                   seconds(needed.between_planes, has.between_planes)});
}

double gossip(const Need& need, double parties) {
  return need.operation == Operation::all_reduce ? 2 * (parties - 1) * need.bytes : 0;
}

ChipCapacity chip_capacity(const Fabric& f) {
  ChipCapacity c{std::vector<double>(f.nodes), std::vector<double>(f.nodes)};
  for (const Link& l : f.links) {
    const auto w = static_cast<double>(l.bandwidth.bytes_per_second());
    c.into[l.to] += w;
    c.from[l.from] += w;
    if (l.from < f.chips()) c.total += w;
  }
  return c;
}

double slice_cuts(const Fabric& f, const Request& r, const Need& need, const Groups& groups) {
  double t = 0;
  for (int d = 0; d < f.shape.dimensions; ++d) {
    if (f.shape.size[d] == 1) continue;
    const auto planes = static_cast<std::size_t>(f.shape.size[d]);
    const auto plane = [&](ChipId c) { return int{f.shape.at(c)[d]}; };
    Slices needed = demand(r, need, groups, planes, plane), has(planes);
    if (need.operation == Operation::all_reduce) needed.between_planes = gossip(f, need, groups, d);
    for (const Link& l : f.links)
      if (l.exists())
        has.add(plane(ChipId{l.from}), plane(ChipId{l.to}), static_cast<double>(l.bandwidth.bytes_per_second()));
    has.close();
    t = std::max(t, worst(needed, has));
  }
  return t;
}

double domain_cuts(const Fabric& f, const Request& r, const Need& need, const Groups& groups) {
  if (f.grid()) return 0;
  const std::uint32_t size = r.wiring.domain > 0 ? r.wiring.domain : std::max(1u, f.chips() / 2);
  const auto domains = static_cast<std::size_t>((f.chips() + size - 1) / size);
  if (domains < 2) return 0;
  const auto domain = [&](ChipId c) { return static_cast<int>(index(c) / size); };
  Slices needed = demand(r, need, groups, domains, domain), has(domains);
  std::vector<bool> alone(f.nodes), below(f.nodes);
  for (std::size_t m = 0; m < domains; ++m) {
    const Crossing half = crossing(f, below);
    has.down[m] = half.into;
    has.up[m] = half.from;
    std::fill(alone.begin(), alone.end(), false);
    for (std::size_t c = m * size; c < std::min<std::size_t>((m + 1) * size, f.chips()); ++c)
      alone[c] = below[c] = true;
    const Crossing one = crossing(f, alone);
    has.into_plane[m] = one.into;
    has.from_plane[m] = one.from;
  }
  needed.between_planes = 0;
  return worst(needed, has);
}

double total_hops(const Fabric& f, const Groups& groups) {
  constexpr double kMostWork = 2e7;  // links looked at
  const double members = static_cast<double>(groups.size() * groups.front().size());
  if (members * static_cast<double>(f.links.size()) > kMostWork) return 0;
  std::vector<std::vector<std::uint32_t>> to(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) to[l.from].push_back(l.to);
  double sum = 0;
  std::vector<int> hops(f.nodes);
  std::vector<std::uint32_t> queue;
  for (const auto& group : groups)
    for (const ChipId source : group) {
      std::fill(hops.begin(), hops.end(), -1);
      queue.assign(1, index(source));
      hops[index(source)] = 0;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (const std::uint32_t next : to[queue[i]])
          if (hops[next] < 0) {
            hops[next] = hops[queue[i]] + 1;
            queue.push_back(next);
          }
      for (const ChipId target : group) sum += hops[index(target)];
    }
  return sum;
}

}  // namespace hopsim

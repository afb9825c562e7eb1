#include "scenarios/wiring.hpp"

#include <algorithm>

#include "collectives/demand.hpp"
#include "collectives/ring_orders.hpp"

namespace hopsim {
namespace {

Wiring::Kind kind_of(Wires wires) {
  switch (wires) {
    case Wires::switched:
      return Wiring::Kind::switched;
    case Wires::direct:
      return Wiring::Kind::direct;
    case Wires::grid:
      break;
  }
  return Wiring::Kind::grid;
}

// Members next to one another in one domain, the same number throughout every group; else 1.
int members_a_domain(const Groups& groups, std::uint32_t domain) {
  std::size_t local = 1;
  const auto& first = groups.front();
  while (local < first.size() && index(first[local]) / domain == index(first[0]) / domain) ++local;
  for (const auto& group : groups)
    for (std::size_t p = 0; p < group.size(); ++p) {
      const bool same = p > 0 && index(group[p]) / domain == index(group[p - 1]) / domain;
      if (same == (p % local == 0) || group.size() % local != 0) return 1;
    }
  return static_cast<int>(local);
}

// Links between members, by position: how many side by side, in units of the slowest.
std::vector<std::vector<int>> adjacency(const MachineModel& m, const std::vector<ChipId>& group) {
  std::vector<int> position(m.fabric().nodes, -1);
  for (std::size_t p = 0; p < group.size(); ++p) position[index(group[p])] = static_cast<int>(p);
  std::vector<std::vector<int>> links(group.size(), std::vector<int>(group.size()));
  const double unit = static_cast<double>(m.link.bandwidth.bytes_per_second());
  for (const Link& l : m.fabric().links) {
    const int from = position[l.from], to = position[l.to];
    if (l.exists() && from >= 0 && to >= 0)
      links[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] +=
          static_cast<int>(static_cast<double>(l.bandwidth.bytes_per_second()) / unit + 0.5);
  }
  return links;
}

// Every member of every group sends to every other.
void load_links(const MachineModel& m, const Groups& groups, Wiring& w) {
  constexpr std::size_t kMostMembers = 1024;
  if (groups.size() * groups.front().size() > kMostMembers) return;
  std::vector<double> load(m.fabric().links.size());
  const auto unit = static_cast<double>(m.link.bandwidth.bytes_per_second());
  for (const auto& group : groups)
    for (const ChipId from : group)
      for (const ChipId to : group) {
        int hops = 0;
        for (std::uint32_t at = index(from); at != index(to); ++hops) {
          const std::uint32_t link = index(m.fabric().next_link(at, index(to), 0));
          load[link] += unit / static_cast<double>(m.fabric().links[link].bandwidth.bytes_per_second());
          at = m.fabric().links[link].to;
        }
        w.farthest = std::max(w.farthest, hops);
      }
  w.exchange_load = *std::max_element(load.begin(), load.end());
}

}  // namespace

Wiring wiring_of(const MachineModel& m, const Row& row) {
  Wiring w;
  w.kind = kind_of(m.wires);
  w.link = m.link;
  w.overheads = m.overheads;
  if (m.graph->is_box()) return w;
  const std::uint32_t chips = m.shape.chips(), domain = m.domain > 0 && m.domain < chips ? m.domain : chips;
  w.domain = domain < chips ? domain : 0;
  const Groups groups = groups_of(m.fabric(), row);
  const int local = members_a_domain(groups, domain);
  if (local == row.size()) {
    if (m.nvls)
      w.nvls = [shape = m.shape, domain](const Coordinates& at) {
        return shape.chips() + index(shape.chip(at)) / domain;
      };
    if (w.kind == Wiring::Kind::direct) {
      w.rings = hamiltonian_rings(adjacency(m, groups.front()));
      load_links(m, groups, w);
    }
    return w;
  }
  if (local == 1 && m.nic) {  // nothing but NICs between the members
    w.kind = Wiring::Kind::switched;
    w.link = *m.nic;
    return w;
  }
  w.local = local;
  w.nic = m.nic;
  const auto& group = groups.front();
  for (auto to = group.begin() + local; to != group.end(); ++to)
    for (auto from = group.begin(); from != group.begin() + local; ++from)
      w.farthest =
          std::max(w.farthest, static_cast<int>(m.fabric().hops(*from, *to, Offset::to_node(index(*to)), 0)));
  if (m.nvls)
    w.nvls = [shape = m.shape, domain](const Coordinates& at) {
      return shape.chips() + index(shape.chip(at)) / domain;
    };
  if (w.kind == Wiring::Kind::switched) w.rings = node_rings(row.size() / local, local);
  return w;
}

}  // namespace hopsim

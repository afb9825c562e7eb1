#include "topologies/faults.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/error.hpp"
#include "sim/units.hpp"
#include "topologies/reach.hpp"

namespace hopsim {
namespace {

void require_node(const Topology& t, std::uint32_t node) {
  const std::size_t nodes = num_vertices(t.graph);
  if (node >= nodes)
    throw InputError("no such chip or switch", std::to_string(node), "0 to " + std::to_string(nodes - 1));
}

[[noreturn]] void refuse_missing_link(const Topology& t, const LinkFault& fault) {
  std::vector<std::uint32_t> neighbours;
  for (const auto e : boost::make_iterator_range(out_edges(fault.from, t.graph)))
    neighbours.push_back(static_cast<std::uint32_t>(target(e, t.graph)));
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  std::string valid;
  for (const std::uint32_t n : neighbours) valid += (valid.empty() ? "" : ", ") + std::to_string(n);
  throw InputError("no link leads from " + node_name(t, fault.from) + " to " + node_name(t, fault.to),
                   std::to_string(fault.from) + " to " + std::to_string(fault.to),
                   std::to_string(fault.from) + " to " + (valid.empty() ? "none (all its links are down)" : valid));
}

Bandwidth slowed(Bandwidth was, const LinkFault& fault) {
  if (fault.bandwidth.bytes_per_second() != 0) {
    if (fault.bandwidth > was)
      throw InputError("a faulty link is no faster than a sound one", format_bandwidth(fault.bandwidth),
                       "up to " + format_bandwidth(was));
    return fault.bandwidth;
  }
  if (!(fault.share > 0 && fault.share <= 1))
    throw InputError("a faulty link has a share of its bandwidth", std::to_string(fault.share), "above 0, up to 1");
  const double rate = static_cast<double>(was.bytes_per_second()) * fault.share;
  return Bandwidth(std::max<std::uint64_t>(static_cast<std::uint64_t>(std::round(rate)), 1));
}

void apply(Topology& t, std::uint32_t from, std::uint32_t to, const LinkFault& fault) {
  if (fault.down) {
    remove_edge(from, to, t.graph);
    // A switch that has lost a chip cannot reduce for all of its domain.
    const auto takes_part = [&](std::uint32_t n) { return n >= t.shape.chips() && n < t.shape.actors(); };
    if (takes_part(from) || takes_part(to)) t.shape.switches = 0;
    return;
  }
  for (const auto e : boost::make_iterator_range(out_edges(from, t.graph)))
    if (target(e, t.graph) == to) t.graph[e].bandwidth = slowed(t.graph[e].bandwidth, fault);
}

}  // namespace

void apply_faults(Topology& t, const std::vector<LinkFault>& faults) {
  for (const LinkFault& fault : faults) {
    require_node(t, fault.from);
    require_node(t, fault.to);
    if (!edge(fault.from, fault.to, t.graph).second) refuse_missing_link(t, fault);
    apply(t, fault.from, fault.to, fault);
    if (fault.both_ways && fault.from != fault.to) apply(t, fault.to, fault.from, fault);
  }
  if (std::any_of(faults.begin(), faults.end(), [](const LinkFault& f) { return f.down; })) require_connected(t);
}

}  // namespace hopsim

#include "topologies/link_graph.hpp"

namespace hopsim {

Fabric freeze(const Topology& topology) {
  Fabric f;
  f.shape = topology.shape;
  f.nodes = static_cast<std::uint32_t>(num_vertices(topology.graph));
  f.links.resize(std::size_t{f.chips()} * 2 * static_cast<std::size_t>(f.shape.dimensions));
  for (const auto edge : boost::make_iterator_range(edges(topology.graph))) {
    const LinkProperties& p = topology.graph[edge];
    const auto from = static_cast<std::uint32_t>(source(edge, topology.graph));
    const auto to = static_cast<std::uint32_t>(target(edge, topology.graph));
    f.links[index(f.grid_link(p.port, from))] = {from, to, p.bandwidth, p.latency};
  }
  return f;
}

}  // namespace hopsim

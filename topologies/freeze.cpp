#include <algorithm>

#include "sim/error.hpp"
#include "topologies/link_graph.hpp"
#include "topologies/routes.hpp"

namespace hopsim {
namespace {

constexpr std::uint32_t kMostTables = 4;  // of equal ways

std::size_t grid_links(const Shape& s) {
  std::size_t links = 0;
  for (int d = 0; d < s.dimensions; ++d) {
    const auto n = static_cast<std::size_t>(s.placed(d));
    const bool closed = s.wrap[d] || s.folded[d] || s.twisted(d);
    if (s.size[d] > 1) links += 2 * (s.chips() / n) * (closed ? n : n - 1);
  }
  return links;
}

// The rotations that differ.
std::uint32_t rotations(const Shape& s) {
  const auto longer = std::count_if(s.size.begin(), s.size.end(), [](int n) { return n > 1; });
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(longer, 1));
}

Link link_of(const LinkGraph& graph, const LinkGraph::edge_descriptor& e) {
  return {static_cast<std::uint32_t>(source(e, graph)), static_cast<std::uint32_t>(target(e, graph)),
          graph[e].bandwidth, graph[e].latency};
}

}  // namespace

bool is_grid(const Topology& t) {
  if (num_vertices(t.graph) != t.shape.chips() || num_edges(t.graph) != grid_links(t.shape)) return false;
  const auto all = edges(t.graph);
  return std::all_of(all.first, all.second, [&](const auto& e) { return t.graph[e].port >= 0; });
}

Fabric freeze(const Topology& topology, Routing routing) {
  Fabric f;
  f.shape = topology.shape;
  f.nodes = static_cast<std::uint32_t>(num_vertices(topology.graph));
  const auto all = boost::make_iterator_range(edges(topology.graph));
  const bool grid = is_grid(topology);
  if (grid && (routing == Routing::dimension_ordered || routing == Routing::rotations)) {
    if (routing == Routing::rotations) f.routes = rotations(f.shape);
    f.links.resize(std::size_t{f.chips()} * 2 * static_cast<std::size_t>(f.shape.dimensions));
    for (const auto e : all) {
      const Link l = link_of(topology.graph, e);
      f.links[index(f.grid_link(topology.graph[e].port, l.from))] = l;
    }
    return f;
  }
  if (routing == Routing::rotations)
    throw InputError("messages are split over rotations of the dimensions' order on whole grids only",
                     "a machine with switches or with links down", "table, minimal");
  for (const auto e : all) f.links.push_back(link_of(topology.graph, e));
  RoutingTables tables = routing_tables(topology, routing == Routing::minimal ? kMostTables : 1);
  f.routes = tables.routes;
  f.towards = std::move(tables.towards);
  return f;
}

}  // namespace hopsim

#include <algorithm>

#include "sim/error.hpp"
#include "topologies/grid.hpp"
#include "topologies/link_graph.hpp"
#include "topologies/routes.hpp"

namespace hopsim {
namespace {

constexpr std::uint32_t kMostTables = 4;  // of equal ways

Link link_of(const LinkGraph& graph, const LinkGraph::edge_descriptor& e) {
  return {static_cast<std::uint32_t>(source(e, graph)), static_cast<std::uint32_t>(target(e, graph)),
          graph[e].bandwidth, graph[e].latency};
}

// Links with a port first, numbered as a grid's, where offsets may be ways; then the others. Returns the number of
// every edge.
std::vector<LinkId> lay_links(const Topology& t, bool by_offsets, Fabric& f) {
  const auto all = boost::make_iterator_range(edges(t.graph));
  f.ported = by_offsets &&
             (is_grid(t) || std::any_of(all.begin(), all.end(), [&](const auto& e) { return t.graph[e].port >= 0; }));
  if (f.ported) f.links.resize(std::size_t{f.chips()} * 2 * static_cast<std::size_t>(f.shape.dimensions));
  std::vector<LinkId> numbers;
  for (const auto e : all) {
    const Link l = link_of(t.graph, e);
    if (f.ported && t.graph[e].port >= 0) {
      numbers.push_back(f.grid_link(t.graph[e].port, l.from));
      f.links[index(numbers.back())] = l;
    } else {
      numbers.push_back(LinkId{static_cast<std::uint32_t>(f.links.size())});
      f.links.push_back(l);
    }
  }
  return numbers;
}

// The rotations that differ.
std::uint32_t rotations(const Shape& s) {
  const auto longer = std::count_if(s.size.begin(), s.size.end(), [](int n) { return n > 1; });
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(longer, 1));
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
  const bool by_offsets = routing == Routing::dimension_ordered || routing == Routing::rotations;
  const auto numbers = lay_links(topology, by_offsets, f);
  if (routing == Routing::rotations && !f.ported)
    throw InputError("messages are split over rotations of the dimensions' order on tori and meshes only",
                     "a machine without dimensions", "table, minimal");
  if (routing == Routing::rotations) f.routes = rotations(f.shape);
  const bool whole = is_grid(topology);
  f.ported = f.ported && !whole;
  if (whole && by_offsets) return f;
  RoutingTables tables = routing_tables(topology, routing == Routing::minimal ? kMostTables : 1);
  if (routing == Routing::minimal) f.routes = tables.routes;
  f.tables = tables.routes;
  f.towards = std::move(tables.towards);
  for (LinkId& l : f.towards)
    if (index(l) < numbers.size()) l = numbers[index(l)];
  return f;
}

}  // namespace hopsim

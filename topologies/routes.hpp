// Routing tables: which link leads towards a chip or taking-part switch, at every node of a network.
#pragma once

#include <vector>

#include "topologies/link_graph.hpp"

namespace hopsim {

struct RoutingTables {
  std::uint32_t routes = 1;
  std::vector<LinkId> towards;  // as Fabric::towards; kNoLink where no way leads
};

// The ways of least weight, then of fewest hops, for each destination (Dijkstra; a plain queue where all weights are
// the same). Nodes that do not forward are ends of ways only. Links are numbered in the order of edges().
//
// Ways that are equal: a chip takes the first by port, then by neighbour, so that a damaged torus stays nearly
// dimension-ordered; a switch spreads the destinations over them as InfiniBand's subnet managers do (D-mod-K: the
// destinations are counted leaf by leaf, and a switch at level l uses digit l of that number, to the base of its
// choices), so that a leaf-spine network is non-blocking for shifts. With more routes, route r takes the r-th after
// that.
//
// `most_routes` is cut down to the most equal choices any node has. Throws InputError if a chip cannot reach another,
// or where the tables would take more than 1 GiB. O(destinations x links x log(nodes)).
RoutingTables routing_tables(const Topology&, std::uint32_t most_routes);

}  // namespace hopsim

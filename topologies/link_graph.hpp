// A fabric as a Boost.Graph graph: what builders make, what graph algorithms (routing tables, cuts, max-flow,
// GraphML) work on, and what is frozen into flat arrays for an engine.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "sim/fabric.hpp"

namespace hopsim {

struct NodeProperties {
  bool is_switch = false;  // a switch forwards; all other vertices are chips
};

struct LinkProperties {
  Bandwidth bandwidth;  // one way
  Time latency;
  int port = -1;  // on a grid: Fabric::port() at the chip it leaves
};

// Vertices 0 .. chips-1 are the chips in row-major order, then the switches. Edges are directed links.
using LinkGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, NodeProperties, LinkProperties>;

struct Topology {
  Shape shape;
  LinkGraph graph;
};

// Flat arrays for an engine. O(chips + links).
Fabric freeze(const Topology&);

}  // namespace hopsim

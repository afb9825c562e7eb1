// A fabric as a Boost.Graph graph: what builders make, what graph algorithms (routing tables, cuts, max-flow,
// GraphML) work on, and what is frozen into flat arrays for an engine.
#pragma once

// g++ takes the optional inside Boost's edge iterators for uninitialised where it is empty (GCC bug 80635).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/graph/adjacency_list.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <string>

#include "sim/fabric.hpp"
#include "topologies/link_model.hpp"

namespace hopsim {

struct NodeProperties {
  bool is_switch = false;  // a switch forwards; all other vertices are chips
  bool forwards = true;    // whether messages of others pass through: GPUs of a switched node do not, TPUs do
  std::string name{};      // of a switch, as people call it: "NVSwitch 2", "leaf 3"
};

struct LinkProperties {
  Bandwidth bandwidth;  // one way
  Time latency;
  int port = -1;             // on a grid: Fabric::port() at the chip it leaves
  std::uint32_t weight = 1;  // routes take the way of least weight: 1 within a domain, more between them
};

// Vertices 0 .. chips-1 are the chips in row-major order, then the switches, those first that take part in
// collectives (Shape::switches). Edges are directed links.
using LinkGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, NodeProperties, LinkProperties>;

struct Topology {
  Shape shape;
  LinkGraph graph;
  // How many chips, consecutive in number, share a domain of fast links (a node, a rack, a slice): all by default.
  std::uint32_t domain = 0;
};

// Whether every link is one of a grid's and none is missing, so that offsets are routes; else tables are.
bool is_grid(const Topology&);

// How messages find their way. On a grid: dimension by dimension, or split evenly over the rotations of the
// dimensions' order; where links are down, or slices joined, so wherever the way is whole, else by a table. By tables
// alone, of the ways of least weight: one, or split evenly over several of equal weight where there are. A network
// without dimensions always goes by a table.
enum class Routing { dimension_ordered, rotations, table, minimal };

// Flat arrays for an engine. A grid: O(chips + links). Else tables of 4 B x routes x nodes x chips: throws InputError
// where these would take more than 1 GiB, or naming two nodes (and the cut) where no way leads from one to the other.
Fabric freeze(const Topology&, Routing = Routing::dimension_ordered);

}  // namespace hopsim

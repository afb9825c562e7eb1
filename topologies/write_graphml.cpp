#include "topologies/graphml.hpp"

// As in link_graph.hpp, where the writers take edges from iterators.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <ostream>
#include <string>

#include "sim/units.hpp"
#include "topologies/reach.hpp"

namespace hopsim {
namespace {

using Node = LinkGraph::vertex_descriptor;
using Edge = LinkGraph::edge_descriptor;

// Exact, in the largest unit that leaves a whole number.
std::string exact(std::uint64_t n, std::initializer_list<const char*> units) {
  const char* const* unit = units.begin();
  for (; n != 0 && n % 1000 == 0 && unit + 1 != units.end(); ++unit) n /= 1000;
  return std::to_string(n) + " " + *unit;
}
std::string exact(Bandwidth b) { return exact(b.bytes_per_second(), {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}); }
std::string exact(Time t) { return exact(t.ps(), {"ps", "ns", "us", "ms", "s"}); }

std::string coordinates(const Topology& t, Node v) {
  Fabric f;
  f.shape = t.shape;
  return f.chip_name(ChipId{static_cast<std::uint32_t>(v)});
}

// What its number does not say.
std::string name(const Topology& t, Node v) {
  const bool places = t.graph[v].name.empty() && v < t.shape.chips() && t.shape.dimensions > 1;
  return places ? coordinates(t, v) : t.graph[v].name;
}

// In a drawing.
std::string label(const Topology& t, Node v) {
  if (!t.graph[v].name.empty()) return t.graph[v].name;
  return v < t.shape.chips() ? coordinates(t, v) : node_name(t, static_cast<std::uint32_t>(v));
}

bool alike(const LinkProperties& a, const LinkProperties& b) {
  return a.bandwidth == b.bandwidth && a.latency == b.latency;
}

struct DrawnEdge {
  std::string attributes;
};
using DrawnGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, DrawnEdge>;

DrawnGraph drawn(const LinkGraph& g) {
  DrawnGraph d(num_vertices(g));
  for (const Edge e : boost::make_iterator_range(edges(g))) {
    const auto back = edge(target(e, g), source(e, g), g);
    const bool both = back.second && alike(g[e], g[back.first]);
    if (both && target(e, g) < source(e, g)) continue;
    add_edge(source(e, g), target(e, g),
             {std::string(both ? "dir=both, " : "") + "label=\"" + format_bandwidth(g[e].bandwidth) + "\""}, d);
  }
  return d;
}

}  // namespace

void write_graphml(std::ostream& out, const Topology& t) {
  const LinkGraph& g = t.graph;
  const auto of_nodes = [&](auto value) { return boost::make_function_property_map<Node, std::string>(value); };
  const auto of_edges = [&](auto value) { return boost::make_function_property_map<Edge, std::string>(value); };
  boost::dynamic_properties p;
  p.property("type", of_nodes([&](Node v) { return std::string(g[v].is_switch ? "switch" : "chip"); }));
  p.property("name", of_nodes([&](Node v) { return name(t, v); }));
  p.property("forwards", of_nodes([&](Node v) { return std::string(g[v].forwards ? "true" : "false"); }));
  p.property("reduces", of_nodes([&](Node v) {
               return std::string(v >= t.shape.chips() && v < t.shape.actors() ? "true" : "false");
             }));
  p.property("bandwidth", of_edges([&](const Edge& e) { return exact(g[e].bandwidth); }));
  p.property("latency", of_edges([&](const Edge& e) { return exact(g[e].latency); }));
  p.property("weight", of_edges([&](const Edge& e) { return std::to_string(g[e].weight); }));
  boost::write_graphml(out, g, p, true);
}

void write_dot(std::ostream& out, const Topology& t) {
  const DrawnGraph d = drawn(t.graph);
  boost::write_graphviz(
      out, d,
      [&](std::ostream& o, Node v) {
        o << "[label=" << boost::escape_dot_string(label(t, v)) << (t.graph[v].is_switch ? ", shape=box" : "") << "]";
      },
      [&](std::ostream& o, const DrawnGraph::edge_descriptor& e) { o << "[" << d[e].attributes << "]"; });
}

}  // namespace hopsim

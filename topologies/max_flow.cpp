#include "topologies/max_flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cassert>
#include <map>

namespace hopsim {
namespace {

// Source, sink, then the switches. Capacities are whole numbers and stay exact up to 2^53 bytes/s.
struct FlowArc {
  double capacity = 0, residual = 0;
  boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>::edge_descriptor reverse{};
};
struct FlowNode {
  boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>::edge_descriptor predecessor{};
  boost::default_color_type color{};
  long distance = 0;
};
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, FlowNode, FlowArc>;
constexpr std::uint32_t kSource = 0, kSink = 1, kFirstSwitch = 2;

FlowGraph flow_graph(const Fabric& f, const std::vector<bool>& inside) {
  const auto node = [&](std::uint32_t n) {
    return n >= f.chips() ? n - f.chips() + kFirstSwitch : inside[n] ? kSource : kSink;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> capacity;  // and 0 against it
  for (const Link& l : f.links) {
    if (!l.exists() || node(l.from) == node(l.to)) continue;
    capacity[{node(l.from), node(l.to)}] += static_cast<double>(l.bandwidth.bytes_per_second());
    capacity[{node(l.to), node(l.from)}];
  }
  FlowGraph g(kFirstSwitch + f.nodes - f.chips());
  for (const auto& [ends, c] : capacity) {
    if (ends.first > ends.second) continue;
    const auto there = add_edge(ends.first, ends.second, {c}, g).first;
    const auto back = add_edge(ends.second, ends.first, {capacity.at({ends.second, ends.first})}, g).first;
    g[there].reverse = back;
    g[back].reverse = there;
  }
  return g;
}

}  // namespace

double max_flow(const Fabric& f, const std::vector<bool>& inside) {
  assert(inside.size() == f.chips());
  FlowGraph g = flow_graph(f, inside);
  return boost::boykov_kolmogorov_max_flow(g, get(&FlowArc::capacity, g), get(&FlowArc::residual, g),
                                           get(&FlowArc::reverse, g), get(&FlowNode::predecessor, g),
                                           get(&FlowNode::color, g), get(&FlowNode::distance, g),
                                           get(boost::vertex_index, g), kSource, kSink);
}

}  // namespace hopsim

#include "topologies/networks.hpp"

namespace hopsim {

Topology switched(const Shape& shape, const LinkModel& link, bool reduces) {
  Topology t{shape, LinkGraph(shape.chips()), shape.chips()};
  t.shape.switches = reduces ? 1 : 0;
  const auto crossbar = add_vertex({.is_switch = true, .forwards = true, .name = "switch"}, t.graph);
  for (std::uint32_t chip = 0; chip < shape.chips(); ++chip) {
    t.graph[chip].forwards = false;
    add_edge(chip, crossbar, {link.bandwidth, link.latency}, t.graph);
    add_edge(crossbar, chip, {link.bandwidth, link.latency}, t.graph);
  }
  return t;
}

}  // namespace hopsim

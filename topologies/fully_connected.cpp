#include "topologies/networks.hpp"

namespace hopsim {

Topology fully_connected(const Shape& shape, const LinkModel& link) {
  Topology t{shape, LinkGraph(shape.chips()), shape.chips()};
  for (std::uint32_t from = 0; from < shape.chips(); ++from)
    for (std::uint32_t to = 0; to < shape.chips(); ++to)
      if (from != to) add_edge(from, to, {link.bandwidth, link.latency}, t.graph);
  return t;
}

}  // namespace hopsim

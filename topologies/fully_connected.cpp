#include "sim/error.hpp"
#include "topologies/networks.hpp"

namespace hopsim {

Topology fully_connected(const Shape& shape, const LinkModel& link) {
  constexpr std::uint32_t kMostChips = 512;  // a quarter of a million links
  if (shape.chips() > kMostChips)
    throw InputError("too many chips to link each to all others", std::to_string(shape.chips()),
                     "up to " + std::to_string(kMostChips));
  Topology t{shape, LinkGraph(shape.chips()), shape.chips()};
  for (std::uint32_t from = 0; from < shape.chips(); ++from)
    for (std::uint32_t to = 0; to < shape.chips(); ++to)
      if (from != to) add_edge(from, to, {link.bandwidth, link.latency}, t.graph);
  return t;
}

}  // namespace hopsim

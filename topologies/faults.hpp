// A damaged fabric: links down or slow.
#pragma once

#include <vector>

#include "topologies/link_graph.hpp"

namespace hopsim {

struct LinkFault {
  std::uint32_t from = 0, to = 0;  // nodes
  bool both_ways = true;
  bool down = false;
  Bandwidth bandwidth{};  // of a slow one, at most what it was; 0: `share` of what it was
  double share = 1;
};

// Throws InputError if there is no such link (naming the neighbours of `from`), or if without it some chip can no
// longer reach another: then the message names the chips that are cut off. A link down on a grid makes it a fabric
// with tables, of shortest ways round it.
void apply_faults(Topology&, const std::vector<LinkFault>&);

}  // namespace hopsim

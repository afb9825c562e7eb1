// Rings, lines, meshes and tori: boxes of chips of 1 to 4 dimensions, each with or without wraparound.
#pragma once

#include <vector>

#include "topologies/link_graph.hpp"

namespace hopsim {

struct LinkModel {
  Bandwidth bandwidth;  // of every link, one way
  Time latency;         // of every hop
};

// `size` and `wrap` by dimension. A wrapped dimension of 2 is one link each way, not two, hence a line.
// Throws InputError for no or more than 4 dimensions, a size below 1 or above 32767, more than 2^24 chips.
Shape grid_shape(const std::vector<int>& size, const std::vector<bool>& wrap);

// Links between neighbours along every dimension. O(chips).
Topology grid(const Shape&, const LinkModel&);

}  // namespace hopsim

// Rings, lines, meshes, tori and twisted tori: boxes of chips of 1 to 4 dimensions, each with or without wraparound.
#pragma once

#include <optional>
#include <vector>

#include "topologies/link_graph.hpp"

namespace hopsim {

// `size` and `wrap` by dimension. A wrapped dimension of 2 is one link each way, not two, hence a line.
// Throws InputError for no or more than 4 dimensions, a size below 1 or above 32767, more than 2^24 chips.
Shape grid_shape(const std::vector<int>& size, const std::vector<bool>& wrap);

// Twisted tori (TPU v4 and later), k at least 3. k x k x 2k: both short wraps shift by k along the long dimension;
// k x 2k x 2k: the short wrap shifts by k along both long ones; the dimensions in any order. Long dimensions wrap as
// usual. Throws InputError for any other shape.
Shape twisted_shape(const std::vector<int>& size);

// Links between neighbours along every dimension, over twisted wraps too. O(chips).
Topology grid(const Shape&, const LinkModel&);

// How many directed links that has.
std::size_t grid_links(const Shape&);

// The fabric with one chip for all that its wrapped dimensions make alike (Shape::fold). None where chips differ, or
// nothing is gained: a network, links of several speeds, a twist, messages split over rotations, no wrapped
// dimension. Schedules of whole rows take the same time on it, to the picosecond.
std::optional<Fabric> folded(const Fabric&);

}  // namespace hopsim

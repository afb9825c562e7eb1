// What can be read off a fabric's graph.
#pragma once

#include <optional>

#include "sim/fabric.hpp"

namespace hopsim {

// The most hops between two chips, each pair taking the shortest way. Throws std::invalid_argument where a chip
// cannot be reached. O(chips x links); O(links) for a box with all its links, where chip 0 is as far from some chip
// as any is.
int diameter(const Fabric&);

// The least bandwidth, one way, between two halves of a box: of the cuts across one dimension into floor(n/2) and
// ceil(n/2) planes in a row, the narrowest. None for one chip, and for fabrics that are no box. O(links x chips along
// a dimension).
std::optional<Bandwidth> bisection(const Fabric&);

}  // namespace hopsim

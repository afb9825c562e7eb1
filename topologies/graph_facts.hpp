// What can be read off a fabric's graph.
#pragma once

#include <optional>

#include "sim/fabric.hpp"

namespace hopsim {

// Links that messages pass from chip to chip; through a switch there are two. One chip: 0.
struct HopCounts {
  int diameter = 0;  // the most there are
  double mean = 0;   // over all pairs of different chips
};

// On whole grids of the shortest ways, O(dimensions), twisted O(links); else of the tables' first route, O(chips x
// nodes).
HopCounts hop_counts(const Fabric&);

// The least bandwidth, one way, between two halves of the chips: of the cuts across one dimension into floor(n/2) and
// ceil(n/2) planes in a row, the narrowest; so one of them is by number. Over switches it is the maximal flow. None
// for one chip. O(links x chips along a dimension).
std::optional<Bandwidth> bisection(const Fabric&);

}  // namespace hopsim

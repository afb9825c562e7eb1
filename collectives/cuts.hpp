// Cuts of a fabric, and how long what must cross them takes.
#pragma once

#include <vector>

#include "collectives/demand.hpp"

namespace hopsim {

// Bytes/s of all links into and out of every node; and out of all chips together.
struct ChipCapacity {
  std::vector<double> into, from;
  double total = 0;
};
ChipCapacity chip_capacity(const Fabric&);

// Seconds. Of a box: the planes x_d = m and the halves x_d < m across each dimension.
double slice_cuts(const Fabric&, const Request&, const Need&, const Groups&);
// Seconds. Of a network: each domain of fast links, and the domains below each number; a switch stands on the side
// that makes the cut narrower. Of a network without domains: the halves by number.
double domain_cuts(const Fabric&, const Request&, const Need&, const Groups&);

// Hops between all ordered pairs of members, over all groups, by the shortest ways; 0 where that is too much work
// (then a bound made of it says nothing).
double total_hops(const Fabric&, const Groups&);

}  // namespace hopsim

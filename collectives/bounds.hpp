// What no schedule can beat on the actual graph.
//
// Bandwidth: a set of chips must take in (or give out) at least so many bytes, over the links that cross its edge.
// Sets tried: every single chip; and every plane, and every half, across each dimension of the box. A byte that crosses
// also pays one latency. Distance: a shard must come to the member of its group farthest from its owner.
//
// Contributions to one sum may be added before they cross, so each array of partial sums crosses at least once; copies
// may be made after they crossed. Groups that run at once share the links, and are counted together.
#pragma once

#include "collectives/algorithm.hpp"
#include "sim/fabric.hpp"

namespace hopsim {

// O((chips + links) x dimensions). For a fabric with nothing folded.
Time lower_bound(const Fabric&, const Request&);

}  // namespace hopsim

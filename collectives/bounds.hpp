// What no schedule can beat on the actual graph.
//
// Bandwidth: a set of chips must take in (or give out) at least so many bytes over the links that cross its edge.
// Sets tried: every single chip; and every plane, and every half, across each dimension of the box. A byte that
// crosses also pays one latency. Contributions to one sum may be added before they cross, so each array of partial
// sums crosses at least once; copies may be made after they crossed. Groups that run at once share the links, and
// count together.
//
// AllReduce also: telling every one of m parties a sum of all takes at least 2(m - 1) one-way messages, whatever the
// schedule (m - 1 until the first party can know it, as many until the last does; the one-way gossip bound), so
// 2(m - 1)V bytes have to cross between the chips, and between the planes across each dimension.
//
// Distance: what a chip sends must come to the farthest member that needs it.
#pragma once

#include "collectives/algorithm.hpp"
#include "sim/fabric.hpp"

namespace hopsim {

// O((chips + links) x dimensions). For a fabric with nothing folded.
Time lower_bound(const Fabric&, const Request&);

}  // namespace hopsim

// What no schedule can beat on the actual graph.
//
// Bandwidth: a set of chips must take in (or give out) at least so many bytes over the links that cross its edge.
// Sets tried: every single chip; the chips at one position of all groups together; on a box every plane, and every
// half, across each dimension; elsewhere every domain, and the domains below each number. A byte that crosses also
// pays one latency. Contributions to one sum may be added before they cross, so each array of partial sums crosses at
// least once; copies may be made after they crossed. Groups that run at once share the links, and count together.
//
// AllToAll also: a block takes as many links as its target is hops away, and all links together carry so much.
//
// AllReduce also, where no switch adds: telling every one of m parties a sum of all takes at least 2(m - 1) one-way
// messages, whatever the schedule (m - 1 until the first party can know it, as many until the last does; the one-way
// gossip bound), so 2(m - 1)V bytes have to leave the chips, and to cross between the planes across each dimension.
//
// Distance: what a chip sends must come to the farthest member that needs it; of a broadcast the last byte, too.
#pragma once

#include "collectives/algorithm.hpp"
#include "sim/fabric.hpp"

namespace hopsim {

// O((chips + links) x dimensions) on a box, O(chips x links) at most elsewhere. For a fabric with nothing folded.
Time lower_bound(const Fabric&, const Request&);

}  // namespace hopsim

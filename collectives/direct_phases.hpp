// Schedules of messages that go straight to where they are needed, far ones first.
#pragma once

#include "collectives/shortest_ways.hpp"

namespace hopsim {

// AllToAll, AllGather (each shard to every other member) and ReduceScatter. In one lane all is posted at once; with
// one a port the next message goes when the one before has left, so that only what is under way takes memory.
Schedule direct_exchange(const Request&, FarFirst::Lanes);
FarFirst::Lanes exchange_lanes(const Request&);  // see paced_exchange
// From the root a block to every member; reversed, a gather.
Schedule direct_scatter(const Request&);
// request.pairs, each over link-disjoint shortest ways, an equal part over each: all there are, or request.paths. The
// choice is greedy among routes that go dimension by dimension.
Schedule direct_permutation(const Request&);
std::vector<Way> disjoint_ways(const ShortestWays&, const Coordinates& from, int target, int most);

}  // namespace hopsim

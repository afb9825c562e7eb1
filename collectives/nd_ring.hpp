// nd_ring's AllGather, for what builds on it: over the axes of a torus or mesh, and, where the row spans slices
// joined by a data-centre network too, first round those.
#pragma once

#include "collectives/algorithm.hpp"

namespace hopsim {

// Where a row over several domains spans whole dimensions, the first of them counts the domains.
bool spans_slices(const Request&);

Schedule nd_ring_gather(const Request&);
// Bytes over the busiest link, and hops within a slice.
ClosedForm nd_ring_gather_form(const Request&);
int nd_ring_chunks(const Request&);

}  // namespace hopsim

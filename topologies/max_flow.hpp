// How much can flow across a fabric.
#pragma once

#include <vector>

#include "sim/fabric.hpp"

namespace hopsim {

// Bytes/s that can flow at once from the chips inside a set to all other chips, over links and switches (max-flow,
// Boykov and Kolmogorov's algorithm in Boost.Graph). `inside` by chip. 0 where one side is empty.
//
// Every chip is a source or a sink, so chips may pass on what they like: it adds nothing to what can cross. Only
// switches are nodes of the flow problem, which keeps it small. On a fabric without switches it is what the links
// that cross can carry.
double max_flow(const Fabric&, const std::vector<bool>& inside);

}  // namespace hopsim

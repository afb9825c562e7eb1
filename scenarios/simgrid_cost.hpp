// About how long SimGrid takes for a plan, before it starts.
//
// Measured, release build, one core of some 2 GHz, per message: 3 us, and 0.055 us for each chip; over several links
// another 0.22 ns x^2, where x is the links of its way times those that may be shared, directly or by way of others:
// SimGrid shares all of these anew whenever a flow begins or ends. Those are the links of the boxes that ways span: a
// row of a torus where ways have one dimension, everything where they turn corners or pass switches. Within a factor
// of 2 or so of what was measured: 0.6 s for an AllReduce over the axes of 4x4x4, 24 s of 8x8x8; a direct AllToAll 7
// s on 4x4x4, 130 s on a twisted 4x4x8; 1.3 s for one axis by axis on 8x8x8.
#pragma once

#include "scenarios/estimate.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/plan.hpp"

namespace hopsim {

// Of whole runs: SimGrid does not fold. Looks at some chips of each schedule: some milliseconds.
double simgrid_seconds(const MachineModel&, const Plan&, const Estimate&);

}  // namespace hopsim

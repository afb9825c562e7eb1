// Refuses a run that would take more memory than there is, before it begins rather than when it is killed.
#pragma once

#include <cstdint>

#include "scenarios/estimate.hpp"
#include "scenarios/trial_runs.hpp"

namespace hopsim {

// `allowed`: bytes; 0: what the system has. Throws InputError: what the run needs, what there is, what would fit.
// Small runs are not held against it. Cost: reads /proc, where the run is not small.
void require_memory(const MachineModel&, const Plan&, const TrialRuns&, const Estimate&, std::uint64_t allowed);

}  // namespace hopsim

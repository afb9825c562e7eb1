// `algorithm: best`: every algorithm that can is run, alone on the machine, and the fastest taken.
#pragma once

#include "collectives/algorithm.hpp"
#include "scenarios/machine.hpp"
#include "sim/program.hpp"

namespace hopsim {

// Costs are what each took, the quickest first. Throws InputError where none can, or where one would take more memory
// than there is.
Choice choose_by_trying(const MachineModel&, const Request&, bool own_chunks);

CollectiveTask collective_task(const Algorithm&, const Request&);

}  // namespace hopsim

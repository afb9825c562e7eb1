// From what a scenario says to what the chips run.
#pragma once

#include "scenarios/plan.hpp"
#include "scenarios/scenario.hpp"

namespace hopsim {

// Throws PlacedError for whatever does not fit the machine: an axis, an algorithm, a line of notation.
Plan build_plan(const Scenario&, const MachineModel&);

}  // namespace hopsim

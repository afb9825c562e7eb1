// What the machine tells algorithms about the fabric beneath a row of chips.
#pragma once

#include "collectives/row.hpp"
#include "collectives/wiring.hpp"
#include "scenarios/machine.hpp"

namespace hopsim {

// O(chips).
Wiring wiring_of(const MachineModel&, const Row&);

}  // namespace hopsim

// A run's result as people read it on a terminal.
#pragma once

#include <string>

#include "scenarios/results.hpp"

namespace hopsim {

std::string report(const RunResult&, const MachineModel&);

}  // namespace hopsim

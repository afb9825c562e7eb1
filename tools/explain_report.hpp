// What `explain` found, as people read it.
#pragma once

#include <string>

#include "scenarios/explain.hpp"

namespace hopsim {

std::string report(const Explanation&, const MachineModel*);  // without a machine: null

}  // namespace hopsim

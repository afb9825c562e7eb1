// Holds a result against what its scenario expects.
#pragma once

#include <vector>

#include "scenarios/expectation.hpp"
#include "scenarios/results.hpp"

namespace hopsim {

// Throws PlacedError for a path that is not in the result, or does not lead to a number.
std::vector<ExpectResult> evaluate(const std::vector<Expectation>&, const RunResult&, const MachineModel&);

}  // namespace hopsim

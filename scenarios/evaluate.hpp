// Holds a result against what its scenario expects.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "scenarios/expectation.hpp"
#include "scenarios/results.hpp"

namespace hopsim {

// Throws PlacedError for a path that is not in the result, or does not lead to a number.
std::vector<ExpectResult> evaluate(const std::vector<Expectation>&, const RunResult&, const MachineModel&);

// The number at a dotted path of a result: "steps.0.time_s". Throws PlacedError as above.
double number_at(const nlohmann::ordered_json& result, const Placed<std::string>& path);
// What it is, by its last name.
QuantityKind kind_of_value(const std::string& path);

}  // namespace hopsim

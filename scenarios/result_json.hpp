// A result as JSON, schema "hopsim.run/1". Times are seconds, sizes bytes, rates bytes a second.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/results.hpp"

namespace hopsim {

// Keys keep their order. But for "cost", equal runs give equal bytes.
nlohmann::ordered_json to_json(const RunResult&, const MachineModel&);

// {reason: "max_events" or "max_time", events, time_s}.
nlohmann::ordered_json stopped_json(const Stopped&);

// {chip, chips, nodes, dimensions, wrap, mesh, links}.
nlohmann::ordered_json machine_json(const MachineModel&);

// What a step's algorithm was chosen from: {"by": "cost model" or "simulation", "algorithms": [{algorithm, cost_s}]}.
nlohmann::ordered_json considered_json(const PlannedStep&);

}  // namespace hopsim

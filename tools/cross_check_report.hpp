// What --cross-check says: every step's time on both engines, their difference, and what it comes from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/cross_check.hpp"
#include "scenarios/results.hpp"

namespace hopsim {

// Steps that are alike share a row, as in the report. REQUIRES: of one plan.
std::string report(const CrossCheck&, const RunResult&);
// Of runs of one step each, a row a run. REQUIRES: one result a check.
std::string report(const std::vector<CrossCheck>&, const std::vector<RunResult>&);

// {agrees, event_s, simgrid_s, difference, allowed_s, explained_s, verdict, steps: [{index, program, event_s, ...,
// verdict, messages, kind}]}.
nlohmann::ordered_json to_json(const CrossCheck&, const RunResult&);

}  // namespace hopsim

// The Sweep of a report (tools/report/README.md).
//
// A point is some 600 bytes of the page. Of more than kMostDrawnPoints the best are told, and as many of the others
// as there is room for, evenly spread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/sweep.hpp"
#include "tools/sweep/points.hpp"
#include "tools/sweep/report.hpp"

namespace hopsim {

constexpr std::size_t kMostDrawnPoints = 5000;

// `result` is as of --json, but for its points.
nlohmann::ordered_json sweep_data(const Sweep&, const std::vector<SweepPoint>&, const Ranking&, const Metric&,
                                  nlohmann::ordered_json result, std::vector<std::string> notes);

}  // namespace hopsim

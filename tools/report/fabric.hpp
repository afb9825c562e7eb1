// The Fabric of a report (tools/report/README.md): a machine's nodes and links, and how busy each link was.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/machine.hpp"
#include "scenarios/results.hpp"

namespace hopsim {

constexpr std::uint32_t kMostDrawnChips = 4096;  // of more there are neither nodes nor links, but their number

// null for a folded run, which knows of no single links, and for one that took no time.
nlohmann::ordered_json fabric_json(const MachineModel&, const RunResult&);

}  // namespace hopsim

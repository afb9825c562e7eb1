// One Player object (tools/report/player_data.hpp says what is in it), from the messages of its step.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/results.hpp"
#include "sim/fabric.hpp"
#include "tools/report/player_replay.hpp"

namespace hopsim {

// Of a collective step. `shown`: by chip, whether its group is. Throws InputError where the data fits no player.
nlohmann::ordered_json player_json(const Fabric&, const Schedule&, const StepResult&, const std::vector<bool>& shown,
                                   const Replayed&);

}  // namespace hopsim

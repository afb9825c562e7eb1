#include "scenarios/simgrid_cost.hpp"
#include "sim/simgrid_engine.hpp"
#include "tools/engines.hpp"

namespace hopsim {
namespace {

constexpr double kPrecision = 1e-5;  // to which SimGrid shares links

}  // namespace

EngineChoice engine_named(const std::string& name, char**) {
  if (name == "event") return {};
  return {name,
          [](const Fabric& fabric, const Overheads& overheads, Recorder* recorder, Activity* activity) {
            return std::make_unique<SimgridEngine>(fabric, overheads, recorder, activity);
          },
          kPrecision,
          /*one_a_process=*/true, simgrid_seconds};
}

}  // namespace hopsim

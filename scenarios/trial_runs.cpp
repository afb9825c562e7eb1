#include "scenarios/trial_runs.hpp"

#include <algorithm>

#include "sim/event_engine.hpp"
#include "topologies/grid.hpp"

namespace hopsim {

TrialRuns::TrialRuns(const MachineModel& machine)
    : machine_(machine),
      folded_(machine.overheads.jitter == Time{} && machine.speeds.empty() ? folded(machine.fabric) : std::nullopt) {}

bool TrialRuns::folds(const PlannedStep& step) const {
  if (!folded_) return false;
  if (!step.collective) return true;
  const auto all = algorithms();
  const auto algorithm =
      std::find_if(all.begin(), all.end(), [&](const Algorithm& a) { return a.name == step.algorithm; });
  return algorithm->folds != nullptr && algorithm->folds(*step.collective);
}

TrialRuns::Ran TrialRuns::run(const Program& program, bool folded) const {
  const Fabric& fabric = folded ? *folded_ : machine_.fabric;
  EventEngine engine(fabric, machine_.overheads);
  Machine chips(fabric, engine, machine_.overheads);
  chips.run(program);
  Ran ran{chips.totals(), {}};
  for (const TaskTotals& t : ran.tasks) ran.end = std::max(ran.end, t.end);
  return ran;
}

}  // namespace hopsim

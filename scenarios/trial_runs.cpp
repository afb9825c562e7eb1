#include "scenarios/trial_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/event_engine.hpp"
#include "topologies/grid.hpp"

namespace hopsim {

bool same_on_all_chips(const PlannedStep& step) {
  if (!step.collective) return true;
  const auto all = algorithms();
  const auto algorithm =
      std::find_if(all.begin(), all.end(), [&](const Algorithm& a) { return a.name == step.algorithm; });
  return algorithm != all.end() && algorithm->folds != nullptr && algorithm->folds(*step.collective);
}

TrialRuns::TrialRuns(const MachineModel& machine)
    : machine_(machine),
      folded_(machine.overheads.jitter == Time{} && machine.speeds.empty() ? machine.graph->folded() : std::nullopt) {
}

std::string TrialRuns::obstacle(const Plan& plan) const {
  const Shape& shape = machine_.shape;
  if (machine_.overheads.jitter > Time{}) return "messages have jitter";
  if (!machine_.speeds.empty()) return "chips differ in speed";
  if (shape.any_twist()) return "the torus is twisted";
  if (!machine_.graph->is_box() && !machine_.fabric().grid()) {
    if (machine_.wires != Wires::grid) return "the fabric is no plain torus";
    return machine_.domains() > 1 ? "the fabric is no plain torus, but slices joined over DCN"
                                  : "the fabric is no plain torus: links are down, or routes stand in tables";
  }
  if (machine_.graph->routes() > 1) return "messages are split over several routes";
  if (shape.fold().chips() == shape.chips()) return "no dimension wraps around";
  if (!folds()) return "links differ";
  const auto step =
      std::find_if_not(plan.steps.begin(), plan.steps.end(), [&](const PlannedStep& s) { return folds(s); });
  if (step == plan.steps.end()) return {};
  return fmt::format("chips do not all do the same in step {} ({}, {})", step->line, step->text, step->algorithm);
}

bool TrialRuns::folds(const PlannedStep& step) const { return folded_ && same_on_all_chips(step); }

TrialRuns::Ran TrialRuns::run(const Program& program, bool folded) const {
  const Fabric& fabric = folded ? *folded_ : machine_.fabric();
  EventEngine engine(fabric, machine_.overheads);
  Machine chips(fabric, engine, machine_.overheads);
  chips.run(program);
  Ran ran{chips.totals(), {}};
  for (const TaskTotals& t : ran.tasks) ran.end = std::max(ran.end, t.end);
  return ran;
}

}  // namespace hopsim

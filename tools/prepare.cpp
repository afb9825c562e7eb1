#include "tools/prepare.hpp"

#include "scenarios/build_plan.hpp"
#include "scenarios/measure.hpp"

namespace hopsim {

void apply_flags(Document& document, const CommonFlags& flags) {
  if (!flags.machine.empty()) replace_machine(document, machine_from_spec(flags.machine));
  if (flags.ideal) apply_set(document, "machine.ideal=true");
  for (const std::string& set : flags.sets) apply_set(document, set);
}

Prepared prepare(const Document& document) {
  Prepared p{.scenario = load_scenario(document), .machine = {}, .plan = {}};
  p.machine = build_machine(p.scenario.machine);
  p.plan = build_plan(p.scenario, p.machine);
  return p;
}

std::vector<perfetto::TraceStep> trace_steps(const Plan& plan) {
  std::vector<perfetto::TraceStep> steps;
  for (const PlannedStep& s : plan.steps)
    steps.push_back({.label = s.text,
                     .algorithm = s.algorithm,
                     .bytes = s.collective ? s.collective->bytes : Bytes{},
                     .collective = s.collective.has_value()});
  return steps;
}

void trace_exposed(perfetto::TraceWriter& trace, const Fabric& fabric, const Activity& activity) {
  for (std::uint32_t c = 0; c < fabric.chips(); ++c)
    for (const Interval& i : exposed_communication(activity, ChipId(c))) trace.exposed(ChipId(c), i.start, i.end);
}

}  // namespace hopsim

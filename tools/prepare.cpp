#include "tools/prepare.hpp"

#include "scenarios/build_plan.hpp"

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

}  // namespace hopsim

// Layers in a scenario's program: what each makes every chip do, step by step, and what it holds.
//
// Lines that differ only in their pass are of the same layers: what they hold counts once.
//
// Errors: PlacedError, at the key to blame; at the step, where the layers need more memory than a chip has. Cost: see
// layer_works.hpp.
#pragma once

#include <string>
#include <vector>

#include "scenarios/layer_step.hpp"
#include "scenarios/layer_works.hpp"
#include "scenarios/plan.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/step_planner.hpp"
#include "sharding/layer.hpp"

namespace hopsim {

class LayerLines {
 public:
  // All must outlive it. Layers, their arrays and bytes go to the plan.
  LayerLines(const Scenario& scenario, const StepPlanner& planner, Plan& plan)
      : scenario_(scenario), planner_(planner), plan_(plan) {}

  std::vector<PlannedWork> add(const LayerCall&, int line);

 private:
  struct Held {
    LayerSpec spec;
    Bytes bytes;
  };

  Layer build(const LayerCall&) const;
  void check_memory(const LayerCall&, const Layer&) const;
  void hold(const Layer&, int line);
  void hold(ArrayRef, const Layer&, const std::string& prefix);

  // Those to overlap: `auto` tries them on one layer.
  LayerWorks::Pairs overlapped(LayerWorks&, const Layer&, const LayerCall&) const;
  const MachineModel& machine() const { return planner_.machine(); }

  const Scenario& scenario_;
  const StepPlanner& planner_;
  Plan& plan_;
  std::vector<Held> held_;  // of different layers
};

}  // namespace hopsim

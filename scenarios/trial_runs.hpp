// Short simulations by which plans are compared: on the folded fabric where that takes the same time.
#pragma once

#include <optional>
#include <span>

#include "scenarios/machine.hpp"
#include "scenarios/plan.hpp"
#include "sim/fabric.hpp"
#include "sim/machine.hpp"

namespace hopsim {

class TrialRuns {
 public:
  // The machine must outlive it.
  explicit TrialRuns(const MachineModel&);

  // Whether every chip does the same in such a step, seen from where it is.
  bool folds(const PlannedStep&) const;
  // Whether what runs all chips alike may be run on one of them.
  bool folds() const { return folded_.has_value(); }

  struct Ran {
    std::vector<TaskTotals> tasks;
    Time end;
  };
  Ran run(const Program&, bool folded) const;

 private:
  const MachineModel& machine_;
  const std::optional<Fabric> folded_;  // where all chips are alike
};

}  // namespace hopsim

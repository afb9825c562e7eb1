// Whether one chip may stand for all that symmetry makes alike; and short simulations, folded where that is so, by
// which plans are compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/machine.hpp"
#include "scenarios/plan.hpp"
#include "sim/fabric.hpp"
#include "sim/machine.hpp"

namespace hopsim {

// Whether, on a machine whose chips are all alike, every chip does the same in such a step, seen from where it is.
bool same_on_all_chips(const PlannedStep&);

class TrialRuns {
 public:
  // The machine must outlive it.
  explicit TrialRuns(const MachineModel&);

  // Whether every chip does the same in such a step, seen from where it is.
  bool folds(const PlannedStep&) const;
  // Whether what runs all chips alike may be run on one of them.
  bool folds() const { return folded_.has_value(); }
  // What breaks the symmetry, of the machine or of a step of the plan; empty: nothing.
  std::string obstacle(const Plan&) const;
  const Fabric& folded() const { return *folded_; }  // REQUIRES: folds()

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

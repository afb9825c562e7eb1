// The planner's strategies on a machine: each costed by closed form and by simulation, and the fastest that fits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/step_planner.hpp"
#include "sharding/planner.hpp"

namespace hopsim {

struct CostedStrategy {
  Strategy strategy;
  // Simulated, each alone: all communication, one step after the other; the product, the larger of flops and hbm.
  Time comm, math;
  Time flops, hbm;   // of the product
  Time time;         // simulated: all steps, one after the other
  Time closed_form;  // the sum of its steps'
  bool fits = true;  // the memory allowed
  Time bound() const { return comm > math ? comm : math; }
};

struct StrategyPlan {
  std::vector<CostedStrategy> strategies;  // as asked first, by time; then the alternatives
  std::size_t chosen = 0;                  // among them: the fastest that is as asked and fits; else the fastest
  bool chosen_fits = true;
  std::size_t considered = 0;  // strategies looked at; those slower by their bounds are not simulated

  const CostedStrategy& best() const { return strategies[chosen]; }
};

enum class PlanKind {
  automatic,
  gather,
  partial
};  // gather: plain, without partial sums, and where there is such a way
    // without gathering the output; partial: plain, with

struct PlanOptions {
  CollectiveOptions collectives{};
  PlanKind kind = PlanKind::automatic;
  std::optional<Bytes> memory{};  // a chip's; none: what the machine has
  bool must_fit = false;          // else what does not fit is still answered
  bool free_operands = false;     // their shardings are to be found as well
};

// Throws InputError where nothing of the kind asked for exists, and where nothing fits and it must.
StrategyPlan plan_product(const MachineModel&, const Product&, const PlanOptions&);
StrategyPlan plan_resharding(const MachineModel&, const ArrayRef& from, const ArrayRef& to, const PlanOptions&);

}  // namespace hopsim

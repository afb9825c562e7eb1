// Of the planner's ways to carry out a product the one that is fastest with a product and a collective overlapped.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/collective_matmul.hpp"
#include "scenarios/product_plan.hpp"

namespace hopsim {

struct OverlappedPlan {
  std::size_t strategy = 0;       // among those of the plan
  std::vector<PlannedWork> work;  // all its steps, the pair as one
  Time time;                      // simulated, alone
};

// None where no strategy that is as asked, and fits, has an AllGather before its product or a sum behind it. Where
// the chunks or the algorithm asked for fit none of them: none, or with `must` InputError.
std::optional<OverlappedPlan> plan_overlapped(const StepPlanner&, const StrategyPlan&, const CollectiveOptions&,
                                              bool must);

}  // namespace hopsim

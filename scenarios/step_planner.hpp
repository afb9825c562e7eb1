// Single steps made definite for a machine: which algorithm, what it takes by formula, what no schedule can beat.
// Used by scenarios (build_plan), by the planner's costs and by `explain`.
//
// Errors: InputError; whoever knows the place adds it.
#pragma once

#include <optional>
#include <string>

#include "scenarios/plan.hpp"
#include "scenarios/row_finder.hpp"
#include "sharding/strategy.hpp"

namespace hopsim {

struct CollectiveOptions {
  std::string algorithm = "auto";
  std::optional<int> chunks{};  // none: the algorithm's own
  bool book = false;            // see Request
};

// Of a step that the planner chose: the book's schedule where it has one, along one dimension or round a 2x2 block.
CollectiveOptions planned_options(CollectiveOptions, const Request&);

Operation operation_of(CollectiveKind);  // REQUIRES: not a Slice

template <class Work>
struct PlannedTask {
  PlannedStep step;
  Work task;
};

class StepPlanner {
 public:
  explicit StepPlanner(const MachineModel& machine) : machine_(machine) {}

  // REQUIRES: not a Slice.
  Request request(const ResolvedCollective&) const;
  // The algorithm is chosen, `request.wiring` and `book` filled in.
  PlannedTask<CollectiveTask> collective(Request, const CollectiveOptions&) const;
  // That of a line or a strategy, with its text, axes and output.
  PlannedTask<CollectiveTask> collective(const ResolvedCollective&, const CollectiveOptions&) const;

  ComputeCost compute_cost(Flops, Bytes, DType) const;
  PlannedTask<ComputeTask> compute(Flops, ComputeCost, DType) const;
  PlannedTask<ComputeTask> product(const LocalProduct&) const;

  const MachineModel& machine() const { return machine_; }

 private:
  Time bound(const Request&) const;

  const MachineModel& machine_;
  RowFinder rows_{machine_};
};

}  // namespace hopsim

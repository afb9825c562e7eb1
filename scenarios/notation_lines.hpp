// The lines of notation in a scenario's program: what each makes every chip do, and the arrays it defines.
//
//   A[I_X, J]                      declares an array: free
//   B[I_X, J] = Slice_X(A[I, J])   free
//   A[I, J] = AllGather_X(...)     one collective
//   H[B, F_X] = gelu(M[B, F_X])    every chip on its own blocks, as fast as its HBM
//   C[I, K] = A[I, J_X] * B[J_X, K], A[I_X] -> A[I]   the planner's strategy, step by step
//
// A product leaves its operands as they were defined; copies it gathers or slices count as memory only.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/plan.hpp"
#include "scenarios/product_plan.hpp"
#include "scenarios/program.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/step_planner.hpp"
#include "sharding/collective_step.hpp"

namespace hopsim {

// "34.36 GB a chip, which has 16 GB of memory"
std::string too_much(Bytes needed, Bytes capacity);

class NotationLines {
 public:
  // All must outlive it. Arrays, planned lines and warnings go to the plan.
  NotationLines(const Scenario&, const StepPlanner&, Plan&);

  // Each after the one before. Throws PlacedError.
  std::vector<PlannedWork> add(const NotationStep&, int line);
  // Whether some line did not fit a chip's memory; the plan has a warning of each.
  bool too_large() const { return too_large_; }

 private:
  struct Line {
    const NotationStep& step;
    int number;
    std::string text;  // as printed
    std::vector<PlannedWork> work;

    // After what the line has so far.
    template <class Work>
    void push(PlannedTask<Work> task) {
      std::vector<std::uint32_t> after;
      if (!work.empty()) after.push_back(static_cast<std::uint32_t>(work.size() - 1));
      work.push_back({std::move(task.step), std::move(task.task), std::move(after)});
    }
  };

  void add(Line&, const Declaration&);
  void add(Line&, const Collective&);
  void add(Line&, const Elementwise&);
  void add(Line&, const Matmul&);
  void add(Line&, const Reshard&);

  void add_collective(Line&, const ResolvedCollective&, std::string text, bool planned);
  bool add_overlapped(Line&, const StrategyPlan&, const Product&);
  void finish_strategy(Line&, const StrategyPlan&, std::size_t chosen, std::variant<Product, ArrayRef> of);
  void add_strategy(Line&, const StrategyPlan&, std::variant<Product, ArrayRef> of);
  void warn_of_size(const Line&, const Strategy&);
  // An array that a line before declared or made is there in the shardings it had then; another one takes a step.
  void use(Line&, const ArrayRef&);
  void make(Line&, const ArrayRef&);  // for later lines to use
  void hold(Line&, const ArrayRef&);  // as memory
  void hold(Line&, const StrategyStep&);
  void define(Line&, const ArrayRef&);  // what its bare name is
  ArrayContext context() const;
  const MachineModel& machine() const { return planner_.machine(); }

  const Scenario& scenario_;
  const StepPlanner& planner_;
  Plan& plan_;
  Sizes sizes_;
  Arrays arrays_;
  struct Made {
    std::vector<std::string> dimensions, shardings;
    int line = 0;  // the last
  };
  std::map<std::string, Made> made_;
  std::set<std::string> summed_later_;  // names whose partial sums a later line adds up: not the product's to do
  bool too_large_ = false;
};

}  // namespace hopsim

#include "scenarios/overlapped_plan.hpp"

#include <exception>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {
namespace {

void append(std::vector<PlannedWork>& all, std::vector<PlannedWork> more) {
  const auto first = static_cast<std::uint32_t>(all.size());
  for (PlannedWork& w : more) {
    for (std::uint32_t& i : w.after) i += first;
    if (w.after.empty() && first > 0) w.after = {first - 1};
    all.push_back(std::move(w));
  }
}

template <class Work>
std::vector<PlannedWork> one(PlannedTask<Work> task) {
  return {PlannedWork{std::move(task.step), std::move(task.task)}};
}

std::vector<PlannedWork> work_of(const StepPlanner& planner, const CollectiveMatmuls& matmuls, const Strategy& s,
                                 StrategyPair pair, const CollectiveOptions& options) {
  std::vector<PlannedWork> work;
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const auto* c = std::get_if<ResolvedCollective>(&s.steps[i]);
    if (i == std::max(pair.product, pair.collective)) {
      append(work, matmuls.overlapped({std::get<LocalProduct>(s.steps[pair.product]),
                                       std::get<ResolvedCollective>(s.steps[pair.collective])},
                                      options));
    } else if (i == pair.product || i == pair.collective) {
      continue;
    } else if (c == nullptr) {
      append(work, one(planner.product(std::get<LocalProduct>(s.steps[i]))));
    } else if (moves_data(*c)) {
      CollectiveOptions alone = options;
      alone.chunks.reset();
      append(work, one(planner.collective(*c, planned_options(alone, planner.request(*c)))));
    }
  }
  return work;
}

}  // namespace

std::optional<OverlappedPlan> plan_overlapped(const StepPlanner& planner, const StrategyPlan& plan,
                                              const CollectiveOptions& options, bool must) {
  const CollectiveMatmuls matmuls(planner);
  std::optional<OverlappedPlan> best;
  std::exception_ptr obstacle;
  for (std::size_t k = 0; k < plan.strategies.size(); ++k) {
    const CostedStrategy& s = plan.strategies[k];
    if (!s.strategy.as_asked || !s.fits || (best && s.math >= best->time)) continue;
    for (const StrategyPair pair : pairs_of(s.strategy)) try {
        OverlappedPlan next{k, work_of(planner, matmuls, s.strategy, pair, options), {}};
        next.time = matmuls.time(next.work);
        if (!best || next.time < best->time) best = std::move(next);
      } catch (const InputError&) {
        obstacle = std::current_exception();
      }
  }
  if (!best && obstacle && must) std::rethrow_exception(obstacle);
  return best;
}

}  // namespace hopsim

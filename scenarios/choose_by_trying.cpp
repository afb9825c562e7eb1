#include "scenarios/choose_by_trying.hpp"

#include <algorithm>

#include "scenarios/estimate.hpp"
#include "scenarios/require_memory.hpp"
#include "scenarios/trial_runs.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

// On one chip for all where they do the same.
Time time_alone(const MachineModel& m, const TrialRuns& trials, const Algorithm& algorithm, const Request& request) {
  Plan plan;
  PlannedStep& step = plan.steps.emplace_back();
  step.algorithm = algorithm.name;
  step.collective = request;
  plan.program.push_back({.work = collective_task(algorithm, request), .after = {}});
  const bool folded = trials.folds(step);
  try {
    require_memory(m, plan, trials, estimate(m, plan, folded), 0);
  } catch (const InputError& e) {
    throw InputError("trying algorithm " + std::string(algorithm.name) + ": " + e.what());
  }
  const TaskTotals ran = trials.run(plan.program, folded).tasks.front();
  return ran.end - ran.start;
}

}  // namespace

CollectiveTask collective_task(const Algorithm& algorithm, const Request& r) {
  std::vector<bool> takes_part(static_cast<std::size_t>(r.size()), r.pairs.empty());
  for (const auto& [from, to] : r.pairs)
    if (from != to) takes_part[static_cast<std::size_t>(from)] = takes_part[static_cast<std::size_t>(to)] = true;
  const auto member = [row = r.row, takes_part = std::move(takes_part)](const Coordinates& at) {
    const int p = row->position(at);
    return p >= 0 && takes_part[static_cast<std::size_t>(p)];
  };
  return {std::make_shared<const Schedule>(algorithm.schedule(r)), member};
}

Choice choose_by_trying(const MachineModel& machine, const Request& request, bool own_chunks) {
  const TrialRuns trials(machine);
  Choice best;
  for (const Algorithm* a : able_algorithms(request)) {
    Request r = request;
    if (own_chunks) r.chunks = a->own_chunks ? a->own_chunks(r) : 1;
    const Time time = time_alone(machine, trials, *a, r);
    if (best.algorithm == nullptr || time < best.costs.front().time) {
      best.algorithm = a;
      best.chunks = r.chunks;
    }
    best.costs.push_back({a, time});
    std::stable_sort(best.costs.begin(), best.costs.end(),
                     [](const Cost& x, const Cost& y) { return x.time < y.time; });
  }
  if (best.algorithm == nullptr)
    throw InputError("no algorithm does " + std::string(name(request.operation)) + " here");
  return best;
}

}  // namespace hopsim

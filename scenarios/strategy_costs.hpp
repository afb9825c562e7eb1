// What strategies cost on a machine: by closed form, which ranks them, and simulated.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/product_plan.hpp"
#include "scenarios/step_planner.hpp"
#include "scenarios/trial_runs.hpp"

namespace hopsim {

class StrategyCosts final : public StepCosts {
 public:
  // The machine must outlive it.
  StrategyCosts(const MachineModel&, CollectiveOptions);

  // Closed form and overheads of the algorithm; kImpossible where the one asked for cannot do it.
  Time collective(const ResolvedCollective&) const override;
  Time product(const LocalProduct&) const override;
  static constexpr Time kImpossible = Time::picoseconds(std::uint64_t{1} << 58);

  // Times by closed form and bounds only; no simulation.
  CostedStrategy by_formula(const Strategy&);
  // No time of the strategy can be below, but for what the skew between chips lets steps overlap.
  Time lower_bound(const Strategy&);
  // Fills in what takes a simulation.
  void simulate(CostedStrategy&);

 private:
  struct Collective {
    PlannedTask<CollectiveTask> planned;
    Time alone;            // simulated; on the slowest chip
    bool uniform = false;  // every chip ends at that instant
    bool simulated = false;
  };
  using Key = std::tuple<CollectiveKind, std::vector<std::string>, std::uint64_t>;

  Request request(const ResolvedCollective&) const;
  Collective& known(const ResolvedCollective&);
  void simulate(Collective&);
  std::vector<Collective*> collectives(const Strategy&);

  const MachineModel& machine_;
  const StepPlanner steps_;
  const CollectiveOptions options_;
  mutable std::map<std::vector<std::string>, Request> rows_;  // rows and wiring, by axes
  std::map<Key, Collective> collectives_;
  const TrialRuns trials_;
};

}  // namespace hopsim

// A layer's steps as tasks of a machine.
//
// Steps that take nothing (fused elementwise ones, collectives within one chip) make no task. Collectives of the same
// kind, axes and bytes are planned once and share their schedule.
//
// A product directly behind an AllGather that feeds it, or directly before the sum of what it makes, is a pair that
// can be overlapped (scenarios/collective_matmul.hpp). What comes after an overlapped AllGather or ReduceScatter
// waits for both. `chunks` are then those of the pairs.
//
// Errors: InputError. Cost: of pairs without `chunks`, a few trial runs each; of a layer, some 20 small tasks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/collective_matmul.hpp"
#include "scenarios/plan.hpp"
#include "scenarios/step_fields.hpp"
#include "scenarios/step_planner.hpp"
#include "sharding/layer.hpp"

namespace hopsim {

class LayerWorks {
 public:
  using Pairs = std::set<std::string>;  // by their lines

  // The planner must outlive it.
  LayerWorks(const StepPlanner&, const StepOptions&);

  static Pairs pairs(const Layer&);  // all
  // Those that make it faster, tried one after the other. Cost: a trial run of the layer each.
  Pairs faster_pairs(const Layer&);

  std::vector<PlannedWork> works(const Layer&, const Pairs& overlapped);

 private:
  using Ends =
      std::vector<std::vector<std::uint32_t>>;  // of each step: its tasks, or those before it where it has none

  // Nothing, where the step takes no time.
  std::optional<PlannedWork> work_of(const LayerStep&, const LayerSpec&);
  PlannedWork collective(const ResolvedCollective&);
  PlannedWork elementwise(const LayerElementwise&, DType) const;
  void add_pair(const std::vector<LayerStep>&, std::size_t first, std::vector<PlannedWork>&, Ends&);
  const std::vector<PlannedWork>& overlapped(const OverlappedPair&, const std::string& key);

  const StepPlanner& planner_;
  CollectiveOptions alone_, paired_;  // of collectives by themselves, and of overlapped ones
  CollectiveMatmuls matmuls_;
  std::map<std::tuple<CollectiveKind, std::vector<std::string>, Bytes>, PlannedTask<CollectiveTask>> collectives_;
  std::map<std::string, std::vector<PlannedWork>> overlapped_;
};

}  // namespace hopsim

// Products overlapped with the collective before or behind them ("collective matmul"), made definite.
//
//   AllGather-matmul       what is here is multiplied while the next chunk travels
//   matmul-ReduceScatter   a chunk's partial sum travels while the next is multiplied
//   matmul-AllReduce       in chunks of the output's rows (all dimensions but the last: the batch), one is summed
//                          while the next is multiplied
//
// The first two follow the schedule of the collective, whatever it is (both ways round a ring by default, several
// axes at once, a line): one task of links and compute unit together. `chunks` counts per shard; the third is a row
// of products and a row of AllReduces, `chunks` of each, the AllReduces one after the other.
//
// Every chunk is a product of its own: it takes its share of the FLOPs and of the memory traffic of the arrays that
// are cut, and reads the others again (an output that is added to is read and written). So small chunks are bound by
// HBM. What small products lose otherwise, `loop_overhead` of the machine may stand for. Source: Wang et al.,
// "Overlap Communication with Dependent Computation via Decomposition in Large Deep Learning Models", ASPLOS 2023;
// "How to Scale Your Model", chapters 3 and 10.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scenarios/product_plan.hpp"
#include "scenarios/step_planner.hpp"
#include "scenarios/trial_runs.hpp"

namespace hopsim {

enum class Overlap : std::uint8_t {
  none,
  collective_matmul,
  automatic,  // where it is faster
};

// A product and the collective it is overlapped with.
struct OverlappedPair {
  LocalProduct product;
  ResolvedCollective collective;

  bool gathers() const { return collective.kind == CollectiveKind::all_gather; }
};

// Whether one feeds the other: an AllGather an operand, or the product a ReduceScatter or AllReduce.
bool can_overlap(const OverlappedPair&);

class CollectiveMatmuls {
 public:
  // The planner must outlive it.
  explicit CollectiveMatmuls(const StepPlanner& planner) : planner_(planner), trials_(planner.machine()) {}

  // Overlapped, with `options.chunks` chunks, or as many of 1, 2, 4, ... 64 as are fastest, alone: the first that is
  // not faster than the one before ends the search, and so does a trial of over half a million messages; on switches
  // round a ring unless told. Throws InputError for more chunks than there are rows to cut, and for an algorithm that
  // does not pass every chunk through every chip once. REQUIRES: can_overlap.
  std::vector<PlannedWork> overlapped(const OverlappedPair&, const CollectiveOptions& options) const;
  // One after the other.
  std::vector<PlannedWork> in_turn(const OverlappedPair&, const CollectiveOptions& options) const;

  // Of works that start together on all chips; simulated.
  Time time(const std::vector<PlannedWork>&) const;

 private:
  bool folds(const std::vector<PlannedWork>&) const;
  std::uint64_t messages(const std::vector<PlannedWork>&) const;
  PlannedWork fused(const OverlappedPair&, const CollectiveOptions&) const;
  std::vector<PlannedWork> reduced_in_chunks(const OverlappedPair&, const CollectiveOptions&) const;
  PlannedTask<CollectiveTask> collective(const ResolvedCollective&, CollectiveOptions) const;

  const StepPlanner& planner_;
  const TrialRuns trials_;
};

// Of a strategy's steps the pairs that can be overlapped: by the position of the product and of the collective.
struct StrategyPair {
  std::size_t product, collective;
};
std::vector<StrategyPair> pairs_of(const Strategy&);

}  // namespace hopsim

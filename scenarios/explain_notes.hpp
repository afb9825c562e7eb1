// What `explain` tells of a strategy beside its times: its communication in symbols and bytes, and when it is bound
// by computation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/explain.hpp"

namespace hopsim {

// What is known of the sizes of a line.
struct KnownSizes {
  Sizes sizes;                       // without those that stand in for missing ones
  std::vector<std::string> missing;  // dimensions
};

class ExplainNotes {
 public:
  // Without a machine only what symbols say.
  ExplainNotes(const MachineModel*, bool book, KnownSizes);

  CommunicationNote communication(const ResolvedCollective&);
  std::vector<CommunicationNote> communication(const Strategy&);
  // `order`: of dimensions, by which is told first. REQUIRES: the strategy has a product.
  ComputeBound compute_bound(const Strategy&, const std::vector<std::string>& order);
  // What the graph allows the collectives of the strategy, one after the other.
  Time lower_bound(const Strategy&);
  // The data flow of every collective of the strategy. Throws ProofFailed.
  void prove_data_flow(const Strategy&);

 private:
  const PlannedTask<CollectiveTask>& planned(const ResolvedCollective&);
  WireRule rule(const ResolvedCollective&) const;
  Terms cost(const ResolvedCollective&);
  std::optional<Threshold> along_axis(const LocalProduct&, const std::vector<const ResolvedCollective*>&,
                                      const Terms& work, const Terms& cost);

  const MachineModel* machine_;
  bool book_;
  KnownSizes known_;
  std::optional<StepPlanner> planner_;
  std::map<std::tuple<CollectiveKind, std::vector<std::string>, std::uint64_t>, PlannedTask<CollectiveTask>> planned_;
};

// Only the order of strategies without a machine is theirs: the book's formulas on a v5p's numbers.
class BookCosts : public StepCosts {
 public:
  Time collective(const ResolvedCollective&) const override;
  Time product(const LocalProduct&) const override;
};

// The product of a strategy that has one, and all but its slices.
const LocalProduct* product_of(const Strategy&);
std::vector<const ResolvedCollective*> moves_of(const Strategy&);

}  // namespace hopsim

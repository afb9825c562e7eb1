// All shardings of one array on a mesh, the moves between them, and the cheapest ways along these. Inside of
// sharding/ only.
//
// Moves: Slice, free; AllGather of the last axes of one or more dimensions; AllToAll of the last axes of a dimension
// to the end of another; AllReduce and ReduceScatter over some axes of the partial sums.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sharding/strategy.hpp"

namespace hopsim {

// Axes as positions in the mesh.
struct Sharding {
  using Axes = std::vector<std::uint8_t>;
  std::vector<Axes> dimensions;  // outermost split first
  Axes unreduced;                // ascending

  friend auto operator<=>(const Sharding&, const Sharding&) = default;
};

std::uint64_t ways_of(const Sharding::Axes&, const Mesh&);  // chips along them together
Sharding sharding_of(const ArrayRef&, const Mesh&);
ArrayRef with_sharding(ArrayRef, const Sharding&, const Mesh&);

// Prefer the quickest way, or the one of the fewest moves.
enum class Preference : std::uint8_t { time, moves };

class ShardingGraph {
 public:
  // Of a sized array. `axes`: those that moves may use. With `sums`, also the shardings with partial sums.
  ShardingGraph(const ArrayRef& array, const Sharding::Axes& axes, bool sums, const Mesh&, const StepCosts&);

  const std::vector<Sharding>& shardings() const { return shardings_; }
  std::size_t index(const Sharding&) const;  // REQUIRES: it is one of them

  struct Cost {
    Time time;
    std::uint32_t moves = 0;
    bool reachable = false;
  };
  // The cheapest ways from one sharding to all, or to the nearest of some from all.
  class Ways {
   public:
    const Cost& cost(std::size_t sharding) const { return cost_[sharding]; }
    // The moves between the fixed end and this sharding, in order.
    std::vector<StrategyStep> steps(std::size_t sharding) const;

   private:
    friend class ShardingGraph;
    const ShardingGraph* graph_ = nullptr;
    bool backwards_ = false;
    std::vector<Cost> cost_;
    std::vector<std::int32_t> move_;  // by sharding: the one next to it on its way, or -1
  };
  Ways from(std::size_t sharding, Preference) const;
  Ways to(const std::vector<std::size_t>& targets, Preference) const;

  // Whether this ReduceScatter is among the moves (its blocks line up).
  bool has_move(const Sharding& from, CollectiveKind, const Sharding::Axes&, std::size_t dimension) const;
  // One move by itself: the array after it, checked as a line of notation is.
  StrategyStep step(const Sharding& from, CollectiveKind, const Sharding::Axes&,
                    std::optional<std::size_t> dimension) const;

 private:
  struct Move {
    std::uint32_t from = 0, to = 0;
    CollectiveKind kind{};
    Sharding::Axes axes;
    std::int8_t dimension = -1;
    Time time;
  };
  class Builder;

  Ways search(const std::vector<std::size_t>& ends, bool backwards, Preference) const;

  ArrayRef array_;
  const Mesh& mesh_;
  std::vector<Sharding> shardings_;
  std::map<Sharding, std::uint32_t> index_;
  std::vector<Move> moves_;
};

}  // namespace hopsim

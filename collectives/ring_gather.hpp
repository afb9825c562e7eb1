// What ring, bidirectional_ring and line share: an AllGather along a row in one or both directions, shards stored and
// forwarded whole or in chunks; and ReduceScatter, its reversal.
#pragma once

#include <array>

#include "collectives/algorithm.hpp"

namespace hopsim {

// One way round a row: shards travel up to `reach` hops, passage i being a shard's i-th stop.
class RingGather final : public Phase {
 public:
  enum class LastHop { whole, first_half, second_half };  // what of the chunk the hop number `reach` carries
  struct Atoms {
    std::uint32_t per_shard, first, count;              // this lane's chunk within each shard
    std::array<std::uint32_t, kMaxDimensions> outer{};  // how far it moves with the coordinates of other dimensions
  };
  RingGather(RowPtr row, int direction, int reach, Atoms atoms, LastHop last = LastHop::whole)
      : row_(std::move(row)),
        size_(row_->size()),
        direction_(direction),
        reach_(reach),
        wraps_(row_->wraps()),
        atoms_(atoms),
        last_(last) {}

  int length(const Coordinates&) const override;
  Passage passage(const Coordinates&, int i) const override;
  int alike(const Coordinates&, int i, int way) const override;

 private:
  int behind(int position) const;  // shards that come by
  bool has_next(int position) const;
  Chunk chunk(const Coordinates& at, int position, int distance, int hop) const;

  RowPtr row_;
  int size_, direction_, reach_;
  bool wraps_;
  Atoms atoms_;
  LastHop last_;
};

// The schedule of an AllGather from one lane a direction and chunk; turned into `operation` by the algebra.
struct Direction {
  int sign = 1;
  int reach = 0;
  RingGather::LastHop last = RingGather::LastHop::whole;
};
// `halves`: 2 where the last hop of a direction is halved.
Schedule gather_schedule(const Request&, std::uint32_t halves, const std::vector<Direction>&);

// AllGather as it is; ReduceScatter reversed; AllReduce the second, then the first, where `directions` lanes of a
// chunk wait for one another in between: a sum is whole once it has come from all sides.
Schedule gather_based(Operation, Schedule gather, int directions);

// Of all that runs along a row: the operation, and more chunks than a block has bytes.
std::string row_obstacle(std::string_view algorithm, const Request&);

}  // namespace hopsim

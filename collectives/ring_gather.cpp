#include "collectives/ring_gather.hpp"

#include <algorithm>

namespace hopsim {

int RingGather::behind(int position) const {
  if (row_->wraps()) return reach_;
  return std::min(reach_, direction_ > 0 ? position : row_->size() - 1 - position);
}

bool RingGather::has_next(int position) const {
  return row_->wraps() || (direction_ > 0 ? position < row_->size() - 1 : position > 0);
}

int RingGather::length(const Coordinates& at) const {
  const int position = row_->position(at);
  return position < 0 ? 0 : behind(position) + 1;
}

Passage RingGather::passage(const Coordinates& at, int i) const {
  const int position = row_->position(at);
  Passage p;
  if (i > 0) p.in = {.peer = row_->way(at, -direction_), .chunk = chunk(position, i, i), .channel = 0, .times = 1};
  if (i < reach_ && has_next(position))
    p.out = {.peer = row_->way(at, direction_), .chunk = chunk(position, i, i + 1), .channel = 0, .times = 1};
  return p;
}

// 1 .. last: take one in, pass it on. The first has nothing to take; the last nothing, or only half, to pass on.
int RingGather::alike(const Coordinates& at, int i, int way) const {
  const int last = behind(row_->position(at)) - (last_ == LastHop::whole ? 1 : 2);
  if (i < 1 || i > last) return 1;
  return way > 0 ? last - i + 1 : i;
}

Chunk RingGather::chunk(int position, int distance, int hop) const {
  const int n = row_->size();
  const int owner = ((position - direction_ * distance) % n + n) % n;
  const std::uint32_t first = static_cast<std::uint32_t>(owner) * atoms_.per_shard + atoms_.first;
  if (last_ == LastHop::whole || hop < reach_) return {first, atoms_.count};
  const std::uint32_t half = atoms_.count / 2;
  return {last_ == LastHop::first_half ? first : first + half, half};
}

std::string gather_obstacle(std::string_view algorithm, const Request& r) {
  if (r.operation != Operation::all_gather && r.operation != Operation::reduce_scatter)
    return std::string(algorithm) + " does all_gather and reduce_scatter, not " + std::string(name(r.operation));
  const std::uint64_t shard = (r.bytes.count() + static_cast<std::uint64_t>(r.row->size()) - 1) /
                              static_cast<std::uint64_t>(r.row->size());
  if (static_cast<std::uint64_t>(r.chunks) > shard)
    return std::to_string(r.chunks) + " chunks of a shard of " + std::to_string(shard) + " B; valid: 1 to " + std::to_string(shard);
  return {};
}

}  // namespace hopsim

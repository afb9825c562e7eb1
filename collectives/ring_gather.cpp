#include "collectives/ring_gather.hpp"

#include <algorithm>

namespace hopsim {

int RingGather::behind(int position) const {
  if (wraps_) return reach_;
  return std::min(reach_, direction_ > 0 ? position : size_ - 1 - position);
}

bool RingGather::has_next(int position) const {
  return wraps_ || (direction_ > 0 ? position < size_ - 1 : position > 0);
}

int RingGather::length(const Coordinates& at) const {
  const int position = row_->position(at);
  return position < 0 ? 0 : behind(position) + 1;
}

Passage RingGather::passage(const Coordinates& at, int i) const {
  const int position = row_->position(at);
  Passage p;
  if (i > 0)
    p.in = {.peer = row_->way(at, -direction_), .chunk = chunk(at, position, i, i), .channel = 0, .times = 1};
  if (i < reach_ && has_next(position))
    p.out = {.peer = row_->way(at, direction_), .chunk = chunk(at, position, i, i + 1), .channel = 0, .times = 1};
  return p;
}

// 1 .. last: take one in, pass it on. The first has nothing to take; the last nothing, or only half, to pass on.
int RingGather::alike(const Coordinates& at, int i, int way) const {
  const int last = behind(row_->position(at)) - (last_ == LastHop::whole ? 1 : 2);
  if (i < 1 || i > last) return 1;
  return way > 0 ? last - i + 1 : i;
}

Chunk RingGather::chunk(const Coordinates& at, int position, int distance, int hop) const {
  int owner = position - direction_ * distance;  // less than once round
  if (owner < 0) owner += size_;
  if (owner >= size_) owner -= size_;
  std::uint32_t first = static_cast<std::uint32_t>(owner) * atoms_.per_shard + atoms_.first;
  for (std::size_t d = 0; d < atoms_.outer.size(); ++d) first += static_cast<std::uint32_t>(at[d]) * atoms_.outer[d];
  if (last_ == LastHop::whole || hop < reach_) return {first, atoms_.count};
  const std::uint32_t half = atoms_.count / 2;
  return {last_ == LastHop::first_half ? first : first + half, half};
}

Schedule gather_schedule(const Request& r, std::uint32_t halves, const std::vector<Direction>& directions) {
  const auto n = static_cast<std::uint32_t>(r.row->size());
  const std::uint32_t per_shard = halves * static_cast<std::uint32_t>(r.chunks);
  Schedule s;
  s.atoms = per_shard * n;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = per_shard, .atom = atom});
  for (int c = 0; c < r.chunks; ++c)
    for (const Direction& d : directions) {
      if (d.reach == 0) continue;
      const RingGather::Atoms atoms{
          .per_shard = per_shard, .first = halves * static_cast<std::uint32_t>(c), .count = halves};
      s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = d.sign > 0 ? 0u : 1u});
      s.add(s.lanes.size() - 1, std::make_shared<RingGather>(r.row, d.sign, d.reach, atoms, d.last));
    }
  return s;
}

Schedule gather_based(Operation operation, Schedule gather, int directions) {
  if (operation == Operation::all_gather) return gather;
  if (operation == Operation::reduce_scatter) return reversed(std::move(gather));
  return then(reversed(gather), gather, directions);
}

namespace {
constexpr int kMostChunks = 1024;  // each is a lane or two, and lanes are numbered in 12 bits
}

std::string row_obstacle(std::string_view algorithm, const Request& r) {
  const auto n = static_cast<std::uint64_t>(r.row->size());
  std::uint64_t blocks = n;
  switch (r.operation) {
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::all_reduce:
      break;
    case Operation::all_to_all:
      if (!r.row->straight()) return std::string(algorithm) + " does all_to_all along one dimension only";
      blocks = n * n;
      break;
    default:
      return std::string(algorithm) + " does all_gather, reduce_scatter, all_reduce and all_to_all, not " +
             std::string(name(r.operation));
  }
  if (r.chunks > kMostChunks)
    return std::to_string(r.chunks) + " chunks are too many; valid: 1 to " + std::to_string(kMostChunks);
  const std::uint64_t block = (r.bytes.count() + blocks - 1) / blocks;
  if (static_cast<std::uint64_t>(r.chunks) > block)
    return std::to_string(r.chunks) + " chunks of a block of " + std::to_string(block) + " B; valid: 1 to " +
           std::to_string(block);
  return {};
}

}  // namespace hopsim

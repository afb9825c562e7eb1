#include "collectives/direct_phases.hpp"

#include <utility>

namespace hopsim {
namespace {

using FarFirstPtr = std::shared_ptr<const FarFirst>;

// Atoms of a block, or of a shard: `parts` a chunk.
struct Cut {
  std::uint32_t per_block, first, parts;

  Chunk of(std::uint32_t block, const Way& w) const {
    const std::uint32_t count = parts / w.of;
    return {block * per_block + first + w.nth * count, count};
  }
};

class Exchange final : public Phase {
 public:
  Exchange(RowPtr row, FarFirstPtr ways, Operation operation, Cut cut)
      : row_(std::move(row)), ways_(std::move(ways)), operation_(operation), cut_(cut) {}
  int length(const Coordinates& at) const override {
    if (row_->position(at) < 0) return 0;
    const int n = ways_->count(at);
    return n + (n > 0);
  }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p;
    if (i == ways_->count(at)) {
      p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = static_cast<std::uint32_t>(i), .any_order = true};
      return p;
    }
    const Way way = ways_->way(at, i);
    p.out = {.peer = way.offset, .chunk = cut_.of(block(at, way), way), .channel = 0, .times = 1};
    p.order = way.order;
    p.op = operation_ == Operation::reduce_scatter ? Op::reduce : Op::copy;
    return p;
  }
  PhasePtr backwards() const override {
    const bool gathers = operation_ == Operation::all_gather;
    return std::make_shared<Exchange>(row_, ways_, gathers ? Operation::reduce_scatter : Operation::all_gather, cut_);
  }

 private:
  std::uint32_t block(const Coordinates& at, const Way& way) const {
    const auto from = static_cast<std::uint32_t>(row_->position(at));
    if (operation_ == Operation::all_gather) return from;
    const auto to = static_cast<std::uint32_t>(ways_->target(at, way));
    return operation_ == Operation::reduce_scatter ? to : from * static_cast<std::uint32_t>(row_->size()) + to;
  }

  RowPtr row_;
  FarFirstPtr ways_;
  Operation operation_;
  Cut cut_;
};

// From the root, or to it.
class Rooted final : public Phase {
 public:
  Rooted(RowPtr row, FarFirstPtr ways, int root, bool gathers, Cut cut)
      : row_(std::move(row)), ways_(std::move(ways)), root_(root), gathers_(gathers), cut_(cut) {}
  int length(const Coordinates& at) const override {
    const int p = row_->position(at);
    if (p < 0) return 0;
    if ((p == root_) == gathers_) return messages(at, p) > 0;
    return messages(at, p);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int here = row_->position(at);
    Passage p;
    if ((here == root_) == gathers_) {
      p.in = {.peer = {},
              .chunk = {},
              .channel = 0,
              .times = static_cast<std::uint32_t>(messages(at, here)),
              .any_order = true};
      return p;
    }
    const Way way = here == root_ ? ways_->way(at, i) : ways_->ways().to(at, root_)[static_cast<std::size_t>(i)];
    const auto member = static_cast<std::uint32_t>(here == root_ ? ways_->target(at, way) : here);
    p.out = {.peer = way.offset, .chunk = cut_.of(member, way), .channel = 0, .times = 1};
    p.order = way.order;
    return p;
  }
  PhasePtr backwards() const override { return std::make_shared<Rooted>(row_, ways_, root_, !gathers_, cut_); }

 private:
  int messages(const Coordinates& at, int position) const {  // as many come from a chip as go to it
    return position == root_ ? ways_->count(at) : static_cast<int>(ways_->ways().to(at, root_).size());
  }

  RowPtr row_;
  FarFirstPtr ways_;
  int root_;
  bool gathers_;
  Cut cut_;
};

template <class MakePhase>
Schedule lane_a_chunk(const Request& r, std::uint32_t parts, std::uint32_t blocks, MakePhase make) {
  const auto n = static_cast<std::uint32_t>(r.row->size()), chunks = static_cast<std::uint32_t>(r.chunks);
  Schedule s;
  s.atoms = blocks * parts * chunks;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = s.atoms / n, .atom = atom});
  for (std::uint32_t c = 0; c < chunks; ++c) {
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = c});
    s.add(c, make(Cut{.per_block = parts * chunks, .first = c * parts, .parts = parts}));
  }
  return s;
}

}  // namespace

Schedule direct_exchange(const Request& r) {
  const auto ways = std::make_shared<const FarFirst>(r.row, r.wiring);
  const auto n = static_cast<std::uint32_t>(r.row->size());
  const std::uint32_t blocks = r.operation == Operation::all_to_all ? n * n : n;
  return lane_a_chunk(r, ways->parts(), blocks,
                      [&](const Cut& cut) { return std::make_shared<Exchange>(r.row, ways, r.operation, cut); });
}

Schedule direct_scatter(const Request& r) {
  const auto ways = std::make_shared<const FarFirst>(r.row, r.wiring);
  return lane_a_chunk(r, ways->parts(), static_cast<std::uint32_t>(r.row->size()),
                      [&](const Cut& cut) { return std::make_shared<Rooted>(r.row, ways, r.root, false, cut); });
}

}  // namespace hopsim

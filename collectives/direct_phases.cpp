#include "collectives/direct_phases.hpp"

#include <utility>

#include "collectives/exchange.hpp"

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
  Exchange(RowPtr row, FarFirstPtr ways, int lane, Operation operation, Cut cut)
      : row_(std::move(row)), ways_(std::move(ways)), lane_(lane), operation_(operation), cut_(cut) {}
  int length(const Coordinates& at) const override {
    return row_->position(at) < 0 ? 0 : ways_->count(at, lane_) + (ways_->arrivals(at, lane_) > 0);
  }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p;
    if (i == ways_->count(at, lane_)) {
      const auto times = static_cast<std::uint32_t>(ways_->arrivals(at, lane_));
      p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = times, .any_order = true};
      return p;
    }
    const Way way = ways_->way(at, i, lane_);
    p.out = {.peer = way.offset, .chunk = cut_.of(block(at, way), way), .channel = 0, .times = 1};
    p.order = way.order;
    p.op = operation_ == Operation::reduce_scatter ? Op::reduce : Op::copy;
    return p;
  }
  PhasePtr backwards() const override {
    const bool gathers = operation_ == Operation::all_gather;
    return std::make_shared<Exchange>(row_, ways_, lane_, gathers ? Operation::reduce_scatter : Operation::all_gather,
                                      cut_);
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
  int lane_;
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

// `lanes` a chunk, made by make(lane, cut).
template <class MakePhase>
Schedule in_chunks(const Request& r, std::uint32_t parts, std::uint64_t blocks, int lanes, MakePhase make) {
  const auto n = static_cast<std::uint64_t>(r.row->size());
  const auto chunks = static_cast<std::uint32_t>(r.chunks);
  const std::uint64_t atoms = blocks * parts * chunks;
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(std::min<std::uint64_t>(atoms, ~std::uint32_t{0}));  // then beyond any proof
  const AtomSize atom(r.bytes, atoms);
  s.parts.push_back({.first = 0, .per_member = static_cast<std::uint32_t>(atoms / n), .atom = atom});
  for (std::uint32_t c = 0; c < chunks; ++c)
    for (int lane = 0; lane < lanes; ++lane) {
      const auto number = static_cast<std::uint32_t>(s.lanes.size());
      s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = number, .paced = lanes > 1});
      s.add(number, make(lane, Cut{.per_block = parts * chunks, .first = c * parts, .parts = parts}));
    }
  return s;
}

}  // namespace

FarFirst::Lanes exchange_lanes(const Request& r) {
  return paced_exchange(r) ? FarFirst::Lanes::one_a_port : FarFirst::Lanes::one;
}

Schedule direct_exchange(const Request& r, FarFirst::Lanes lanes) {
  const auto ways = std::make_shared<const FarFirst>(r.row, r.wiring, lanes);
  const auto n = static_cast<std::uint64_t>(r.row->size());
  const std::uint64_t blocks = r.operation == Operation::all_to_all ? n * n : n;
  return in_chunks(r, ways->parts(), blocks, ways->lanes(), [&](int lane, const Cut& cut) {
    return std::make_shared<Exchange>(r.row, ways, lane, r.operation, cut);
  });
}

Schedule direct_scatter(const Request& r) {
  const auto ways = std::make_shared<const FarFirst>(r.row, r.wiring);
  return in_chunks(r, ways->parts(), static_cast<std::uint64_t>(r.row->size()), 1,
                   [&](int, const Cut& cut) { return std::make_shared<Rooted>(r.row, ways, r.root, false, cut); });
}

}  // namespace hopsim

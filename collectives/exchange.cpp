#include "collectives/exchange.hpp"

#include <algorithm>

namespace hopsim {
namespace {

class Exchange final : public Phase {
 public:
  Exchange(RowPtr row, ExchangeDirection direction, std::uint32_t per_block, std::uint32_t first, std::uint32_t count)
      : row_(std::move(row)), direction_(direction), per_block_(per_block), first_(first), count_(count) {}

  int length(const Coordinates& at) const override {
    const int p = row_->position(at);
    return p < 0 ? 0 : targets(p) + (sources(p) > 0);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int p = row_->position(at), n = row_->size();
    Passage s;
    if (i == targets(p)) {
      s.in = {.peer = {}, .chunk = {}, .channel = 0, .times = static_cast<std::uint32_t>(sources(p))};
      return s;
    }
    const int distance = targets(p) - i;  // far peers first
    const int target = ((p + direction_.sign * distance) % n + n) % n;
    s.out = {.peer = row_->way(at, direction_.sign * distance),
             .chunk = block(p, target, distance),
             .channel = 0,
             .times = 1};
    return s;
  }

 private:
  int targets(int p) const {
    return row_->wraps() ? direction_.reach : std::min(direction_.reach, ahead(p, direction_.sign));
  }
  int sources(int p) const {
    return row_->wraps() ? direction_.reach : std::min(direction_.reach, ahead(p, -direction_.sign));
  }
  int ahead(int p, int sign) const { return sign > 0 ? row_->size() - 1 - p : p; }

  Chunk block(int from, int to, int distance) const {
    using enum ExchangeDirection::Farthest;
    const std::uint32_t first = static_cast<std::uint32_t>(from * row_->size() + to) * per_block_ + first_;
    if (direction_.farthest == whole || distance < direction_.reach) return {first, count_};
    return {direction_.farthest == first_half ? first : first + count_ / 2, count_ / 2};
  }

  RowPtr row_;
  ExchangeDirection direction_;
  std::uint32_t per_block_, first_, count_;
};

}  // namespace

Schedule exchange_schedule(const Request& r, std::uint32_t halves, const std::vector<ExchangeDirection>& directions) {
  const auto n = static_cast<std::uint32_t>(r.row->size());
  const std::uint32_t per_block = halves * static_cast<std::uint32_t>(r.chunks);
  Schedule s;
  s.atoms = n * n * per_block;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = n * per_block, .atom = atom});
  for (int c = 0; c < r.chunks; ++c)
    for (const ExchangeDirection& d : directions) {
      if (d.reach == 0) continue;
      s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = d.sign > 0 ? 0u : 1u});
      s.add(s.lanes.size() - 1,
            std::make_shared<Exchange>(r.row, d, per_block, halves * static_cast<std::uint32_t>(c), halves));
    }
  return s;
}

bool paced_exchange(const Request& r) {
  constexpr int kPostedAtOnce = 256;
  return r.wiring.kind == Wiring::Kind::grid && r.row->size() > kPostedAtOnce;
}

}  // namespace hopsim

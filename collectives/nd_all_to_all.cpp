// AllToAll axis by axis, blocks combined on the way: few, large messages. One part of every block per rotation of the
// axes, so that all axes are busy at once; far peers first, half rings both ways, the least advanced phase first.
//
// Along its first axis a chip sends each peer all blocks for chips of that peer's coordinate; along the second those
// that have come so far, and so on. First in, first out would take 1.06 to 1.19 of the closed form; this
// takes 1.0001. A lane each way along an axis; both must have brought what the next stage takes on.
#include <algorithm>
#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/exchange.hpp"

namespace hopsim {
namespace {

constexpr int kMostChunks = 2;               // a third gains nothing
constexpr std::uint64_t kSmallestAtom = 64;  // bytes

// The numbers of a part of the blocks that travels by itself: a message of stage j to a peer q along the stage's
// axis.
struct Slab {
  std::uint32_t lane, stage, holder, target, half;
};

// What all lanes of one request share.
struct Plan {
  explicit Plan(const Request& r) : row(r.row), chunks(static_cast<std::uint32_t>(r.chunks)) {
    for (const int d : row->dimensions())
      sizes.push_back(static_cast<std::uint32_t>(row->shape().size[static_cast<std::size_t>(d)]));
    longest = *std::max_element(sizes.begin(), sizes.end());
  }
  std::size_t axes() const { return sizes.size(); }
  std::uint32_t members() const { return static_cast<std::uint32_t>(row->size()); }
  std::uint32_t per_block() const { return 2 * chunks * static_cast<std::uint32_t>(axes()); }
  std::size_t axis(std::uint32_t lane, std::size_t stage) const { return (lane / chunks + stage) % axes(); }
  std::size_t dimension(std::size_t axis) const { return static_cast<std::size_t>(row->dimensions()[axis]); }
  std::uint32_t coordinate(std::uint32_t member, std::size_t axis) const {
    return static_cast<std::uint32_t>(row->at(static_cast<int>(member))[dimension(axis)]);
  }

  std::uint32_t encode(const Slab& s) const {
    return (((s.lane * static_cast<std::uint32_t>(axes()) + s.stage) * members() + s.holder) * longest + s.target) *
               3 +
           s.half;
  }
  Slab decode(std::uint32_t code) const {
    Slab s{};
    s.half = code % 3;
    s.target = (code /= 3) % longest;
    s.holder = (code /= longest) % members();
    s.stage = (code /= members()) % static_cast<std::uint32_t>(axes());
    s.lane = code / static_cast<std::uint32_t>(axes());
    return s;
  }

  // The blocks in a slab: sources alike with the holder on the axes still to come, targets alike on those behind it,
  // and the target's coordinate on this one.
  void expand(const Chunk& c, std::vector<std::uint32_t>& atoms) const {
    if (c.count == 0) return;  // a token of a join
    const Slab s = decode(c.first);
    std::vector<std::uint32_t> sources, targets;
    for (std::uint32_t m = 0; m < members(); ++m) {
      bool source = true, target = true;
      for (std::size_t j = 0; j < axes(); ++j) {
        const std::size_t a = axis(s.lane, j);
        if (j >= s.stage) source = source && coordinate(m, a) == coordinate(s.holder, a);
        if (j < s.stage) target = target && coordinate(m, a) == coordinate(s.holder, a);
        if (j == s.stage) target = target && coordinate(m, a) == s.target;
      }
      if (source) sources.push_back(m);
      if (target) targets.push_back(m);
    }
    for (const std::uint32_t from : sources)
      for (const std::uint32_t to : targets) {
        const std::uint32_t first = (from * members() + to) * per_block() + 2 * s.lane;
        if (s.half != 1) atoms.push_back(first);  // half 0: both, 1: the second, 2: the first
        if (s.half != 2) atoms.push_back(first + 1);
      }
  }

  RowPtr row;
  std::uint32_t chunks, longest = 1;
  std::vector<std::uint32_t> sizes;
};
using PlanPtr = std::shared_ptr<const Plan>;

// A stage, one way along its axis: to every peer there what is for its coordinate, far peers first; the block for one
// halfway round half each way.
class AxisExchange final : public Phase {
 public:
  AxisExchange(PlanPtr plan, std::uint32_t lane, std::uint32_t stage, int sign)
      : plan_(std::move(plan)),
        lane_(lane),
        stage_(stage),
        sign_(sign),
        dimension_(plan_->dimension(plan_->axis(lane, stage))),
        n_(static_cast<int>(plan_->sizes[plan_->axis(lane, stage)])),
        wraps_(plan_->row->shape().wrap[dimension_]) {}
  int length(const Coordinates& at) const override { return reach(at, sign_) + (reach(at, -sign_) > 0); }
  Passage passage(const Coordinates& at, int i) const override {
    const int far = reach(at, sign_);
    Passage p;
    if (i == far) {
      p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = static_cast<std::uint32_t>(reach(at, -sign_))};
      return p;
    }
    const int distance = sign_ * (far - i), x = at[dimension_] + distance;
    const int target = x < 0 ? x + n_ : x >= n_ ? x - n_ : x;
    const std::uint32_t half = !wraps_ || 2 * std::abs(distance) < n_ ? 0 : sign_ > 0 ? 2 : 1;
    const std::uint32_t blocks = plan_->members() / static_cast<std::uint32_t>(n_);
    const auto holder = static_cast<std::uint32_t>(plan_->row->position(at));
    p.out = {.peer = along(static_cast<int>(dimension_), distance),
             .chunk = {plan_->encode({lane_, stage_, holder, static_cast<std::uint32_t>(target), half}),
                       blocks * (half ? 1u : 2u)},
             .channel = 0,
             .times = 1};
    p.order = static_cast<std::uint8_t>(dimension_);
    return p;
  }

 private:
  int reach(const Coordinates& at, int sign) const {  // peers that way
    if (wraps_) return n_ / 2;
    return sign > 0 ? n_ - 1 - at[dimension_] : at[dimension_];
  }

  PlanPtr plan_;
  std::uint32_t lane_, stage_;
  int sign_;
  std::size_t dimension_;
  int n_;
  bool wraps_;
};

std::string obstacle(const Request& r) {
  if (r.operation != Operation::all_to_all)
    return "nd_all_to_all does all_to_all, not " + std::string(name(r.operation));
  if (r.row->dimensions().empty()) return "nd_all_to_all needs an axis over dimensions of the fabric";
  if (r.wiring.kind != Wiring::Kind::grid || r.domains() > 1)
    return "nd_all_to_all goes along the dimensions of a torus or mesh; valid: direct";
  if (r.row->shape().any_twist())
    return "nd_all_to_all needs rings or lines along dimensions, not a twisted torus; valid: direct";
  if (r.book) return "schedule: book is for one axis; valid: schedule: optimal";
  const auto n = static_cast<std::uint64_t>(r.row->size());
  const std::uint64_t most = std::clamp<std::uint64_t>(r.bytes.count() / (n * n) / 2, 1, 64);
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of a block; valid: 1 to " + std::to_string(most);
  return {};
}

int own_chunks(const Request& r) {
  const auto n = static_cast<std::uint64_t>(r.row->size());
  return static_cast<int>(std::clamp<std::uint64_t>(
      r.bytes.count() / (n * n) / 2 / r.row->dimensions().size() / kSmallestAtom, 1, kMostChunks));
}

Schedule schedule(const Request& r) {
  const auto plan = std::make_shared<const Plan>(r);
  const std::uint32_t n = plan->members(), lanes = plan->chunks * static_cast<std::uint32_t>(plan->axes());
  Schedule s;
  s.least_advanced_first = true;
  const std::uint64_t atoms = std::uint64_t{n} * n * plan->per_block();
  s.atoms = static_cast<std::uint32_t>(std::min<std::uint64_t>(atoms, ~std::uint32_t{0}));  // then beyond any proof
  s.expand = [plan](const Chunk& c, std::vector<std::uint32_t>& of) { plan->expand(c, of); };
  const AtomSize atom(r.bytes, atoms);
  s.parts.push_back({.first = 0, .per_member = n * plan->per_block(), .atom = atom});
  for (std::uint32_t lane = 0; lane < 2 * lanes; ++lane)
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = lane / 2, .paced = paced_exchange(r)});
  for (std::uint32_t stage = 0; stage < plan->axes(); ++stage) {
    for (std::uint32_t lane = 0; stage > 0 && lane < 2 * lanes; ++lane)
      s.add(lane, join_phase(static_cast<int>(lane), 2));
    for (std::uint32_t lane = 0; lane < 2 * lanes; ++lane)
      s.add(lane, std::make_shared<AxisExchange>(plan, lane / 2, stage, lane % 2 ? -1 : 1));
  }
  return s;
}

// Scaling Book ch. 3: V max(A, B, C) / (4 N W) on a torus; an axis without wraparound counts twice.
ClosedForm closed_form(const Request& r) {
  const double n = r.row->size();
  ClosedForm f;
  f.formula = "V max(A,B,..)/(4 N W), an unwrapped axis twice";
  for (const int d : r.row->dimensions()) {
    const double a = r.row->shape().size[static_cast<std::size_t>(d)];
    const bool wraps = r.row->shape().wrap[static_cast<std::size_t>(d)];
    const double load =
        wraps ? (r.row->shape().size[static_cast<std::size_t>(d)] % 2 ? (a - 1 / a) / (8 * n) : a / (8 * n))
              : std::floor(a * a / 4) / (a * n);
    f.link_bytes = std::max(f.link_bytes, static_cast<double>(r.bytes.count()) * load);
    f.hops += static_cast<int>(wraps ? a / 2 : a - 1);
  }
  return f;
}

}  // namespace

Algorithm algorithm_nd_all_to_all() {
  return {"nd_all_to_all",
          "AllToAll axis by axis, parts of every block round all axes at once",
          "Scaling Book ch. 3",
          obstacle,
          schedule,
          closed_form,
          own_chunks,
          [](const Request&) { return true; }};
}

}  // namespace hopsim

#include "sim/schedule.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {
namespace {

class ReversedPhase final : public Phase {
 public:
  explicit ReversedPhase(PhasePtr of) : of_(std::move(of)) {}
  int length(const Coordinates& at) const override { return of_->length(at); }
  int channels() const override { return of_->channels(); }
  PhasePtr backwards() const override { return of_; }
  int alike(const Coordinates& at, int i, int way) const override { return of_->alike(at, mirror(at, i), -way); }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p = of_->passage(at, mirror(at, i));
    std::swap(p.in, p.out);
    p.op = p.op == Op::copy ? Op::reduce : Op::copy;
    return p;
  }

 private:
  int mirror(const Coordinates& at, int i) const { return of_->length(at) - 1 - i; }
  PhasePtr of_;
};

// All `group` lanes tell the others that they have come here, and hear from all of them.
class Join final : public Phase {
 public:
  Join(int lane, int group) : lane_(lane % group), group_(group) {}
  PhasePtr backwards() const override { return join_phase(lane_, group_); }
  int length(const Coordinates&) const override { return group_; }
  Passage passage(const Coordinates&, int i) const override {
    Passage p;
    if (i < group_ - 1) {
      p.out = {.peer = {}, .chunk = {}, .channel = (lane_ + 1 + i) % group_ - lane_, .times = 1};
    } else {
      p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = static_cast<std::uint32_t>(group_ - 1)};
    }
    return p;
  }

 private:
  int lane_, group_;
};

}  // namespace

void Schedule::add(std::size_t lane, PhasePtr phase) {
  const int n = phase->channels();
  lanes[lane].phases.push_back({std::move(phase), channels});
  channels += n;
}

PhasePtr join_phase(int lane, int group) { return std::make_shared<Join>(lane, group); }

Schedule reversed(Schedule s) {
  for (Lane& lane : s.lanes) {
    std::reverse(lane.phases.begin(), lane.phases.end());
    for (Lane::Placed& p : lane.phases) {
      PhasePtr backwards = p.phase->backwards();
      p.phase = backwards ? std::move(backwards) : std::make_shared<ReversedPhase>(p.phase);
    }
  }
  return s;
}

Schedule then(Schedule a, const Schedule& b, int join) {
  if (join > 1)
    for (std::size_t l = 0; l < a.lanes.size(); ++l) a.add(l, join_phase(static_cast<int>(l), join));
  for (std::size_t l = 0; l < a.lanes.size(); ++l)
    for (const Lane::Placed& p : b.lanes[l].phases)
      a.lanes[l].phases.push_back({p.phase, p.first_channel + a.channels});
  a.channels += b.channels;
  return a;
}

}  // namespace hopsim

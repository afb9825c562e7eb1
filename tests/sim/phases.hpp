// Phases small enough to be seen through: what tests of the machine and of proofs run.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sim/program.hpp"
#include "sim/schedule.hpp"

namespace hopsim::testing {

// The same passages on every chip.
class Passages final : public Phase {
 public:
  explicit Passages(std::vector<Passage> passages) : passages_(std::move(passages)) {}
  int length(const Coordinates&) const override { return static_cast<int>(passages_.size()); }
  Passage passage(const Coordinates&, int i) const override { return passages_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Passage> passages_;
};

inline Passage sends(Offset to, std::uint32_t atoms = 1) {
  Passage p;
  p.out = {.peer = to, .chunk = {0, atoms}, .channel = 0, .times = 1};
  return p;
}

inline Passage takes(std::uint32_t times, int channel = 0) {
  Passage p;
  p.in = {.peer = {}, .chunk = {}, .channel = channel, .times = times};
  return p;
}

inline Schedule one_lane(std::vector<Passage> passages, Bytes atom) {
  Schedule s;
  s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = 0});
  s.add(0, std::make_shared<Passages>(std::move(passages)));
  return s;
}

// Every chip sends to the next along a dimension and takes what comes.
inline Schedule shift(int dimension, Bytes bytes) { return one_lane({sends(along(dimension, 1)), takes(1)}, bytes); }

inline Task collective(Schedule s, std::vector<std::uint32_t> after = {}) {
  return {.work = CollectiveTask{std::make_shared<const Schedule>(std::move(s))}, .after = std::move(after)};
}
inline Task compute(Time busy, std::vector<std::uint32_t> after = {}) {
  return {.work = ComputeTask{busy}, .after = std::move(after)};
}

}  // namespace hopsim::testing

// When something was busy, coarse enough to draw: stretches of time by step, with short gaps closed.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fabric.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

constexpr std::uint32_t kSeveralSteps = ~0u;

struct DrawnStretch {
  Time start, end;
  std::uint32_t step = 0;  // of the plan, or kSeveralSteps

  friend bool operator==(const DrawnStretch&, const DrawnStretch&) = default;
};

// Joins what is of one step and at most `gap` apart; then all is in order of start.
void close_gaps(std::vector<DrawnStretch>&, Time gap);
// Of what is in order: joins neighbours that together are shorter than `least`, of whatever steps.
void join_short(std::vector<DrawnStretch>&, Time least);

// When each link was busy. Hops on a link come in order, or nearly. Memory is bounded: a link with too many stretches
// gets its gaps closed, the shortest first. O(1) a hop, but for that.
class LinkStretches final : public Recorder {
 public:
  static constexpr std::size_t kMostInAll = 4'000'000;  // of 24 bytes

  explicit LinkStretches(const Fabric&, std::size_t most_in_all = kMostInAll);

  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t, Time, Time) override {}
  void task(ChipId, std::uint32_t, Time, Time) override {}

  std::vector<DrawnStretch> of(LinkId) const;  // in order of start

 private:
  struct Busy {
    std::vector<DrawnStretch> stretches;
    Time gap;  // so far closed
  };
  void thin(Busy&) const;

  std::size_t most_;  // of a link
  std::vector<Busy> links_;
};

}  // namespace hopsim

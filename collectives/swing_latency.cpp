// Swing, latency-optimal: the whole vector in every step, to peers 1, 1, 3, 5, 11, 21, ... away, to alternate sides.
#include "collectives/doubling.hpp"

namespace hopsim {
namespace {

constexpr DoublingRule kRule{
    .name = "swing_latency", .distance = swing_distance, .whole = true, .needs_around = true};

std::string obstacle(const Request& r) { return doubling_obstacle(kRule, r); }
Schedule schedule(const Request& r) { return doubling_schedule(kRule, r); }
ClosedForm closed_form(const Request& r) { return doubling_form(kRule, r); }

}  // namespace

Algorithm algorithm_swing_latency() {
  return {"swing_latency",
          "whole vectors to peers that swing left and right; powers of two",
          "De Sensi et al., Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

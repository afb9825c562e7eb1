// Swing, bandwidth-optimal: as halving-doubling, but peers are 1, 1, 3, 5, 11, 21, ... away, to alternate sides:
// shorter ways, fewer messages a link.
#include "collectives/doubling.hpp"

namespace hopsim {
namespace {

constexpr DoublingRule kRule{.name = "swing_bandwidth", .distance = swing_distance, .needs_around = true};

std::string obstacle(const Request& r) { return doubling_obstacle(kRule, r); }
Schedule schedule(const Request& r) { return doubling_schedule(kRule, r); }
ClosedForm closed_form(const Request& r) { return doubling_form(kRule, r); }

}  // namespace

Algorithm algorithm_swing_bandwidth() {
  return {"swing_bandwidth",
          "halves, quarters, ... to peers that swing left and right, and back; powers of two",
          "De Sensi et al., Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

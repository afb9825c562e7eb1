// Swing: swing_latency for small vectors, swing_bandwidth for large ones.
//
// The rule: whichever should take less, by its closed form at the bandwidth, latency and overheads of the request's
// links; where these are not known, swing_latency up to 32 KiB. AllGather and ReduceScatter have only
// swing_bandwidth.
#include "collectives/doubling.hpp"

namespace hopsim {

Algorithm algorithm_swing_bandwidth();
Algorithm algorithm_swing_latency();

namespace {

constexpr Bytes kSmall{32 << 10};

double cost(const Algorithm& a, const Request& r) {
  const ClosedForm f = a.closed_form(r);
  return f.seconds(r.wiring) + f.steps * (r.wiring.overheads.step + r.wiring.overheads.chunk).seconds();
}

Algorithm pick(const Request& r) {
  const Algorithm few_steps = algorithm_swing_latency(), few_bytes = algorithm_swing_bandwidth();
  if (r.operation != Operation::all_reduce) return few_bytes;
  if (r.wiring.link.bandwidth.bytes_per_second() == 0) return r.bytes <= kSmall ? few_steps : few_bytes;
  return cost(few_steps, r) <= cost(few_bytes, r) ? few_steps : few_bytes;
}

std::string obstacle(const Request& r) {
  return doubling_obstacle({.name = "swing", .distance = swing_distance, .needs_around = true}, r);
}
Schedule schedule(const Request& r) { return pick(r).schedule(r); }
ClosedForm closed_form(const Request& r) { return pick(r).closed_form(r); }

}  // namespace

Algorithm algorithm_swing() {
  return {"swing",
          "swing_latency or swing_bandwidth, by size; powers of two",
          "De Sensi et al., Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

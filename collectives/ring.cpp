// Ring, one way round: n - 1 hops, each of a whole shard over one link.
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (!r.row->wraps() && r.row->size() > 2)
    return "ring needs an axis that wraps around; this one, of " + std::to_string(r.row->size()) + ", does not; valid: line";
  return gather_obstacle("ring", r);
}

Schedule schedule(const Request& r) {
  const int n = r.row->size();
  auto one_way = [n, wraps = r.row->wraps()](int) -> std::vector<Direction> {
    if (!wraps) return {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}};    // two chips: one link each way
    return {{.sign = 1, .reach = n - 1}};
  };
  return gather_or_scatter(r.operation, gather_schedule(r, 1, one_way));
}

// Scaling Book ch. 3: (n - 1) hops of V/n over one-way bandwidth.
ClosedForm closed_form(const Request& r) {
  const double n = r.row->size();
  return {static_cast<double>(r.bytes.count()) * (n - 1) / n, r.row->size() - 1, "V(N-1)/(N W/2)"};
}

}  // namespace

Algorithm algorithm_ring() {
  return {"ring", "one way round a ring, shard by shard", "Scaling Book ch. 3", obstacle, schedule, closed_form};
}

}  // namespace hopsim

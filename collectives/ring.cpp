// Ring, one way round: n - 1 hops, each of a whole shard over one link.
#include "collectives/exchange.hpp"
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (!r.row->wraps() && r.row->size() > 2)
    return "ring needs an axis that wraps around; this one, of " + std::to_string(r.row->size()) +
           ", does not; valid: line";
  return row_obstacle("ring", r);
}

Schedule schedule(const Request& r) {
  const int n = r.row->size();
  const bool exchange = r.operation == Operation::all_to_all;
  if (!r.row->wraps()) {  // two chips: one link each way
    if (exchange) return exchange_schedule(r, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}});
    return gather_based(r.operation,
                        gather_schedule(r, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}}), 2);
  }
  if (exchange) return exchange_schedule(r, 1, {{.sign = 1, .reach = n - 1}});
  return gather_based(r.operation, gather_schedule(r, 1, {{.sign = 1, .reach = n - 1}}), 1);
}

// Scaling Book ch. 3: (n - 1) hops of V/n over one-way bandwidth; AllReduce is two of them. AllToAll (ch. 3, question
// 10): a link carries the blocks of distances 1 to n - 1, n(n-1)/2 of V/n^2.
ClosedForm closed_form(const Request& r) {
  const double n = r.row->size(), v = static_cast<double>(r.bytes.count());
  const int hops = r.row->size() - 1;
  switch (r.operation) {
    case Operation::all_reduce:
      return {2 * v * (n - 1) / n, 2 * hops, "2V(N-1)/(N W/2)"};
    case Operation::all_to_all:
      return {v * (n - 1) / (2 * n), hops, "V(N-1)/(2N W/2)"};
    default:
      return {v * (n - 1) / n, hops, "V(N-1)/(N W/2)"};
  }
}

}  // namespace

Algorithm algorithm_ring() {
  return {"ring", "one way round a ring, shard by shard", "Scaling Book ch. 3", obstacle, schedule, closed_form};
}

}  // namespace hopsim

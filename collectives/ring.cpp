// Ring, one way round: n - 1 hops, each of a whole shard over one link; where chips have links for several rings, or
// domains several NICs, an equal share of the array round each.
#include "collectives/chain.hpp"
#include "collectives/exchange.hpp"
#include "collectives/ring_gather.hpp"
#include "collectives/ring_orders.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (!r.row->wraps() && r.row->size() > 2)
    return "ring needs an axis that wraps around; this one, of " + std::to_string(r.row->size()) +
           ", does not; valid: line";
  if (std::string why = rings_obstacle(r); !why.empty()) return why;
  if (is_rooted(r.operation)) return chain_obstacle("ring", r);
  return row_obstacle("ring", r);
}

Schedule schedule(const Request& r) {
  if (is_rooted(r.operation)) return chain_schedule(r, Chain::around);
  const int n = r.row->size();
  const bool exchange = r.operation == Operation::all_to_all;
  if (!exchange && !r.wiring.rings.empty()) return gather_based(r.operation, rings_gather_schedule(r), 1);
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
  if (is_rooted(r.operation)) return chain_form(r, Chain::around);
  const double n = r.row->size(), v = static_cast<double>(r.bytes.count());
  if (r.operation == Operation::all_to_all) return {v * (n - 1) / (2 * n), r.row->size() - 1, "V(N-1)/(2N W/2)"};
  const ClosedForm gather = rings_gather_form(r);
  return r.operation == Operation::all_reduce ? twice(gather) : gather;
}

int own_chunks(const Request& r) { return chain_chunks(r, Chain::around); }

}  // namespace

Algorithm algorithm_ring() {
  return {"ring",
          "one way round a ring, shard by shard",
          "Scaling Book ch. 3",
          obstacle,
          schedule,
          closed_form,
          own_chunks,
          [](const Request& r) { return !is_rooted(r.operation) && r.row->straight(); }};
}

}  // namespace hopsim

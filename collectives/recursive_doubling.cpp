// Recursive doubling: in step s with the chip at distance 2^s, one dimension after another. An AllReduce exchanges
// the whole vector each time: fewest steps, most bytes. An AllGather sends what it knows, near peers first; a
// ReduceScatter is its reversal, recursive halving.
#include "collectives/doubling.hpp"

namespace hopsim {
namespace {

DoublingRule rule(const Request& r) {
  return {.name = "recursive_doubling",
          .distance = doubling_distance,
          .in_turn = false,
          .far_first = false,
          .whole = r.operation == Operation::all_reduce};
}

std::string obstacle(const Request& r) {
  DoublingRule any = rule(r);
  any.whole = false;
  return doubling_obstacle(any, r);
}
Schedule schedule(const Request& r) { return doubling_schedule(rule(r), r); }
ClosedForm closed_form(const Request& r) { return doubling_form(rule(r), r); }

}  // namespace

Algorithm algorithm_recursive_doubling() {
  return {"recursive_doubling",
          "whole vectors between chips 1, 2, 4, ... apart; powers of two",
          "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

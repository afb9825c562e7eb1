// Ring, both ways round: floor(n/2) hops. On an even ring the antipodal shard comes half from either side
// (schedule: optimal) or whole from one side (schedule: book).
//
// Shards travel whole and only the last hop is halved: two half-messages from the start would pipeline, and come out
// n/2 - 1 hops too fast for the schedule stated.
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (!r.row->wraps() && r.row->size() > 2)
    return "bidirectional_ring needs an axis that wraps around; this one, of " + std::to_string(r.row->size()) +
           ", does not; valid: line";
  return gather_obstacle("bidirectional_ring", r);
}

// With k chunks a shard, half of the antipodal chunks come from either side; of an odd k the middle one is halved.
std::vector<Direction> both_ways(const Request& r, int chunk) {
  using enum RingGather::LastHop;
  const int n = r.row->size();
  if (!r.row->wraps()) return {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}};
  const int half = (n - 1) / 2;
  if (n % 2) return {{.sign = 1, .reach = half}, {.sign = -1, .reach = half}};
  if (r.book) return {{.sign = 1, .reach = half + 1}, {.sign = -1, .reach = half}};
  if (r.chunks % 2 && chunk == r.chunks / 2) return {{1, half + 1, first_half}, {-1, half + 1, second_half}};
  const bool forwards = chunk < r.chunks / 2;
  return {{.sign = 1, .reach = half + forwards}, {.sign = -1, .reach = half + !forwards}};
}

Schedule schedule(const Request& r) {
  const bool halved = r.row->wraps() && r.row->size() % 2 == 0 && !r.book && r.chunks % 2;
  return gather_or_scatter(r.operation, gather_schedule(r, halved ? 2 : 1, [&r](int chunk) { return both_ways(r, chunk); }));
}

// Scaling Book ch. 3: V/W where the antipodal shard of an even ring goes whole, V(n-1)/(nW) otherwise; floor(n/2) hops.
ClosedForm closed_form(const Request& r) {
  const double n = r.row->size(), v = static_cast<double>(r.bytes.count());
  if (r.book && r.row->size() % 2 == 0) return {v / 2, r.row->size() / 2, "V/W"};
  return {v * (n - 1) / n / 2, r.row->size() / 2, "V(N-1)/(N W)"};
}

}  // namespace

Algorithm algorithm_bidirectional_ring() {
  return {"bidirectional_ring", "both ways round a ring, shard by shard", "Scaling Book ch. 3", obstacle, schedule,
          closed_form};
}

}  // namespace hopsim

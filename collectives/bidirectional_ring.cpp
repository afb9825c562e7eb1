// Ring, both ways round: floor(n/2) hops. On an even ring the antipodal shard comes half from either side
// (schedule: optimal) or whole from one side (schedule: book).
//
// Shards travel whole and only the last hop is halved: two half-messages from the start would pipeline, and come out
// n/2 - 1 hops too fast for the schedule stated.
#include "collectives/chain.hpp"
#include "collectives/exchange.hpp"
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (r.wiring.kind != Wiring::Kind::grid)
    return "bidirectional_ring goes both ways along a dimension of a torus or mesh; valid: ring, direct";
  if (!r.row->wraps() && r.row->size() > 2)
    return "bidirectional_ring needs an axis that wraps around; this one, of " + std::to_string(r.row->size()) +
           ", does not; valid: line";
  if (is_rooted(r.operation)) return chain_obstacle("bidirectional_ring", r);
  return row_obstacle("bidirectional_ring", r);
}

// Where chunks go, each is halved: sharing them out whole would load both ways alike, too, but then an AllGather and
// its reversal would not always take the same time.
std::vector<Direction> both_ways(const Request& r) {
  using enum RingGather::LastHop;
  const int n = r.row->size();
  if (!r.row->wraps()) return {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}};
  const int half = (n - 1) / 2;
  if (n % 2) return {{.sign = 1, .reach = half}, {.sign = -1, .reach = half}};
  if (r.book) return {{.sign = 1, .reach = half + 1}, {.sign = -1, .reach = half}};
  return {{1, half + 1, first_half}, {-1, half + 1, second_half}};
}

// AllToAll: blocks for the chip halfway round an even ring go half either way, or whole one way.
Schedule exchange(const Request& r) {
  using enum ExchangeDirection::Farthest;
  const int n = r.row->size();
  if (!r.row->wraps()) return exchange_schedule(r, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}});
  const int half = (n - 1) / 2;
  if (n % 2) return exchange_schedule(r, 1, {{.sign = 1, .reach = half}, {.sign = -1, .reach = half}});
  if (r.book) return exchange_schedule(r, 1, {{.sign = 1, .reach = half + 1}, {.sign = -1, .reach = half}});
  return exchange_schedule(r, 2, {{1, half + 1, first_half}, {-1, half + 1, second_half}});
}

Schedule schedule(const Request& r) {
  if (is_rooted(r.operation)) return chain_schedule(r, Chain::both_ways);
  if (r.operation == Operation::all_to_all) return exchange(r);
  const bool halved = r.row->wraps() && r.row->size() % 2 == 0 && !r.book;
  return gather_based(r.operation, gather_schedule(r, halved ? 2 : 1, both_ways(r)), 2);
}

// Scaling Book ch. 3: V/W where the antipodal shard of an even ring goes whole, V(n-1)/(nW) otherwise; floor(n/2)
// hops; AllReduce is two of them. AllToAll: V/(4W) on an even ring; on an odd one, by the same count of blocks a
// link, V(1 - 1/n^2)/(4W); with the farthest blocks whole, V(1 + 2/n)/(4W).
ClosedForm closed_form(const Request& r) {
  if (is_rooted(r.operation)) return chain_form(r, Chain::both_ways);
  const int hops = r.row->size() / 2;
  const double n = r.row->size(), v = static_cast<double>(r.bytes.count());
  const bool even = r.row->size() % 2 == 0, whole = r.book && even && r.row->wraps();
  if (r.operation == Operation::all_to_all) {
    if (!r.row->wraps()) return {v / 4 * (r.row->size() > 1), hops, "V/(2W)"};
    if (whole) return {v / 8 * (1 + 2 / n), hops, "V(1+2/N)/(4W)"};
    return even ? ClosedForm{v / 8, hops, "V/(4W)"} : ClosedForm{v / 8 * (1 - 1 / (n * n)), hops, "V(1-1/N^2)/(4W)"};
  }
  const int times = r.operation == Operation::all_reduce ? 2 : 1;
  const std::string twice = times == 2 ? "2" : "";
  if (whole) return {times * v / 2, times * hops, twice + "V/W"};
  return {times * v * (n - 1) / n / 2, times * hops, twice + "V(N-1)/(N W)"};
}

int own_chunks(const Request& r) { return chain_chunks(r, Chain::both_ways); }

}  // namespace

Algorithm algorithm_bidirectional_ring() {
  return {"bidirectional_ring",
          "both ways round a ring, shard by shard",
          "Scaling Book ch. 3",
          obstacle,
          schedule,
          closed_form,
          own_chunks,
          [](const Request& r) { return !is_rooted(r.operation) && r.row->straight(); }};
}

}  // namespace hopsim

// Line: both ways along an axis without wraparound (or one whose wraparound is left unused), n - 1 hops.
#include "collectives/chain.hpp"
#include "collectives/exchange.hpp"
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

// A wrapped row used as a line.
class Unwrapped final : public Row {
 public:
  explicit Unwrapped(RowPtr of) : Row(of->shape(), of->dimensions()), of_(std::move(of)) {}
  int size() const override { return of_->size(); }
  bool wraps() const override { return false; }
  bool straight() const override { return of_->straight(); }
  Coordinates at(int position) const override { return of_->at(position); }
  Offset way(const Coordinates& at, int distance) const override { return of_->way(at, distance); }
  ChipId first(const Coordinates& at) const override { return of_->first(at); }

 private:
  int place(const Coordinates& at) const override { return of_->position(at); }
  RowPtr of_;
};

std::string obstacle(const Request& r) {
  if (r.wiring.kind != Wiring::Kind::grid)
    return "line goes both ways along a dimension of a torus or mesh; valid: ring, direct";
  if (is_rooted(r.operation)) return chain_obstacle("line", r);
  return row_obstacle("line", r);
}

Schedule schedule(const Request& r) {
  const int n = r.row->size();
  Request line = r;
  if (r.row->wraps()) line.row = std::make_shared<Unwrapped>(r.row);
  if (is_rooted(r.operation)) return chain_schedule(line, Chain::ends);
  if (r.operation == Operation::all_to_all)
    return exchange_schedule(line, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}});
  return gather_based(r.operation,
                      gather_schedule(line, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}}), 2);
}

// Scaling Book ch. 3, pop quiz 2: n - 1 hops of V/n over one-way bandwidth; AllReduce is two of them. AllToAll: the
// middle link carries floor(n^2 / 4) blocks of V/n^2 each way.
ClosedForm closed_form(const Request& r) {
  if (is_rooted(r.operation)) return chain_form(r, Chain::ends);
  const int n = r.row->size();
  const double v = static_cast<double>(r.bytes.count());
  switch (r.operation) {
    case Operation::all_reduce:
      return {2 * v * (n - 1) / n, 2 * (n - 1), "2V(N-1)/(N W/2)"};
    case Operation::all_to_all: {
      const int blocks = n * n / 4;
      return {v * blocks / n / n, n - 1, "V floor(N^2/4)/(N^2 W/2)"};
    }
    default:
      return {v * (n - 1) / n, n - 1, "V(N-1)/(N W/2)"};
  }
}

int own_chunks(const Request& r) { return chain_chunks(r, Chain::ends); }

}  // namespace

Algorithm algorithm_line() {
  return {"line",
          "both ways along a line, shard by shard",
          "Scaling Book ch. 3, pop quiz 2",
          obstacle,
          schedule,
          closed_form,
          own_chunks,
          [](const Request& r) { return !is_rooted(r.operation) && r.row->straight() && !r.row->wraps(); }};
}

}  // namespace hopsim

// Line: both ways along an axis without wraparound (or one whose wraparound is left unused), n - 1 hops.
#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

// A wrapped row used as a line.
class Unwrapped final : public Row {
 public:
  explicit Unwrapped(RowPtr of) : of_(std::move(of)) {}
  int size() const override { return of_->size(); }
  bool wraps() const override { return false; }
  int position(const Coordinates& at) const override { return of_->position(at); }
  Offset way(const Coordinates& at, int distance) const override { return of_->way(at, distance); }
  ChipId first(const Coordinates& at) const override { return of_->first(at); }

 private:
  RowPtr of_;
};

std::string obstacle(const Request& r) { return gather_obstacle("line", r); }

Schedule schedule(const Request& r) {
  const int n = r.row->size();
  Request line = r;
  if (r.row->wraps()) line.row = std::make_shared<Unwrapped>(r.row);
  return gather_or_scatter(r.operation, gather_schedule(line, 1, [n](int) {
    return std::vector<Direction>{{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}};
  }));
}

// Scaling Book ch. 3, pop quiz 2: n - 1 hops of V/n over one-way bandwidth.
ClosedForm closed_form(const Request& r) {
  const double n = r.row->size();
  return {static_cast<double>(r.bytes.count()) * (n - 1) / n, r.row->size() - 1, "V(N-1)/(N W/2)"};
}

}  // namespace

Algorithm algorithm_line() {
  return {"line", "both ways along a line, shard by shard", "Scaling Book ch. 3, pop quiz 2", obstacle, schedule, closed_form};
}

}  // namespace hopsim

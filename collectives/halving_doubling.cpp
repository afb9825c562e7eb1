// Halving-doubling (Rabenseifner): a ReduceScatter in which chips 1, 2, 4, ... apart exchange a half, a quarter, an
// eighth, ... of the vector, dimensions in turn; then an AllGather, its reversal.
#include "collectives/doubling.hpp"

namespace hopsim {
namespace {

constexpr DoublingRule kRule{.name = "halving_doubling", .distance = doubling_distance};

std::string obstacle(const Request& r) { return doubling_obstacle(kRule, r); }
Schedule schedule(const Request& r) { return doubling_schedule(kRule, r); }
ClosedForm closed_form(const Request& r) { return doubling_form(kRule, r); }

}  // namespace

Algorithm algorithm_halving_doubling() {
  return {"halving_doubling",
          "halves, quarters, ... between chips 1, 2, 4, ... apart, and back; powers of two",
          "Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

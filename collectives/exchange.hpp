// What algorithms share that send every block straight to its target: AllToAll along a row, far peers first, all
// posted at once; permutations.
#pragma once

#include "collectives/algorithm.hpp"

namespace hopsim {

// How far a direction carries blocks; a block for the chip exactly halfway round may come half from either side.
struct ExchangeDirection {
  int sign = 1;
  int reach = 0;
  enum class Farthest { whole, first_half, second_half } farthest = Farthest::whole;
};

// Atom (source * n + target) * per_block + piece is part of the block from one member to another.
Schedule exchange_schedule(const Request&, std::uint32_t halves, const std::vector<ExchangeDirection>&);

// request.pairs; blocks for the chip exactly halfway round a ring go half either way.
Schedule permutation_schedule(const Request&);

// Hops from one position to another, the shorter way round; two where both are equally short.
std::vector<int> short_ways(const Row&, int from, int to);

}  // namespace hopsim

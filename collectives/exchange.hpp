// What rings and lines share of AllToAll: every block straight to its target along the row, far peers first, all
// posted at once.
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

}  // namespace hopsim

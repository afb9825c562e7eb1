// AllToAll of rings and lines: every block straight to its target along the row, far peers first, all posted at once.
// And when that would be too much.
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

// Whether what a chip sends to all others goes one message after another out of each port, so that only what is under
// way takes memory, and links do not wait in long queues: in large rows of a grid. Smaller ones pay the overhead
// before a message once for all they post.
bool paced_exchange(const Request&);

}  // namespace hopsim

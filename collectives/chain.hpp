// Rooted operations along a row: what the root has goes from chip to chip, one way round, both ways round, or from
// the root to both ends of a line; in pieces that are passed on as they arrive.
#pragma once

#include "collectives/rooted.hpp"

namespace hopsim {

enum class Chain {
  around,     // one way round: all to the chip before the root; an equal share round each of the wiring's rings
  both_ways,  // half round either way; blocks of a scatter the shorter way
  ends,       // all of it to both ends
};

std::string chain_obstacle(std::string_view algorithm, const Request&);
Schedule chain_schedule(const Request&, Chain);
ClosedForm chain_form(const Request&, Chain);
int chain_chunks(const Request&, Chain);  // 1 for operations that are not rooted

}  // namespace hopsim

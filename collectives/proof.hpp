// The data-flow proof: a schedule interpreted on labels. No engine, no time.
//
// Lanes run in a random order as far as they can, so a missing wait between lanes shows; a message is applied when
// its step takes it. Labels are random 64-bit numbers, sums are modulo 2^64: each chip must end with every
// contribution exactly once and nothing else. A false schedule passes with a chance of about 2^-64 an atom.
//
// Cost: chips x atoms words of memory, and the bytes of a run in time.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "collectives/algorithm.hpp"
#include "sim/coordinates.hpp"

namespace hopsim {

// A schedule moved the wrong data, or would never end. The message names the chip and the chunk.
struct ProofFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// That `schedule` carries out `request.operation` in every row of the (unfolded) shape.
void prove(const Shape&, const Request&, const Schedule&, std::uint64_t seed = 1);

}  // namespace hopsim

// The proof on values: a strategy carried out on integers modulo 2^64, so that order never matters.
//
// Every chip holds its block of random operands (padding is garbage that must not count); each step does to the
// blocks what it says it does, chip by chip; at the end every chip's block of the output must be that of the true
// contraction, computed unsharded. That each collective's schedule moves what the step says is the data-flow proof's
// matter (collectives/proof.hpp).
//
// Dimensions are cut down first, to at most two elements a chip that split alike (same remainders), and equal blocks
// are computed once, so the cost does not grow with sizes: at most chips x 8 multiplications, and those of the small
// product.
#pragma once

#include "sharding/strategy.hpp"

namespace hopsim {

// Throws ProofFailed (collectives/proof.hpp): where a chip ends with a wrong element, naming both and the step that
// made it; where a step takes what no chip holds, or does something else than its kind and axes say; and where the
// output is not the one asked for (unless it says so itself: `as_asked`).
void prove_values(const Strategy&, const Product&, const Mesh&, std::uint64_t seed = 1);

// The same for a resharding: every chip ends with its block of the array, in the sharding the strategy ends with.
void prove_values(const Strategy&, const ArrayRef& from, const Mesh&, std::uint64_t seed = 1);

}  // namespace hopsim

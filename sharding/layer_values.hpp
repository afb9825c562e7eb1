// The proof of a layer on values: its steps carried out on integers modulo 2^64, chip by chip, so that order never
// matters; norms and softmax are the identity, the nonlinearity is x^2.
//
// At the end every chip's block of the output must be that of the layer computed unsharded, and every gradient (of
// the input and of all weights) must be the derivative: it is compared along random directions with a forward-mode
// derivative (dual numbers) of the unsharded layer, which knows nothing of backward passes.
//
// What a step reads must have been made by one that its `after` makes it wait for, and what is to be computed again
// is taken away first. A backward pass alone finds what a forward pass leaves.
//
// Sizes are cut down first to a few elements a chip, the axes to a few chips (4, or 2 of each where several make a
// group); all layers of a stack are alike, so at most two are carried out. Cost: milliseconds.
#pragma once

#include "sharding/layer.hpp"

namespace hopsim {

// Throws ProofFailed (collectives/proof.hpp), naming the step that made a wrong element, or the gradient.
void prove_layer(const Layer&, const Mesh&, std::uint64_t seed = 1);

}  // namespace hopsim

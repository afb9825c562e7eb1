// Layers computed plainly, on one chip and whole arrays, for the proof on values: what they are, not how they are
// carried out. Numbers are dual, v + d e with e^2 = 0, modulo 2^64: d is the derivative along the direction that the
// inputs' d gives. Norms and softmax are the identity, the nonlinearity is x^2.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sharding/layer.hpp"

namespace hopsim {

struct Dual {
  std::uint64_t v = 0, d = 0;
  friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
};
using Duals = std::vector<Dual>;                   // row-major
using DualWeights = std::map<std::string, Duals>;  // W; W1, W2; Wq, Wk, Wv, Wo

Duals reference_layer(const LayerSpec&, const DualWeights&, const Duals& input);

}  // namespace hopsim

// The transposes of a strategy's communication: what the backward pass does where the forward pass did this.
//
//   AllGather <-> ReduceScatter of the gradient;  AllReduce <-> nothing: the gradient is whole already;
//   Slice <-> AllGather;  AllToAll <-> AllToAll, back
//
// Source: "How to Scale Your Model", chapter 3.
#pragma once

#include <vector>

#include "scenarios/explain.hpp"

namespace hopsim {

std::vector<DualityNote> duality_of(const Strategy&);

}  // namespace hopsim

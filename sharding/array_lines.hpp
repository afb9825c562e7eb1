// Lines that change an array's elements in place, or only where they lie, checked and made definite.
//
//   H[B, F_X] = gelu(M[B, F_X])   every chip on its own blocks; all inputs, and the output, lie alike
//   A[I_X, J] -> A[I, J_X]        the same array in another sharding
//
// An elementwise function needs whole elements: gelu(a + b) is not gelu(a) + gelu(b), and add would count a whole
// operand once on each chip. So partial sums are refused.
//
// Errors: NotationError with the column of what does not fit; InputError where sizes overflow. Cost: linear in the
// line.
#pragma once

#include <vector>

#include "sharding/collective_step.hpp"

namespace hopsim {

struct ResolvedElementwise {
  std::vector<ArrayRef> inputs;  // sized, with element type; one that is given twice once
  ArrayRef output;               // the same; where the line has none, it replaces the first input
  Bytes bytes;                   // of one chip: each input read once, the output written once
};
ResolvedElementwise elementwise_step(const Elementwise&, const ArrayContext&);

struct ResolvedResharding {
  ArrayRef from, to;  // sized, with element type
};
ResolvedResharding resharding_step(const Reshard&, const ArrayContext&);

}  // namespace hopsim

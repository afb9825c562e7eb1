// JAX's way to say the same: a PartitionSpec for an array, an einsum for a product.
//
//   A[I_X, J]       P('X', None)
//   A[I_XY, J]      P(('X', 'Y'), None)
//   einsum('BD,DF->BF', A: P('X', 'Y'), B: P(None, 'Y'), out: P('X', 'Y'))
//                   out[B_X, F_Y] = A[B_X, D_Y] * B[D, F_Y]
//
// As in JAX, missing entries at the end are None. Without `out:` the output's sharding is to be found. `parse` of
// notation.hpp reads einsum lines too. Source: jax.sharding.PartitionSpec (docs.jax.dev).
//
// Errors: NotationError with the column; InputError for what a PartitionSpec cannot say (partial sums).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sharding/notation.hpp"

namespace hopsim {

std::string partition_spec(const ArrayRef&);

// One list of axes an entry.
std::vector<std::vector<std::string>> parse_partition_spec(std::string_view text, const AxisNames&);

// The array with the axes of a PartitionSpec in place of its own. REQUIRES: not a bare array.
ArrayRef with_partition_spec(ArrayRef, std::string_view text, const AxisNames&);

bool is_einsum(std::string_view text);
Matmul parse_einsum(std::string_view text, const AxisNames&);

}  // namespace hopsim

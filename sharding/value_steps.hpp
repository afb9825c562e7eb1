// What a step does to the blocks of all chips. For the proofs on values.
#pragma once

#include <optional>
#include <vector>

#include "sharding/value_blocks.hpp"
#include "sharding/value_shapes.hpp"

namespace hopsim {

// Per chip, what it holds after the collective, for its input and output of these shapes. Nothing where input and
// output do not differ as the collective's kind and axes say. REQUIRES: both have as many dimensions.
std::optional<std::vector<BlockId>> collected(Blocks&, const std::vector<BlockId>& held, const ResolvedCollective&,
                                              const BlockShape& from, const BlockShape& to);

// The output's block, of this shape, from those of both operands.
Block multiplied(const Block& lhs, const Block& rhs, const Lengths& output, const Contraction&);

}  // namespace hopsim

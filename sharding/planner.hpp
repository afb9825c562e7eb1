// The planner: every way to reach the wanted output of a product, and the cheapest of each kind.
//
// An operand, and the output, can be in any of its shardings on the mesh (each axis on one dimension, in some order,
// or on none; the output also unreduced over some). Moves lead from one to another: Slice (free), AllGather,
// ReduceScatter, AllReduce, AllToAll, over any axes that can go together. A strategy is a way from the operands as
// they are to shardings that can be multiplied, the product, and a way from its output to the wanted one. The ways
// are shortest paths, so tricks come by themselves: an operand that is replicated over an idle axis is sliced over it
// for free, and gathered over more links.
//
// A block must stay a block: with uneven sizes, blocks of I_XY gathered over Y are blocks of I_X only where they are
// as long; else the move is not offered (and all of I is gathered).
//
// Cost: about 50 shardings an operand and 90 an output on three axes, some thousand moves, each kind of them asked
// for its cost once.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sharding/strategy.hpp"

namespace hopsim {

// How many strategies are worth a closer look.
struct Shortlist {
  std::size_t most = 16;        // besides the plain ones, all of which are
  std::optional<Bytes> memory;  // of a chip: so many of those that fit are listed too
};

struct Strategies {
  std::vector<Strategy> list;  // cheapest estimate first, fewest steps among equals; no two with the same steps
  std::size_t considered = 0;  // pairs of operand shardings, and ways
};

// Of every pair of operand shardings that can be multiplied the cheapest way; the plain one of those pairs that the
// operands' own axes make. Of these also what ends in a ReduceScatter where an AllReduce was asked for (`as_asked`
// false). An open output: whatever is without partial sums.
Strategies product_strategies(const Product&, const Mesh&, const StepCosts&, const Shortlist& = {});

// The operands' shardings are free, and the output's where it is open: of every pair that can be multiplied as it
// stands the cheapest way to the output.
Strategies layout_strategies(const Product&, const Mesh&, const StepCosts&, const Shortlist& = {});

// From one sharding of an array to another: the plain way, and the cheapest where it differs. Throws InputError where
// there is none (partial sums cannot be made).
Strategies resharding_strategies(const ArrayRef& from, const ArrayRef& to, const Mesh&, const StepCosts&);

}  // namespace hopsim

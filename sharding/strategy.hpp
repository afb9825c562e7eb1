// A way to carry out a sharded product, or to bring an array from one sharding to another: steps, one after the
// other.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "sharding/collective_step.hpp"
#include "sharding/product.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

// What every chip multiplies: its blocks, padded ones whole.
struct LocalProduct {
  ArrayRef lhs, rhs, output;  // sized; the output with its partial sums
  DType dtype{};              // in which it is computed: the wider of the operands'
  Flops flops;                // 2 x the sizes of all dimensions
  Bytes bytes;                // both operands and the output, each once
};

using StrategyStep = std::variant<ResolvedCollective, LocalProduct>;

// Whether anything leaves a chip: not of a Slice, nor over axes of one chip.
inline bool moves_data(const ResolvedCollective& c) { return c.kind != CollectiveKind::slice && c.group > 1; }

// Input and output of a collective; operands and output of a product.
void for_each_array(const StrategyStep&, const std::function<void(const ArrayRef&)>&);

struct Strategy {
  std::string name;  // unique among those offered together
  std::vector<StrategyStep> steps;
  ArrayRef output;       // what it ends with
  bool partial = false;  // the product leaves partial sums
  bool plain = false;    // as the book does it: no more steps than it takes, no operand sliced further than it must
  bool as_asked = true;  // ends with the output asked for; else an alternative that costs less
  Bytes bytes_per_chip;  // of all arrays it reads and makes, each sharding once
  Time estimate;         // sum of the costs of its steps
};

// As a line of notation: "C[I, K]{U_X} = A[I, J_X] * B[J_X, K]".
std::string line(const StrategyStep&);

// From its steps: "gather B over X", "partial sums, AllReduce over X"; "as it stands" where nothing moves.
std::string name_of(const Strategy&);
std::string lines_of(const Strategy&);  // its steps, a line each
// Of all arrays it makes and those given, each sharding once, on one chip.
Bytes held_bytes(const Strategy&, std::vector<ArrayRef> arrays, const Mesh&);

// What a step costs by itself; a Slice is never asked for, it is free.
class StepCosts {
 public:
  virtual ~StepCosts() = default;
  virtual Time collective(
      const ResolvedCollective&) const = 0;             // by kind, axes, group and bytes; no arrays are given
  virtual Time product(const LocalProduct&) const = 0;  // by element type, FLOPs and bytes
};

}  // namespace hopsim

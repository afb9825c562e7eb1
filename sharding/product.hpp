// A sharded product made definite: what each dimension is for, which of the book's four cases it is, and why.
//
//   1  no contracting dimension is sharded: every chip multiplies what it has
//   2  one operand's is: gather it, or slice the other and add up partial sums
//   3  both are, along the same axis: partial sums, to be added up
//   4  one axis lies on two non-contracting dimensions: each chip would have a block of the diagonal only, so one of
//      the two must be gathered first
//
// A product with several axes has the highest case any of them makes. Batch dimensions, which the book has not:
// sharded in one operand only, case 1 (the other is sliced for free); differently in both, case 2 (one is gathered).
// Source: "How to Scale Your Model", chapter 3.
//
// Errors: NotationError with the column: dimensions that do not fit together, a contraction over nothing, an output
// dimension from nowhere, one that only one operand has and the output lacks, partial sums used as if they were
// whole. InputError for arrays of 2^63 elements and products of 2^86 multiplications. Cost: linear in the line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sharding/collective_step.hpp"

namespace hopsim {

enum class Role : std::uint8_t {
  batch,       // in both operands and the output
  lhs,         // of the left operand and the output
  rhs,         // of the right operand and the output
  contracted,  // in both operands, summed over
};

struct ProductDimension {
  std::string name;
  std::uint64_t size = 0;
  Role role{};
};

struct Product {
  std::vector<ProductDimension> dimensions;  // those of the output in its order, then the contracted ones
  ArrayRef lhs, rhs;                         // sized, with element type
  // Sized, with element type. Dimensions whose sharding is to be found are `open`; all are where the line has no
  // output. Its name is the line's, or the first of C, Out, C1 that no operand has.
  ArrayRef output;

  const ProductDimension& dimension(const std::string& name) const;
  bool open() const { return output.open(); }
};

Product resolve_product(const Matmul&, const ArrayContext&);

struct ProductCase {
  int number = 1;     // 1 to 4
  bool legal = true;  // not in case 4
  // For people, a sentence an axis or conflict, that of the highest case first: "both operands are sharded over Y
  // along the contracting dimension J".
  std::vector<std::string> reasons;
};
ProductCase classify(const Product&);

// The products of the backward pass, for gradients dA, dB and dC of the same shardings as A, B and C:
//   dA = dC * B^T, contracted over what only B has;  dB = A^T * dC, contracted over what only A has.
// REQUIRES: the product's output is not open. InputError where an operand has no dimension of its own: the other
// one's gradient is an outer product then.
struct BackwardProducts {
  Matmul lhs, rhs;
};
BackwardProducts backward(const Product&);

}  // namespace hopsim

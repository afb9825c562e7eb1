// Products made definite: roles, the four cases with their reasons, the backward pass, and lines that do not fit.
#include "sharding/product.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hopsim {
namespace {

using Strings = std::vector<std::string>;

const Mesh kMesh({{"X", 4}, {"Y", 2}, {"Z", 2}});
const Sizes kSizes{{"B", 6}, {"I", 12}, {"J", 8}, {"K", 16}, {"L", 5}};

Product product(const std::string& line) {
  const Arrays arrays{{"Known", parse_array("fp32 Known[I_X, J]", kMesh.names())},
                      {"Pending", parse_array("Pending[J, K]{U_Z}", kMesh.names())}};
  return resolve_product(std::get<Matmul>(parse(line, kMesh.names())), {kMesh, kSizes, DType::bf16, arrays});
}

std::string roles(const Product& p) {
  std::string text;
  for (const ProductDimension& d : p.dimensions) {
    text += d.name + std::to_string(d.size) + "blrc"[static_cast<int>(d.role)] + " ";
  }
  return text;
}

TEST(Product, RolesAndOutputs) {
  struct Case {
    std::string line, roles, output;
  };
  const std::vector<Case> cases{
      {"C[I_X, K] = A[I_X, J] * B[J, K]", "I12l K16r J8c ", "bf16 C[I_X=12, K=16]"},
      {"C[K, I_X] = A[I_X, J] * B[J, K]", "K16r I12l J8c ", "bf16 C[K=16, I_X=12]"},
      {"C[I, K]{U_Y} = A[I, J_Y] * B[J_Y, K]", "I12l K16r J8c ", "bf16 C[I=12, K=16]{U_Y}"},
      {"A[I_X, J] * B[J, K]", "I12l K16r J8c ", "bf16 C[I_?=12, K_?=16]"},
      {"A[J, I] * B[K, J]", "I12l K16r J8c ", "bf16 C[I_?=12, K_?=16]"},
      {"D[?, ?] = A[I, J] * B[J, K]", "I12l K16r J8c ", "bf16 D[I_?=12, K_?=16]"},
      {"D = A[I, J] * B[J, K]", "I12l K16r J8c ", "bf16 D[I_?=12, K_?=16]"},
      {"D[K_Y, ?] = A[I, J] * B[J, K]", "K16r I12l J8c ", "bf16 D[K_Y=16, I_?=12]"},
      {"D[I_?, K] = A[I, J] * B[J, K]", "I12l K16r J8c ", "bf16 D[I_?=12, K=16]"},
      {"C[B, I, K] = A[B, I, J] * W[B, J, K]", "B6b I12l K16r J8c ", "bf16 C[B=6, I=12, K=16]"},
      {"A[B, I, J] * W[B, J, K]", "I12l K16r B6c J8c ", "bf16 C[I_?=12, K_?=16]"},
      {"A[I, J, B] *_J W[B, J, K]", "B6b I12l K16r J8c ", "bf16 C[B_?=6, I_?=12, K_?=16]"},
      {"C[?, ?, K] = A[I, J, B] *_J W[B, J, K]", "B6b I12l K16r J8c ", "bf16 C[B_?=6, I_?=12, K=16]"},
      {"C[I] = A[I, J] * v[J]", "I12l J8c ", "bf16 C[I=12]"},
      {"Known * B[J, K]", "I12l K16r J8c ", "fp32 C[I_?=12, K_?=16]"},
      {"int8 C[I, M] = int8 A[I, J] * B[J, M=3]", "I12l M3r J8c ", "int8 C[I=12, M=3]"},
      {"fp32 C[I, K] = A[I, J] * int8 B[J, K]", "I12l K16r J8c ", "fp32 C[I=12, K=16]"},
      {"C[I, J] * B[J, K]", "I12l K16r J8c ", "bf16 Out[I_?=12, K_?=16]"},
      {"Out[I, J] * C[J, K]", "I12l K16r J8c ", "bf16 C1[I_?=12, K_?=16]"},
      {"einsum('IJ,JK->IK', A: P('X'), B: P())", "I12l K16r J8c ", "bf16 out[I_?=12, K_?=16]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    try {
      const Product p = product(c.line);
      EXPECT_EQ(roles(p), c.roles);
      EXPECT_EQ(print(p.output), c.output);
      EXPECT_EQ(p.open(), c.output.find('?') != std::string::npos);
    } catch (const NotationError& e) {
      ADD_FAILURE() << e.column() << ": " << e.what();
    }
  }
  EXPECT_EQ(print(product("Known * B[J, K]").lhs), "fp32 Known[I_X=12, J=8]");
  EXPECT_EQ(print(product("Known * B[J, K]").rhs), "bf16 B[J=8, K=16]");
  EXPECT_EQ(product("A[I, J] * B[J, K]").dimension("K").size, 16u);
}

TEST(Product, ErrorsNameTheColumn) {
  struct Case {
    std::string line;
    int column;
    std::string message;
  };
  const std::vector<Case> cases{
      {"C[I] = A[I, J, I] * B[J]", 16,
       "an array of a product has dimension I twice; got A[I, J, I]; valid: another name for one of them"},
      {"C[I, K, K] = A[I, J] * B[J, K]", 9,
       "an array of a product has dimension K twice; got C[I, K, K]; valid: another name for one of them"},
      {"C[I, K] = A[I, J] * B[J=9, K]", 23, "dimension J has two sizes; got 9; valid: 8"},
      {"C[I=13, K] = A[I, J] * B[J, K]", 3, "dimension I has two sizes; got 13; valid: 12"},
      {"C[I, L] = A[I, J] * B[K, L]", 21,
       "nothing to contract over: the operands share no dimension; got A[I, J] * B[K, L]; valid: a dimension in "
       "both, "
       "as J in A[I, J] * B[J, K]"},
      {"C[I, J] = A[I, J] * B[J]", 1,
       "nothing to contract over: the output has all that the operands share; got C[I, J]; valid: an output without "
       "J"},
      {"C[I, K, L] = A[I, J] * B[J, K]", 9, "the output has a dimension that no operand has; got L; valid: I, K"},
      {"C[K] = A[I, J] * B[J, K]", 10,
       "only A has dimension I, and the output lacks it; got C[K]; valid: I in the output, or in both operands"},
      {"C[I] = A[I, J] * B[J, K]", 23,
       "only B has dimension K, and the output lacks it; got C[I]; valid: K in the output, or in both operands"},
      {"C[?, ?, ?] = A[I, J] * B[J, K]", 9,
       "the output has more dimensions than the product; got C[?, ?, ?]; valid: I, K"},
      {"C[?] = A[I, J] * B[J, K]", 23,
       "only B has dimension K, and the output lacks it; got C[?]; valid: K in the output, or in both operands"},
      {"C[I, K] = A[I, J]{U_X} * B[J, K]", 11,
       "a partial sum is not the array; got A[I, J]{U_X}; valid: AllReduce_X or ReduceScatter_X first"},
      {"C[I, K] = A[I, J] * Pending", 21,
       "a partial sum is not the array; got Pending[J, K]{U_Z}; valid: AllReduce_Z or ReduceScatter_Z first"},
      {"C[I, K] = A[..., J] * B[J, K]", 13,
       "a product needs the names of all dimensions; got A[..., J]; valid: names such as A[I, J] * B[J, K]"},
      {"C[I, K] = A[I, J] * B[J, 16]", 26,
       "a product needs the names of all dimensions; got B[J, 16]; valid: names such as A[I, J] * B[J, K]"},
      {"C[12, K] = A[I, J] * B[J, K]", 3,
       "the output of a product needs the names of its dimensions; got C[12, K]; valid: I, K, or ?"},
      {"A[I, J] *_K B[J, K]", 13, "only a dimension of both operands can be summed over; got K; valid: J"},
      {"C[I, J] = A[I, J] *_J B[J, K]", 6,
       "the output has dimension J, which is summed over; got C[I, J]; valid: the output without it"},
      {"C[I, K] = A[B, I, J] *_J B[B, J, K]", 13,
       "both operands have dimension B, the output does not; got a sum over J only; valid: B in the output, or in "
       "the "
       "sum"},
      {"C[I, K] = A[I, J] * Unknown", 21,
       "no line before defines this array; got Unknown; valid: Known, Pending, or Unknown[...] with its dimensions"},
      {"C[I, M] = A[I, J] * B[J, M]", 26, "dimension M has no size; valid: B, I, J, K, L, or M=1024 inline"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    try {
      product(c.line);
      ADD_FAILURE() << "no error";
    } catch (const NotationError& e) {
      EXPECT_EQ(e.column(), c.column);
      EXPECT_EQ(std::string(e.what()), c.message);
    }
  }
}

TEST(Product, WhatCannotBeCounted) {
  const auto message = [](const std::string& line) -> std::string {
    const Mesh one_chip;
    try {
      resolve_product(std::get<Matmul>(parse(line, kMesh.names())), {one_chip, kSizes, DType::int8, {}});
      return {};
    } catch (const InputError& e) {
      return e.what();
    }
  };
  const std::string big = "1073741824";  // 2^30
  EXPECT_EQ(message("A[P=4294967296, Q=4294967296] * B[Q, R=1]"),
            "an array has too many elements or bytes; got int8 A[P=4294967296, Q=4294967296]; valid: less than 2^63");
  EXPECT_EQ(message("A[P=" + big + ", Q=" + big + "] * B[Q, R=" + big + "]"),
            "the product has too many multiplications; valid: less than 2^86");
  EXPECT_EQ(message("A[P=" + big + ", Q=" + big + "] * B[Q, R=67108863]"), "");  // 2^86 - 2^60
}

struct Classified {
  std::string line;
  int number;
  Strings reasons;
};

void expect_cases(const std::vector<Classified>& cases) {
  for (const Classified& c : cases) {
    SCOPED_TRACE(c.line);
    const ProductCase result = classify(product(c.line));
    EXPECT_EQ(result.number, c.number);
    EXPECT_EQ(result.legal, c.number != 4);
    EXPECT_EQ(result.reasons, c.reasons);
  }
}

const std::string kCaseOne = "no contracting dimension is sharded: every chip multiplies the blocks it has";

TEST(ProductCase, TheBooksFour) {
  expect_cases({
      {"C[I_X, K_Y] = A[I_X, J] * B[J, K_Y]", 1, {kCaseOne}},
      {"A[I, J] * B[J, K]", 1, {kCaseOne}},
      {"C[I, K] = A[I, J_X] * B[J, K]",
       2,
       {"A is sharded over X along the contracting dimension J, B is not: gather A, or slice B and add up partial "
        "sums"}},
      {"C[I, K] = A[I, J] * B[J_XY, K]",
       2,
       {"B is sharded over XY along the contracting dimension J, A is not: gather B, or slice A and add up partial "
        "sums"}},
      {"C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]",
       3,
       {"both operands are sharded over Y along the contracting dimension J: every chip gets a partial sum, "
        "C[I_X, K]{U_Y}"}},
      {"A[I_X, J] * B[J, K_X]",
       4,
       {"axis X is on I of A and on K of B: each chip would get a block of the diagonal only; gather one of them "
        "first"}},
  });
}

TEST(ProductCase, SeveralAxesMakeTheHighestCase) {
  const auto one_sided = [](const std::string& a, const std::string& axis, const std::string& b) {
    return a + " is sharded over " + axis + " along the contracting dimension J, " + b + " is not: gather " + a +
           ", or slice " + b + " and add up partial sums";
  };
  expect_cases({
      {"A[I, J_X] * B[J_Y, K]", 2, {one_sided("A", "X", "B"), one_sided("B", "Y", "A")}},
      {"A[I, J_XY] * B[J_X, K]",
       3,
       {"both operands are sharded over X along the contracting dimension J: every chip gets a partial sum",
        one_sided("A", "Y", "B")}},
      {"A[I, J_XY] * B[J_YX, K]",
       2,
       {"A is sharded over X along the contracting dimension J, B too, but in another order: gather one of them",
        "A is sharded over Y along the contracting dimension J, B too, but in another order: gather one of them",
        "B is sharded over Y along the contracting dimension J, A too, but in another order: gather one of them",
        "B is sharded over X along the contracting dimension J, A too, but in another order: gather one of them"}},
      {"A[I_X, J] * B[J_X, K]",
       2,
       {"B is sharded over X along the contracting dimension J, A along I: gather B, or move X of A to J and add up "
        "partial sums"}},
      {"A[I_X, J_Y] * B[J_Z, K_X]",
       4,
       {"axis X is on I of A and on K of B: each chip would get a block of the diagonal only; gather one of them "
        "first",
        one_sided("A", "Y", "B"), one_sided("B", "Z", "A")}},
      {"A[I, J_X, L_Y] * B[L_Y, K_Z, J_X]",
       3,
       {"both operands are sharded over X along the contracting dimension J: every chip gets a partial sum, "
        "C[I, K_Z]{U_XY}",
        "both operands are sharded over Y along the contracting dimension L: every chip gets a partial sum, "
        "C[I, K_Z]{U_XY}"}},
  });
}

TEST(ProductCase, BatchDimensions) {
  expect_cases({
      {"C[B, I, K] = A[B_X, I, J] * W[B_X, J, K]", 1, {kCaseOne}},
      {"C[B, I, K] = A[B_X, I, J] * W[B, J, K]",
       1,
       {kCaseOne, "A is sharded over X along the batch dimension B, W is not: slice it, which is free"}},
      {"C[B, I, K] = A[B_X, I, J] * W[B_Y, J, K]",
       2,
       {"A is sharded over X along the batch dimension B, W over Y: gather one of them"}},
      {"C[B, I, K] = A[B_X, I, J] * W[B, J, K_X]",
       4,
       {"axis X is on B of A and on K of W: each chip would get a block of the diagonal only; gather one of them "
        "first"}},
      {"C[B, I, K] = A[B_X, I, J_Y] * W[B_X, J_Y, K]",
       3,
       {"both operands are sharded over Y along the contracting dimension J: every chip gets a partial sum, "
        "C[B_X, I, K]{U_Y}"}},
  });
}

// By hand: C = A B, so dA = dC B^T and dB = A^T dC.
TEST(Backward, GradientsKeepTheShardings) {
  const auto text = [](Matmul m) {
    for (ArrayRef* a : {&*m.output, &m.lhs, &m.rhs}) {
      EXPECT_TRUE(a->dtype);
      a->dtype.reset();
      for (Dimension& d : a->dimensions) d.size.reset();
    }
    return print(m);
  };
  const BackwardProducts b = backward(product("C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]"));
  EXPECT_EQ(text(b.lhs), "dA[I_X, J_Y] = dC[I_X, K] *_K B[J_Y, K]");
  EXPECT_EQ(text(b.rhs), "dB[J_Y, K] = A[I_X, J_Y] *_I dC[I_X, K]");
  // The duality: forward the second one gathers J of B (case 2); backward its gradient is a partial sum (case 3).
  const Product forward = product("C[I_X, K] = A[I_X, J] * B[J_X, K]");
  EXPECT_EQ(classify(forward).number, 2);
  const BackwardProducts dual = backward(forward);
  EXPECT_EQ(text(dual.lhs), "dA[I_X, J] = dC[I_X, K] *_K B[J_X, K]");
  EXPECT_EQ(text(dual.rhs), "dB[J_X, K] = A[I_X, J] *_I dC[I_X, K]");
  const Product gradient = resolve_product(dual.rhs, {kMesh, {}, DType::bf16, {}});
  EXPECT_EQ(classify(gradient).number, 3);

  const BackwardProducts batched = backward(product("C[B_Z, I, K_X]{U_Y} = A[B_Z, I, J_Y] * W[B_Z, J_Y, K_X]"));
  EXPECT_EQ(text(batched.lhs), "dA[B_Z, I, J_Y] = dC[B_Z, I, K_X] *_K W[B_Z, J_Y, K_X]");
  EXPECT_EQ(text(batched.rhs), "dW[B_Z, J_Y, K_X] = A[B_Z, I, J_Y] *_I dC[B_Z, I, K_X]");
  EXPECT_EQ(roles(resolve_product(batched.rhs, {kMesh, {}, DType::bf16, {}})), "B6b J8l K16r I12c ");

  EXPECT_THROW(backward(product("C[I] = A[I, J] * v[J]")), InputError);
}

}  // namespace
}  // namespace hopsim

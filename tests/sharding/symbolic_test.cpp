// Formulas as the book writes them, and thresholds solved by hand.
#include "sharding/symbolic.hpp"

#include <gtest/gtest.h>

namespace hopsim {
namespace {

const Mesh kMesh({{"X", 4}, {"Y", 8}, {"Z", 2}});

ResolvedCollective step(const std::string& line, DType dtype = DType::bf16) {
  const Sizes sizes{{"I", 1024}, {"J", 2048}, {"K", 4096}};
  return collective_step(std::get<Collective>(parse(line, kMesh.names())),
                         {.mesh = kMesh, .sizes = sizes, .dtype = dtype, .arrays = {}});
}

std::string wire(const std::string& line, DType dtype = DType::bf16, int dimensions = 1) {
  return wire_text(step(line, dtype), {.dimensions = dimensions, .spans = {}, .switched = false});
}

TEST(Symbolic, TheCostsOfTheBook) {
  EXPECT_EQ(wire("A[I, J] = AllGather_X(A[I_X, J])"), "2 I J / W");
  EXPECT_EQ(wire("C[I_X, K] = AllReduce_Y(C[I_X, K]{U_Y})"), "4 (I/X) K / W");
  EXPECT_EQ(wire("C[I_X, K_Y] = ReduceScatter_Y,K(C[I_X, K]{U_Y})"), "2 (I/X) K / W");
  EXPECT_EQ(wire("A[I, J_X] = AllToAll_X,J(A[I_X, J])"), "0.5 I J / W");
  EXPECT_EQ(wire("A[I_X, J] = Slice_X,I(A[I, J])"), "0");
}

TEST(Symbolic, BytesAreThoseOfTheElementType) {
  EXPECT_EQ(wire("A[I, J] = AllGather_X(A[I_X, J])", DType::int8), "I J / W");
  EXPECT_EQ(wire("A[I, J] = AllGather_X(A[I_X, J])", DType::int4), "0.5 I J / W");
  EXPECT_EQ(wire("C[I, K] = AllReduce_X(C[I, K]{U_X})", DType::fp32), "8 I K / W");
}

TEST(Symbolic, SeveralAxesShareTheWork) {
  EXPECT_EQ(wire("A[I, J_Z] = AllGather_XY(A[I_XY, J_Z])", DType::bf16, 2), "2 I (J/Z) / (2 W)");
  // V max(A, B) / (4 N W) over 4 x 8 chips: 2 x 8 / (4 x 32) = 1/8.
  const WireRule torus{.dimensions = 2, .spans = {4, 8}, .switched = false};
  EXPECT_EQ(wire_text(step("A[I, J_XY] = AllToAll_XY,J(A[I_XY, J])"), torus), "0.125 I J / W");
  // On a switch V / (N W).
  EXPECT_EQ(wire_text(step("A[I, J_X] = AllToAll_X,J(A[I_X, J])"), {.dimensions = 1, .spans = {}, .switched = true}),
            "0.5 I J / W");
}

TEST(Symbolic, AnAllReduceMovesTwice) {
  const ResolvedCollective c = step("C[I_X, K] = AllReduce_Y(C[I_X, K]{U_Y})");
  EXPECT_EQ(array_bytes_text(c), "2 (I/X) K");
  EXPECT_EQ(c.bytes, Bytes(2 * 256 * 4096));
  EXPECT_EQ(wire_bytes(c, {}), 2.0 * 2 * 256 * 4096);
}

TEST(Symbolic, LocalShapes) {
  EXPECT_EQ(local_shape_text(parse_array("A[I_XY, J]", kMesh.names())), "[I/XY, J]");
  EXPECT_EQ(local_shape_text(parse_array("A[I_{data,model}]", AxisNames::any())), "[I/{data,model}]");
  EXPECT_EQ(bytes_text(parse_array("int8[128, 2048]", kMesh.names())), "(128) (2048)");
}

// ---- conditions

ArrayRef array(const std::string& text) { return parse_array(text, kMesh.names()); }

LocalProduct product(const std::string& lhs, const std::string& rhs, const std::string& output) {
  return {
      .lhs = array(lhs), .rhs = array(rhs), .output = array(output), .dtype = DType::bf16, .flops = {}, .bytes = {}};
}

TEST(Symbolic, WhatIsCommonToBothSidesCancels) {
  const LocalProduct partial = product("A[I_X, J_Y]", "B[J_Y, K]", "C[I_X, K]{U_Y}");
  EXPECT_EQ(condition_text(partial, {{step("C[I_X, K] = AllReduce_Y(C[I_X, K]{U_Y})"), {}}}), "J/Y >= 2 C / W");
  EXPECT_EQ(condition_text(partial, {{step("C[I_X, K_Y] = ReduceScatter_Y,K(C[I_X, K]{U_Y})"), {}}}), "J/Y >= C / W");
  // FSDP gathers the weights, each chip has its share of the batch: I/X > C/W.
  EXPECT_EQ(
      condition_text(product("A[I_X, J]", "B[J, K]", "C[I_X, K]"), {{step("B[J, K] = AllGather_X(B[J_X, K])"), {}}}),
      "I/X >= C / W");
}

TEST(Symbolic, SeveralCostsStayASum) {
  EXPECT_EQ(
      condition_text(product("A[I, J]", "B[J, K]", "C[I, K]"), {{step("A[I, J] = AllGather_X(A[I_X, J])"), {}},
                                                                {step("B[J, K] = AllGather_X(B[J_X, K])"), {}}}),
      "2 I K J / C >= 2 I J / W + 2 J K / W");
}

TEST(Symbolic, WithoutCommunicationMemoryIsTheRival) {
  EXPECT_EQ(condition_text(product("A[I_X, J]", "B[J, K]", "C[I_X, K]"), {}),
            "2 (I/X) K J / C >= (2 (I/X) J + 2 J K + 2 (I/X) K) / W_hbm");
}

// ---- thresholds

const std::vector<std::string> kOrder{"D", "B", "F"};

// 2 B D F / C >= 4 B F / W, C = 200, W = 10: D >= 2 x 200/10 = 40, whatever B and F.
TEST(Thresholds, UnknownSizesThatCancelDoNotMatter) {
  const auto found = thresholds({{2 / 200.0, {"B", "D", "F"}}}, {{4 / 10.0, {"B", "F"}}}, kOrder, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].variable, "D");
  EXPECT_NEAR(found[0].above.value(), 40, 1e-9);
  EXPECT_FALSE(found[0].below);
}

// Both operands gathered: 2 B D F / C >= 2 B D / W + 2 D F / W, or B F >= 20 (B + F). With F = 100: 80 B >= 2000,
// B >= 25. With B = 25 likewise 5 F >= 500, F >= 100. With F = 10: -10 B >= 200, never.
TEST(Thresholds, SumsAreLinearInEachSize) {
  const Terms work{{2 / 200.0, {"B", "D", "F"}}}, cost{{2 / 10.0, {"B", "D"}}, {2 / 10.0, {"D", "F"}}};
  const auto one = thresholds(work, cost, kOrder, {{"F", 100}});
  ASSERT_EQ(one.size(), 1u);  // of F the other size is missing
  EXPECT_EQ(one[0].variable, "B");
  EXPECT_NEAR(one[0].above.value(), 25, 1e-9);
  const auto both = thresholds(work, cost, kOrder, {{"F", 100}, {"B", 25}});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NEAR(both[1].above.value(), 100, 1e-9);
  const auto never = thresholds(work, cost, kOrder, {{"F", 10}});
  ASSERT_EQ(never.size(), 1u);
  EXPECT_FALSE(never[0].has_value());
  EXPECT_FALSE(never[0].always);
}

// D F + 3 F >= 5 D F in D: 3 >= 4 D, below 3/4.
TEST(Thresholds, SomeLieBelow) {
  const auto found = thresholds({{1, {"D", "F"}}, {3, {"F"}}}, {{5, {"D", "F"}}}, kOrder, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].below.value(), 0.75, 1e-12);
}

TEST(Thresholds, WhereAllCancelItIsAlwaysOrNever) {
  const auto always = thresholds({{2, {"D"}}}, {{1, {"D"}}}, kOrder, {});
  ASSERT_EQ(always.size(), 1u);
  EXPECT_EQ(always[0].variable, "");
  EXPECT_TRUE(always[0].always);
  EXPECT_FALSE(thresholds({{1, {"D"}}}, {{2, {"D"}}}, kOrder, {}).at(0).always);
}

// int8 on one v5e: 2 B D F / 394e12 >= (D F + (D + F) B) / 820e9; B >= D F / (2 D F 820e9/394e12 - (D + F)).
TEST(Thresholds, AgainstMemory) {
  const double byte = 1 / 820e9;
  const auto found =
      thresholds({{2 / 394e12, {"B", "D", "F"}}}, {{byte, {"B", "D"}}, {byte, {"D", "F"}}, {byte, {"B", "F"}}}, {"B"},
                 {{"D", 4096}, {"F", 16384}});
  const double d = 4096, f = 16384;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].above.value(), d * f / (2 * d * f * 820e9 / 394e12 - (d + f)), 1e-6);
  EXPECT_NEAR(found[0].above.value(), 259.25, 0.01);
}

// The work goes as 1/n. At 4 chips it is half the cost. Constant cost: n < 2. Cost as (n-1)/n: at 4 chips 3/4 of
// what it tends to, c; work K/4 = 3c/8, K = 1.5 c; K/n >= c (n-1)/n for n <= 2.5.
TEST(Thresholds, AlongAnAxis) {
  EXPECT_NEAR(axis_threshold("X", 4, 0.5, AxisLaw::constant).below.value(), 2, 1e-12);
  EXPECT_NEAR(axis_threshold("X", 4, 0.5, AxisLaw::share).below.value(), 2.5, 1e-12);
}

TEST(Thresholds, QuotientsCancelToo) {
  const Terms work{{2, {"B", "D"}}}, cost{{8, {"B"}}};
  EXPECT_NEAR(quotient(work, cost, {{"D", 2}}).value(), 0.5, 1e-12);
  EXPECT_FALSE(quotient(work, cost, {{"B", 2}}));
}

}  // namespace
}  // namespace hopsim

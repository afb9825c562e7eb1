// What explain answers, against values worked out by hand from the book's formulas.
#include "scenarios/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/explain_duality.hpp"
#include "scenarios/explain_json.hpp"
#include "scenarios/machine_spec.hpp"

namespace hopsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MachineModel machine(const std::string& yaml) {
  return build_machine(load_machine(parse_document(yaml, "test").root));
}

MachineModel v5p() { return machine("{chip: tpu_v5p, slice: 4x4x4, ideal: true}"); }
MachineModel v4p() { return machine("{chip: tpu_v4p, slice: 4x4x4, ideal: true}"); }

const ExplainedStrategy& named(const Explanation& e, const std::string& name) {
  const auto found = std::find_if(e.strategies.begin(), e.strategies.end(),
                                  [&](const ExplainedStrategy& s) { return s.costed.strategy.name == name; });
  if (found == e.strategies.end()) throw std::runtime_error("no strategy " + name);
  return *found;
}

// ---- in symbols

TEST(Explain, ThePopQuizOfCaseThree) {
  const Explanation e = explain({.line = "C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]"});
  EXPECT_EQ(e.product_case->number, 3);
  EXPECT_TRUE(e.product_case->legal);
  EXPECT_EQ(e.local_product, "C[I_X, K]{U_Y}");
  EXPECT_THAT(e.missing_sizes, ElementsAre("I", "J", "K"));
  EXPECT_FALSE(e.chosen);
  EXPECT_EQ(e.output, "C[I_X, K]");
  const ExplainedStrategy& s = e.strategies.front();
  ASSERT_EQ(s.communication.size(), 1u);
  EXPECT_EQ(s.communication[0].step.kind, CollectiveKind::all_reduce);
  EXPECT_EQ(s.communication[0].array_bytes, "2 (I/X) K");
  EXPECT_EQ(s.communication[0].wire_cost, "4 (I/X) K / W");
  EXPECT_EQ(s.compute_bound->condition, "J/Y >= 2 C / W");
  const auto scattered = std::find_if(e.strategies.begin(), e.strategies.end(),
                                      [](const ExplainedStrategy& o) { return !o.costed.strategy.as_asked; });
  ASSERT_NE(scattered, e.strategies.end());
  EXPECT_EQ(scattered->communication.back().wire_cost, "2 (I/X) K / W");
}

TEST(Explain, AnIllegalProductHasTwoRepairs) {
  const Explanation e = explain({.line = "A[I_X, J] * B[J, K_X]"});
  EXPECT_EQ(e.product_case->number, 4);
  EXPECT_FALSE(e.product_case->legal);
  EXPECT_EQ(e.local_product, "");
  EXPECT_EQ(named(e, "gather A over X").communication[0].wire_cost, "2 I J / W");
  EXPECT_EQ(named(e, "gather B over X").communication[0].wire_cost, "2 J K / W");
}

// ---- thresholds: C = 197 TFLOP/s, W = 90 GB/s, C/W = 2188.9

double threshold_of_partial_sums(const std::string& chip, bool book) {
  const MachineModel m = machine(chip);
  const Explanation e = explain({.line = "Z[B, F] = X[B, D_X] * W[D_X, F]", .machine = &m, .book = book});
  const auto& bound = *named(e, "partial sums, AllReduce over X").compute_bound;
  EXPECT_EQ(bound.main->variable, "D");
  EXPECT_FALSE(bound.against_memory);
  return bound.main->above.value();
}

TEST(Explain, TheRooflineOfAnAllReduceOnV5e) {
  // 2 B D F / (N C) >= 4 B F / W by the book's ring: D > 2 N C / W.
  const double ring = 2 * 4 * 197e12 / 90e9;
  const std::string wrapped = "{chip: tpu_v5e, slice: 4, wrap: [true], ideal: true}";
  EXPECT_NEAR(threshold_of_partial_sums(wrapped, true), ring, 0.1);           // 17,511
  EXPECT_NEAR(threshold_of_partial_sums(wrapped, false), ring * 3 / 4, 0.1);  // (N-1)/N of it: 13,133
  const std::string line = "{chip: tpu_v5e, slice: 4, ideal: true}";
  EXPECT_NEAR(threshold_of_partial_sums(line, false), ring * 3 / 2, 0.1);  // one way of each link: 26,267
  EXPECT_NEAR(threshold_of_partial_sums("{chip: tpu_v5e, slice: 2, ideal: true}", false), ring / 2, 0.1);  // 8,755
}

// C / W = 459e12 / 180e9 = 2550.
TEST(Explain, TheTwoStrategiesOfProblemFourOnV5p) {
  const MachineModel m = v5p();
  const Explanation e =
      explain({.line = "Z[B, F] = X[B, D] * Y[D_X, F]", .machine = &m, .sizes = {{"D", 8192}}, .book = true});
  const ComputeBound& gather = *named(e, "gather Y over X").compute_bound;
  EXPECT_EQ(gather.main->variable, "B");
  EXPECT_NEAR(gather.main->above.value(), 2550, 0.1);
  const ComputeBound& partial = *named(e, "slice X over X along D, partial sums, AllReduce over X").compute_bound;
  EXPECT_EQ(partial.main->variable, "D");
  EXPECT_NEAR(partial.main->above.value(), 4 * 5100, 0.5);
  // X below D W / (2 C).
  EXPECT_EQ(partial.all.back().variable, "X");
  EXPECT_NEAR(partial.all.back().below.value(), 8192 / 5100.0, 1e-3);
}

TEST(Explain, WithoutCommunicationMemoryIsTheBound) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 1, ideal: true}");
  const Explanation e = explain(
      {.line = "X[B, D] * W[D, F]", .machine = &m, .sizes = {{"D", 4096}, {"F", 16384}}, .dtype = DType::int8});
  const ComputeBound& bound = *e.strategies.front().compute_bound;
  EXPECT_TRUE(bound.against_memory);
  EXPECT_EQ(bound.main->variable, "B");
  // D F / (2 D F W/C - (D + F)), C = 394e12, W = 820e9.
  EXPECT_NEAR(bound.main->above.value(), 259.25, 0.05);
}

// ---- with times

// Problem 8 (a): 2 I J K / (16 C) = 87.21 us; the AllReduce of 2 (I/4) K bytes on a line of 4: 2 x 3/4 x 8 MiB /
// 45e9 = 279.62 us and 6 hops.
TEST(Explain, TimesAreSimulated) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 4x4, ideal: true}");
  const Explanation e = explain({.line = "C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]",
                                 .machine = &m,
                                 .sizes = {{"I", 4096}, {"J", 8192}, {"K", 4096}},
                                 .verify = true});
  ASSERT_TRUE(e.chosen);
  const CostedStrategy& c = e.shown()->costed;
  EXPECT_NEAR(c.math.seconds(), 2.0 * 4096 * 8192 * 4096 / 16 / 197e12, 1e-9);
  EXPECT_NEAR(c.comm.seconds(), 1.5 * (8 << 20) / 45e9 + 6e-6, 1e-8);
  EXPECT_NEAR(c.time.seconds(), (c.comm + c.math).seconds(), 1e-9);
  EXPECT_TRUE(e.verified);
}

// ch3-q2-fun-1: V = 2 B D / 4 = 2 MiB, W = 90 GB/s. As written 3/4 V/W and 2 hops; sliced over Z first
// 15/16 V/(2W) and its hops.
TEST(Explain, AnIdleAxisMakesAGatherFaster) {
  const MachineModel m = v4p();
  const Explanation e =
      explain({.line = "A[B, D_Y] = AllGather_X(A[B_X, D_Y])", .machine = &m, .sizes = {{"B", 1024}, {"D", 4096}}});
  ASSERT_GE(e.strategies.size(), 2u);
  const double bytes = 2 << 20;
  EXPECT_NEAR(named(e, "gather A over X").costed.time.seconds(), 0.75 * bytes / 90e9 + 2e-6, 1e-9);
  EXPECT_EQ(e.shown()->costed.strategy.steps.size(), 2u);
  EXPECT_LT(e.shown()->costed.time.seconds(), 15.0 / 16 * bytes / 180e9 + 5e-6);
  EXPECT_EQ(e.output, "A[B, D_Y]");
}

// Two arrays of 1024 x 1024 in bf16 a chip, 1.2e12 B/s.
TEST(Explain, ElementwiseLinesTakeMemoryTime) {
  const MachineModel m = v4p();
  const Explanation e =
      explain({.line = "H[B, F_X] = gelu(M[B, F_X])", .machine = &m, .sizes = {{"B", 1024}, {"F", 4096}}});
  EXPECT_NEAR(e.shown()->costed.time.seconds(), 2.0 * (2 << 20) / 1.2e12, 1e-9);
  EXPECT_EQ(e.shown()->costed.comm, Time{});
}

// Problem 7: 2 I J K / (64 C), C = 275e12, and an AllGather of 2 I K bytes over three axes, W = 90 GB/s. Of I over 4
// chips and K over 16 a chip reads 8 MiB and 2 MiB, and writes 1/2 MiB; of either alone more.
TEST(Explain, TheBestShardingsForAReplicatedOutput) {
  const MachineModel m = v4p();
  const Explanation e = explain({.line = "C[I, K] = A[I, J] * B[J, K]",
                                 .machine = &m,
                                 .sizes = {{"I", 4096}, {"J", 4096}, {"K", 4096}},
                                 .best = true});
  const CostedStrategy& c = e.shown()->costed;
  EXPECT_NEAR(c.flops.seconds(), 2.0 * 4096 * 4096 * 4096 / 64 / 275e12, 1e-8);
  EXPECT_NEAR(c.hbm.seconds(), 10.5 * (1 << 20) / 1.2e12, 1e-8);
  EXPECT_NEAR(c.comm.seconds(), 2.0 * 4096 * 4096 * (63.0 / 64) / (3 * 90e9), 10e-6);
  EXPECT_EQ(c.strategy.steps.size(), 2u);
}

// ---- arrays

TEST(Explain, AnArrayAloneAsTheBookHasIt) {
  const Explanation e = explain({.line = "int8 A[I_XY=128, J=2048]", .mesh = Mesh({{"X", 2}, {"Y", 8}, {"Z", 2}})});
  ASSERT_EQ(e.arrays.size(), 1u);
  EXPECT_EQ(e.arrays[0].layout->bytes_per_chip, Bytes(16384));
  EXPECT_EQ(e.arrays[0].layout->total_bytes, Bytes(512 << 10));
  EXPECT_EQ(e.arrays[0].layout->copies, 2u);
}

// Problem 1: 4 x 8 x 2 chips, cut in 4: 16 copies, whatever the sizes.
TEST(Explain, ProblemOneNeedsNoSizes) {
  const Explanation e = explain({.line = "A[I_X, J, K, ...]", .mesh = Mesh({{"X", 4}, {"Y", 8}, {"Z", 2}})});
  EXPECT_EQ(e.arrays.at(0).copies, 16u);
  EXPECT_FALSE(e.arrays[0].layout);
  EXPECT_EQ(e.arrays[0].bytes, "2 (I/X) J K ...");
}

TEST(Explain, AnArrayMayBeBothOperands) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 4x4}");
  const Explanation e = explain({.line = "A[I_X, J] * A[J, K_X]",
                                 .machine = &m,
                                 .sizes = {{"I", 64}, {"J", 64}, {"K", 64}},
                                 .backward = true,
                                 .verify = true});
  EXPECT_TRUE(e.verified);
}

// The chip at X=0, Y=1 of a 2 x 2 mesh: block 0 x 2 + 1 of I_XY, block 1 x 2 + 0 of I_YX.
TEST(Explain, TheOrderOfAxesSaysWhoHoldsWhat) {
  const Mesh mesh({{"X", 2}, {"Y", 2}});
  const auto rows = [&](const std::string& line) {
    return shards_of(*explain({.line = line, .mesh = mesh}).only, mesh, 100).at(1).ranges.at(0);
  };
  EXPECT_EQ(rows("A[I_XY=8]"), (IndexRange{2, 4}));
  EXPECT_EQ(rows("A[I_YX=8]"), (IndexRange{4, 6}));
}

// ---- the backward pass

TEST(Explain, GathersAndScattersAreTransposes) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 4, ideal: true}");
  const Explanation e = explain({.line = "C[I_X, K] = A[I_X, J] * B[J_X, K]",
                                 .machine = &m,
                                 .sizes = {{"I", 65536}, {"J", 1024}, {"K", 1024}},
                                 .backward = true});
  ASSERT_EQ(e.backward.size(), 2u);
  EXPECT_EQ(e.backward[0].line, "dA[I_X, J] = dC[I_X, K] * B[J_X, K]");
  EXPECT_EQ(e.backward[1].line, "dB[J_X, K] = A[I_X, J] * dC[I_X, K]");
  ASSERT_EQ(e.duality.size(), 1u);
  EXPECT_EQ(e.duality[0].forward, "B[J, K] = AllGather_X(B[J_X, K])");
  EXPECT_EQ(e.duality[0].backward, "dB[J_X, K] = ReduceScatter_X,J(dB[J, K]{U_X})");
}

TEST(Explain, AnAllReduceHasNothingToDoBackward) {
  const Explanation e = explain({.line = "C[I, K] = A[I, J_X] * B[J_X, K]", .backward = true});
  ASSERT_EQ(e.duality.size(), 1u);
  EXPECT_EQ(e.duality[0].backward, "nothing: dC[I, K] is whole already");
}

// ---- memory, and what is refused

TEST(Explain, AGatherAlongAnIdleAxisHasNoDual) {
  const Explanation e = explain({.line = "C[I_X, K] = A[I_X, J] * B[J_Y, K]"});
  const std::vector<DualityNote> dual = duality_of(named(e, "gather B over Y").costed.strategy);
  ASSERT_EQ(dual.size(), 1u);
  EXPECT_EQ(dual[0].backward, "nothing: each chip keeps dB[J_Y, K], its part of dB[J, K]");
}

// Chapter 3, question 2, and its free trick: V / W along X, half of that along X and the idle Z; V is 2 B D / 4.
TEST(Explain, TheBooksTimeStandsBesideItsFormula) {
  const MachineModel m = v4p();
  const Explanation e =
      explain({.line = "A[B, D_Y] = AllGather_X(A[B_X, D_Y])", .machine = &m, .sizes = {{"B", 1024}, {"D", 4096}}});
  const double book = 2.0 * 1024 * 4096 / 4 / 9e10;
  EXPECT_NEAR(*named(e, "gather A over X").communication[0].book_seconds, book, 1e-12);
  EXPECT_NEAR(*named(e, "slice A over Z along B, gather A over XZ").communication[1].book_seconds, book / 2, 1e-12);
}

TEST(Explain, TheValuesOfAProductAreProven) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 4x4, ideal: true}");
  EXPECT_TRUE(explain({.line = "C[I, K]{U_Y} = A[I, J_X] * B[J_X, K]",
                       .machine = &m,
                       .sizes = {{"I", 64}, {"J", 64}, {"K", 64}},
                       .verify = true})
                  .verified);
}

TEST(Explain, WhatIsTooLargeIsWarnedOf) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 2x2}");
  ExplainQuestion q{
      .line = "C[I, K] = A[I, J] * B[J, K]", .machine = &m, .sizes = {{"I", 1 << 20}, {"J", 1 << 20}, {"K", 1024}}};
  const Explanation e = explain(q);
  ASSERT_EQ(e.warnings.size(), 1u);
  EXPECT_THAT(e.warnings[0], HasSubstr("tpu_v5e has 16 GB"));
  q.memory = Bytes(1000);
  EXPECT_THROW(explain(q), InputError);
}

TEST(Explain, SaysWhatIsMissingOrWrong) {
  EXPECT_THROW(explain({.line = "C[I, K] = A[I, J] * B[J, K]", .best = true}), InputError);
  EXPECT_THROW(explain({.line = "A[I, J]", .backward = true}), InputError);
  try {
    explain({.line = "H[B] = gelu(M[B]{U_X})"});
    FAIL();
  } catch (const NotationError& e) {
    EXPECT_EQ(e.column(), 13);
  }
}

}  // namespace
}  // namespace hopsim

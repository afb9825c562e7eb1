// Lines of notation in a program: products, reshardings, elementwise steps, and loads from the host beside them.
//
// Hand computed on an ideal 4x4 of tpu_v5e: 1.97e14 bf16 FLOP/s, 820 GB/s of HBM, 16 GB/s of PCIe, 45 GB/s one way a
// link, 1 us a hop, no wraparound. On a line of 4, V bytes take V x 3/4 / 45 GB/s + 3 us to gather or reduce-scatter,
// twice that to all-reduce.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/proof.hpp"
#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kSlice = "chip: tpu_v5e, slice: 4x4, ideal: true";

std::string document(const std::string& dims, const std::string& program, const std::string& machine = kSlice) {
  return "machine: {" + machine + "}\ndims: {" + dims + "}\nprogram:\n" + program;
}

RunResult run(const std::string& dims, const std::string& program, const std::string& machine = kSlice) {
  const Scenario s = scenario(document(dims, program, machine));
  const MachineModel m = build_machine(s.machine);
  return simulate(m, build_plan(s, m), {.verify = true});
}

std::string refusal(const std::string& dims, const std::string& program, const std::string& machine = kSlice) {
  return error_of([&] { run(dims, program, machine); });
}

std::vector<std::string> kinds(const RunResult& r) {
  std::vector<std::string> kinds;
  for (const StepResult& s : r.steps) kinds.push_back(s.step.kind);
  return kinds;
}

double us(Time t) { return t.seconds() * 1e6; }

Bytes held(const RunResult& r, const std::string& sharding) {
  for (const HeldArray& a : r.arrays)
    if (a.sharding == sharding) return a.layout.bytes_per_chip;
  ADD_FAILURE() << sharding << " is not held";
  return Bytes{};
}

// Chapter 3, problem 8 of the notes: 2IJK / (16 x 1.97e14) = 87.2 us; AllReduce of 2 (I/4) K bytes, 279.62 us + 6 us.
TEST(ProductLines, BothContractedMultiplyThenReduce) {
  const RunResult r = run("I: 4096, J: 8192, K: 4096", "  - C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]\n");
  ASSERT_THAT(kinds(r), ElementsAre("matmul", "all_reduce"));
  EXPECT_NEAR(us(r.steps[0].time()), 2.0 * 4096 * 8192 * 4096 / 16 / 1.97e8, 0.01);
  EXPECT_NEAR(us(r.steps[1].time()), 279.62 + 6, 0.01);
  const PlannedStep& product = r.steps[0].step;
  EXPECT_EQ(product.text, "C[I_X, K]{U_Y} = A[I_X, J_Y] * B[J_Y, K]");
  EXPECT_EQ(product.output, "C[I_X, K]{U_Y}");
  EXPECT_THAT(product.local_shape, ElementsAre(1024, 4096));
  EXPECT_EQ(product.closed_form, r.steps[0].time());
  EXPECT_EQ(product.lower_bound, r.steps[0].time());
  EXPECT_EQ(product.product_case, 3);
  EXPECT_EQ(r.steps[1].step.product_case, 0);
  EXPECT_EQ(r.steps[1].step.text, "C[I_X, K] = AllReduce_Y(C[I_X, K]{U_Y})");
  EXPECT_EQ(r.lines_proven, 1u);
  // A 1024 x 2048, B 2048 x 4096, C twice 1024 x 4096, 2 bytes each.
  EXPECT_EQ(r.peak_bytes_per_chip.count(), 2u * (1024 * 2048 + 2048 * 4096 + 2 * 1024 * 4096));
}

TEST(ProductLines, TheWayTakenIsTheFastestConsidered) {
  const RunResult r = run("I: 4096, J: 8192, K: 4096", "  - C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]\n");
  const auto& ways = r.steps[0].step.strategies;
  ASSERT_GE(ways.size(), 2u);
  EXPECT_EQ(ways.front().name, r.steps[0].step.strategy);
  EXPECT_EQ(r.steps[1].step.strategy, r.steps[0].step.strategy);
  EXPECT_THAT(r.steps[1].step.strategies, IsEmpty());
  EXPECT_EQ(ways.front().time, r.time);
  for (const ConsideredStrategy& w : ways) EXPECT_GE(w.time, r.time) << w.name;
}

// A is gathered over X: 2 x 4096 x 1024 / 4 a row of chips; the sliced way is 2 x 4096 x 4096 twice.
TEST(ProductLines, PlanSaysWhichWay) {
  const std::string dims = "I: 4096, J: 1024, K: 4096";
  const auto planned = [&](const std::string& plan) {
    return run(dims, "  - {matmul: \"C[I, K] = A[I, J_X] * B[J, K]\", plan: " + plan + "}\n");
  };
  const RunResult gather = planned("gather"), partial = planned("partial"), best = planned("auto");
  ASSERT_THAT(kinds(gather), ElementsAre("all_gather", "matmul"));
  EXPECT_NEAR(us(gather.steps[0].time()), 2.0 * 4096 * 1024 * 3 / 4 / 45e3 + 3, 0.01);
  ASSERT_THAT(kinds(partial), ElementsAre("matmul", "all_reduce"));
  EXPECT_NEAR(us(partial.steps[1].time()), 2 * 2.0 * 4096 * 4096 * 3 / 4 / 45e3 + 6, 0.01);
  EXPECT_LE(best.time, gather.time);
  EXPECT_EQ(gather.steps[0].step.product_case, 2);
}

TEST(ProductLines, IllegalOnesAreRepaired) {
  const RunResult r =
      run("I: 512, J: 512, K: 512", "  - {matmul: \"C[I, K_X] = A[I_X, J] * B[J, K_X]\", plan: gather}\n");
  ASSERT_THAT(kinds(r), ElementsAre("all_gather", "matmul"));
  EXPECT_EQ(r.steps[0].step.text, "A[I, J] = AllGather_X(A[I_X, J])");
  EXPECT_EQ(r.steps[0].step.product_case, 4);
}

// 1000 over X of 4 is 250 a chip, but over XZ it is blocks of 63, which would end elsewhere: the proof on values says
// so.
TEST(OtherLines, BlocksThatDoNotLineUpAreProvenWrong) {
  const std::string machine = "chip: tpu_v5p, slice: 4x4x4, ideal: true";
  EXPECT_THROW(run("I: 1000", "  - A[I_XZ] = Slice_Z,I(A[I_X])\n", machine), ProofFailed);
  EXPECT_THROW(run("I: 1000", "  - A[I_X] = AllGather_Z(A[I_XZ])\n", machine), ProofFailed);
  EXPECT_EQ(run("I: 1000", "  - A[I] = AllGather_XZ(A[I_XZ])\n", machine).lines_proven, 1u);
}

// What a line made is there as it was left: its partial sums do not vanish, nor does it change its sharding for free.
TEST(ProductLines, AnArrayIsUsedAsItWasLeft) {
  const std::string dims = "B: 512, D: 512, F: 512";
  const std::string column = "  - M[B, F_X] = In[B, D] * W[D, F_X]\n",
                    row = "  - O[B, D]{U_X} = M[B, F_X] * V[F_X, D]\n";
  EXPECT_THAT(refusal(dims, column + row + "  - H[B, D] = gelu(O[B, D])\n"),
              AllOf(HasSubstr(":6:20: O is not there in this sharding; got O[B, D]"),
                    HasSubstr("valid: O[B, D]{U_X}, as line 2 of the program left it")));
  EXPECT_THAT(refusal(dims, column + "  - O[B, D] = M[B, F] * V[F, D]\n"),
              HasSubstr("M is not there in this sharding"));
  EXPECT_THAT(refusal(dims, "  - A[B, F_X]\n  - H[B, F] = relu(A[B, F])\n"), HasSubstr("A is not there"));
  EXPECT_EQ(refusal(dims, column + row + "  - O[B, D] = AllReduce_X(O[B, D]{U_X})\n  - H[B, D] = gelu(O[B, D])\n"),
            "no error");
}

// A's gathered copy is memory; A stays what it was.
TEST(ProductLines, OperandsStayAsTheyWereDefined) {
  const RunResult r = run("I: 512, J: 512, K: 512",
                          "  - A[I, J_X]\n  - B[J, K_Y]\n"
                          "  - {matmul: \"C[I, K_Y] = A * B\", plan: gather}\n"
                          "  - D[I, J] = AllGather_X(A)\n"
                          "  - E[I, K] = AllGather_Y(C)\n");
  EXPECT_THAT(kinds(r), ElementsAre("all_gather", "matmul", "all_gather", "all_gather"));
  EXPECT_EQ(held(r, "A[I, J]").count(), 2u * 512 * 512);
  EXPECT_EQ(held(r, "A[I, J_X]").count(), 2u * 512 * 512 / 4);
  EXPECT_EQ(r.steps[3].step.line, 5);
}

TEST(ProductLines, TakeEveryForm) {
  for (const char* line :
       {"A[I_X, J] * B[J, K] -> C[I_X, K]", "C[?, ?] = A[I_X, J] * B[J, K]", "C = A[I_X, J] * B[J, K]",
        "\"einsum('IJ,JK->IK', A: P('X', None), B: P(None, None), out: P('X', None))\""})
    EXPECT_THAT(kinds(run("I: 512, J: 512, K: 512", std::string("  - ") + line + "\n")), ElementsAre("matmul"))
        << line;
}

// 7 rows over 4 chips are 2 a chip, and 513 columns 129: padding never counts.
TEST(ProductLines, UnevenSizesAreProvenAndSaid) {
  const RunResult r = run("I: 7, J: 13, K: 513", "  - C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]\n");
  EXPECT_EQ(r.lines_proven, 1u);
  EXPECT_THAT(r.warnings, ElementsAre("step 1: shards do not divide evenly and are padded"));
}

// gelu reads and writes 2 x 1024 x 1024 bytes at 820 GB/s; the column product needs nothing, the row one a sum.
TEST(ElementwiseLines, OfAnMlpAreTimedByHbm) {
  const RunResult r = run("B: 1024, D: 1024, F: 4096",
                          "  - M[B, F_X] = In[B, D] * Win[D, F_X]\n"
                          "  - H = gelu(M)\n"
                          "  - {matmul: \"Out[B, D] = H * Wout[F_X, D]\", plan: partial}\n");
  ASSERT_THAT(kinds(r), ElementsAre("matmul", "elementwise", "matmul", "all_reduce"));
  EXPECT_NEAR(us(r.steps[1].time()), 2.0 * 2 * 1024 * 1024 / 820e3, 0.001);
  EXPECT_EQ(r.steps[1].step.output, "H[B, F_X]");
  EXPECT_THAT(r.steps[1].step.local_shape, ElementsAre(1024, 1024));
  EXPECT_EQ(r.steps[1].step.compute->flops, Time{});
}

// fp32 in, bf16 in and out: 4 + 2 + 2 bytes an element.
TEST(ElementwiseLines, EveryOperandIsReadOnce) {
  const std::string dims = "B: 1024, D: 1024";
  const RunResult r = run(dims, "  - bf16 C[B, D_Y] = add(fp32 A[B, D_Y], bf16 B[B, D_Y])\n");
  EXPECT_NEAR(us(r.time), 8.0 * 1024 * 256 / 820e3, 0.001);
  const RunResult same = run(dims, "  - C[B, D_Y] = mul(A[B, D_Y], A[B, D_Y])\n");
  EXPECT_NEAR(us(same.time), 4.0 * 1024 * 256 / 820e3, 0.001);
  const RunResult in_place = run(dims, "  - A[B, D_Y]\n  - relu(A)\n");
  EXPECT_EQ(in_place.arrays.size(), 1u);
}

TEST(ElementwiseLines, RefuseWhatDoesNotLieAlike) {
  const std::string dims = "B: 64, D: 64, F: 64";
  EXPECT_THAT(refusal(dims, "  - M[B, F]{U_X} = In[B, D_X] * W[D_X, F]\n  - H[B, F] = gelu(M)\n"),
              AllOf(StartsWith("f.yaml:5:20: gelu needs the whole array, and this one is a partial sum; "
                               "got M[B, F]{U_X}"),
                    HasSubstr("AllReduce_X or ReduceScatter_X,B first")));
  EXPECT_THAT(refusal(dims, "  - C[B, D] = add(A[B, D_X], E[B, D_Y])\n"),
              StartsWith("f.yaml:4:35: add needs arrays that lie alike, and changes no sharding; got E[B, D_Y]; "
                         "valid: A[B, D_X]"));
  EXPECT_THAT(refusal(dims, "  - H[B, D_Y] = gelu(A[B, D_X])\n"), StartsWith("f.yaml:4:10: gelu needs arrays that"));
  EXPECT_THAT(refusal(dims, "  - H[B, F] = gelu(A[B, D])\n"), StartsWith("f.yaml:4:10: the arrays have different"));
  EXPECT_THAT(refusal(dims, "  - {do: \"H[B, D] = gelu(A[B, D])\", algorithm: ring}\n"),
              StartsWith("f.yaml:4:48: an elementwise step has no algorithm"));
}

TEST(OtherLines, ASliceIsFree) {
  const RunResult r = run("I: 512, J: 512", "  - B[I_X, J] = Slice_X,I(A[I, J])\n  - C[I, J] = AllGather_X(B)\n");
  EXPECT_THAT(kinds(r), ElementsAre("all_gather"));
  EXPECT_EQ(held(r, "B[I_X, J]").count(), 2u * 128 * 512);
}

TEST(OtherLines, AReshardingIsPlanned) {
  const RunResult r = run("I: 512, J: 512", "  - A[I_X, J] -> A[I, J_X]\n  - A[I, J] = AllGather_X(A)\n");
  ASSERT_THAT(kinds(r), ElementsAre("all_to_all", "all_gather"));
  EXPECT_EQ(r.steps[0].step.product_case, 0);
  EXPECT_FALSE(r.steps[0].step.strategies.empty());
  EXPECT_EQ(r.lines_proven, 1u);
  EXPECT_THAT(refusal("I: 8, J: 8", "  - A[I_X, J] -> A[I, K]\n"), HasSubstr("f.yaml:4:23: "));
  EXPECT_THAT(refusal("I: 8, J: 8", "  - A[I_X, J] -> A[I, J]{U_Y}\n"), HasSubstr("partial sums of whole elements"));
}

// A bucket ring along an axis without wraparound cannot be: no other output in its place.
TEST(ProductLines, EndAsAskedOrSayWhyNot) {
  EXPECT_THAT(
      refusal("M: 4096, K: 4096, N: 4096", "  - {matmul: \"C[M, N] = A[M, K_Z] * B[K_Z, N_X]\", algorithm: bucket}\n",
              "chip: tpu_v4p, slice: 4x4x2, ideal: true"),
      HasSubstr("bucket"));
}

// `plan: gather` gathers operands, not the output.
TEST(ProductLines, GatherIsOfOperands) {
  const RunResult r =
      run("I: 512, J: 512, K: 512", "  - {matmul: \"C[I, K] = A[I_X, J] * B[J, K]\", plan: gather}\n");
  EXPECT_THAT(kinds(r), ElementsAre("all_gather", "matmul"));
}

TEST(ProductLines, ScheduleBookOverSeveralAxesIsWarnedOf) {
  const RunResult r = run("I: 512, J: 512, K: 512",
                          "  - {matmul: \"C[I, K] = A[I, J_XY] * B[J_XY, K]\", plan: partial, schedule: book}\n");
  EXPECT_THAT(r.warnings, testing::Contains(HasSubstr("schedule: book is for one axis")));
}

TEST(ProductLines, RefuseWithTheirPlace) {
  const std::string dims = "I: 64, J: 64, K: 64";
  EXPECT_THAT(refusal(dims, "  - {matmul: \"C[I, K] = A[I, J] * B[J, K]\", overlap: collective_matmul}\n"),
              StartsWith("f.yaml:4:54: no way of doing this product has an AllGather before it, or a sum behind it"));
  EXPECT_THAT(refusal(dims, "  - {matmul: \"A[I, J]\"}\n"), StartsWith("f.yaml:4:15: matmul needs a product"));
  EXPECT_THAT(refusal(dims, "  - {do: \"A[I, J] = AllGather_X(A[I_X, J])\", plan: gather}\n"),
              StartsWith("f.yaml:4:52: a collective has no plan"));
  EXPECT_THAT(refusal(dims, "  - {matmul: \"C[I, K] = A[I, J_X] * B[J, K]\", algorithm: nvls}\n"),
              StartsWith("f.yaml:4:58: nvls needs a switch"));
}

TEST(Memory, TooMuchIsAWarningWithBothNumbers) {
  const RunResult r = run("I: 131072, J: 131072", "  - A[I, J]\n");
  EXPECT_THAT(r.warnings, ElementsAre(AllOf(HasSubstr("34.36 GB"), HasSubstr("16 GB"))));
  const RunResult product = run("I: 65536, J: 65536, K: 65536", "  - C[I, K_X] = A[I, J] * B[J, K_X]\n");
  EXPECT_THAT(product.warnings, IsEmpty());  // 8.6 + 2.1 + 2.1 GB
  const RunResult large = run("I: 98304, J: 98304, K: 64", "  - C[I, K_X] = A[I, J] * B[J, K_X]\n");
  EXPECT_THAT(large.warnings, ElementsAre(AllOf(StartsWith("step 1: "), HasSubstr("which has 16 GB of memory"))));
}

// 1 GB at 16 GB/s. It neither computes nor communicates; two at once share the chip's PCIe.
TEST(HostLoad, TakesPcie) {
  const std::string load = "host_load: {bytes: 1 GB}";
  const RunResult r = run("", "  - " + load + "\n");
  EXPECT_EQ(r.time, Time::picoseconds(62'500'000'000));
  EXPECT_EQ(r.compute, Time{});
  EXPECT_EQ(r.steps[0].step.kind, "host_load");
  EXPECT_EQ(r.steps[0].step.closed_form, r.time);
  const RunResult two = run("", "  - parallel: [{" + load + "}, {" + load + "}, {compute: {time: 10 ms}}]\n");
  EXPECT_EQ(two.time, Time::picoseconds(125'000'000'000));
  EXPECT_EQ(two.steps[2].end, Time::picoseconds(10'000'000'000));
  EXPECT_THAT(refusal("", "  - " + load + "\n", "chip: tpu_v3, slice: 4x4"),
              AllOf(StartsWith("f.yaml:4:5: no PCIe bandwidth of tpu_v3 is known"),
                    HasSubstr("machine.overrides: {pcie_bandwidth: ")));
}

}  // namespace
}  // namespace hopsim::test

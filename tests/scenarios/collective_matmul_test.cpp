// Products overlapped with collectives in a program. On an ideal ring of 8 of 45 GB/s links and 1 ns hops, with the
// times of a chip's own making: an AllGather of V bytes takes V x 7/8 / 90 GB/s both ways round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string ring(const std::string& flops, const std::string& more = "") {
  return "topology: {kind: ring, shape: [8]}, link: {bandwidth: 45 GB/s, latency: 1 ns}, overrides: {peak_flops: " +
         flops + ", hbm_bandwidth: 1000 TB/s" + more + "}";
}

RunResult run(const std::string& step, const std::string& machine, const std::string& dims) {
  const Scenario s = scenario("machine: {" + machine + "}\ndims: {" + dims + "}\nprogram:\n  - " + step + "\n");
  const MachineModel m = build_machine(s.machine);
  return simulate(m, build_plan(s, m), {.verify = true});
}

std::vector<std::string> kinds(const RunResult& r) {
  std::vector<std::string> kinds;
  for (const StepResult& s : r.steps) kinds.push_back(s.step.kind);
  return kinds;
}

constexpr const char* kDims = "M: 1024, K: 2048, N: 4096";  // A: 4 MiB, gathered in 40.8 us
constexpr const char* kGather = R"({matmul: "C[M, N] = A[M_X, K] * B[K, N]", plan: gather)";

double us(Time t) { return t.seconds() * 1e6; }

TEST(Overlap, AGatherAndItsProductAreOneStep) {
  // 2 M K N = 17.18 GFLOP in 171.8 us: 8 shards, the first at hand; a hop takes 11.7 us.
  const RunResult r =
      run(std::string(kGather) + ", overlap: collective_matmul, chunks: 1}", ring("100 TFLOP/s"), kDims);
  ASSERT_EQ(r.steps.size(), 1u);
  const PlannedStep& s = r.steps[0].step;
  EXPECT_EQ(s.kind, "collective_matmul");
  EXPECT_EQ(s.text, "C[M, N] = AllGather_X(A[M_X, K]) * B[K, N]");
  EXPECT_EQ(s.output, "C[M, N]");
  EXPECT_EQ(s.algorithm, "bidirectional_ring");
  EXPECT_NEAR(us(r.time), 171.8, 0.01);
  EXPECT_NEAR(us(s.closed_form), 171.8, 0.01);
  EXPECT_EQ(r.exposed_comm, Time{});
}

// Both ways in k chunks T_math = T_comms takes T (1 + 1/(4 k)) or less; 64 are the most that are tried.
TEST(Overlap, ItPicksItsOwnChunks) {
  const RunResult r = run(std::string(kGather) + ", overlap: collective_matmul}", ring("421.3 TFLOP/s"), kDims);
  EXPECT_LT(r.time.seconds() / r.bound().seconds(), 1 + 1.0 / (4 * 32));
  ASSERT_EQ(r.steps.size(), 1u);
  EXPECT_EQ(r.steps[0].step.collective->chunks, 64);
  // At 100 us a loop step one chunk is too many still, but there must be some.
  const RunResult costly = run(std::string(kGather) + ", overlap: collective_matmul}",
                               ring("421.3 TFLOP/s", ", loop_overhead: 100 us"), kDims);
  EXPECT_EQ(costly.steps[0].step.collective->chunks, 1);
}

TEST(Overlap, AutoTakesWhatIsFaster) {
  const std::string automatic = std::string(kGather) + ", overlap: auto}";
  EXPECT_THAT(kinds(run(automatic, ring("421.3 TFLOP/s"), kDims)), ElementsAre("collective_matmul"));
  EXPECT_THAT(kinds(run(automatic, ring("421.3 TFLOP/s", ", loop_overhead: 100 us"), kDims)),
              testing::Not(testing::Contains("collective_matmul")));
}

TEST(Overlap, ASumIsFedByItsProduct) {
  const RunResult r =
      run(R"({matmul: "C[M_X, N] = A[M, K_X] * B[K_X, N]", plan: partial, overlap: collective_matmul, chunks: 3})",
          ring("100 TFLOP/s"), kDims);
  ASSERT_EQ(r.steps.size(), 1u);
  EXPECT_EQ(r.steps[0].step.text, "C[M_X, N] = ReduceScatter_X,M(A[M, K_X] * B[K_X, N])");
  EXPECT_EQ(r.steps[0].step.output, "C[M_X, N]");
}

// 1000 rows in 3 chunks: 333, 333 and 334, so 6 steps; sums wait for one another.
TEST(Overlap, AnAllReduceGoesInChunksOfRows) {
  const RunResult r =
      run(R"({matmul: "C[M, N] = A[M, K_X] * B[K_X, N]", plan: partial, overlap: collective_matmul, chunks: 3})",
          ring("10 TFLOP/s"), "M: 1000, K: 2048, N: 4096");
  EXPECT_THAT(kinds(r), ElementsAre("matmul", "all_reduce", "matmul", "all_reduce", "matmul", "all_reduce"));
  Bytes sum;
  for (const StepResult& s : r.steps)
    if (s.step.collective) sum += s.step.collective->bytes;
  EXPECT_EQ(sum, Bytes(2u * 1000 * 4096));
  EXPECT_EQ(r.steps[2].start, r.steps[0].end);
  const double product = 2.0 * 1000 * 2048 / 8 * 4096 / 10e12 * 1e6, reduce = 2 * 8192000 * 7.0 / 8 / 90e3;
  EXPECT_NEAR(us(r.time), std::max(product + reduce / 3, reduce + product / 3), 1);
}

// Two rows a chunk read all of B again: what is bound by HBM is left as it is. 4096 x 512 of B in 8 us at 0.524 TB/s.
TEST(Overlap, WhatIsBoundByMemoryIsReadAgainForEveryChunk) {
  const std::string machine =
      "topology: {kind: ring, shape: [8]}, link: {bandwidth: 45 GB/s, latency: 1 ns}, overrides: {peak_flops: 400 "
      "TFLOP/s, hbm_bandwidth: 524.288 GB/s}";
  const std::string step = R"({matmul: "C[M, N] = A[M, K_X] * B[K_X, N]", plan: partial, overlap: )";
  const RunResult chunked = run(step + "collective_matmul, chunks: 8}", machine, "M: 16, K: 4096, N: 4096");
  EXPECT_GT(us(chunked.compute), 8 * 8.0);
  const RunResult automatic = run(step + "auto}", machine, "M: 16, K: 4096, N: 4096");
  EXPECT_THAT(kinds(automatic), ElementsAre("matmul", "all_reduce"));
  EXPECT_LT(us(automatic.compute), 8.4);
}

// Bound by FLOPs as a whole, 171.8 us against 29.4 us at 1 TB/s, but each half of the farthest shard is 10.74 us of
// FLOPs and reads B, 16.78 MB, and its part of A and C, 12.58 MB / 16: 17.56 us. The other seven shards are bound by
// FLOPs.
TEST(Overlap, SmallChunksAreBoundByMemory) {
  std::string machine = ring("100 TFLOP/s");
  machine.replace(machine.find("1000 TB/s"), 9, "1 TB/s");
  const RunResult r = run(std::string(kGather) + ", overlap: collective_matmul, chunks: 1}", machine, kDims);
  const double flops = 2.0 * 1024 * 2048 * 4096 / 100e6, b = 2.0 * 2048 * 4096, ac = 2.0 * 1024 * (2048 + 4096);
  EXPECT_NEAR(us(r.compute), 7 * flops / 8 + 2 * (b + ac / 16) / 1e6, 0.01);
}

// Gathered along the contraction, every chunk adds to the output, which is read and written: 8 shards on 8 chips,
// each of A, B's part and twice C at 524 GB/s. A is 8 x 4096, B 4096 x 4096, C 8 x 4096, in bf16.
TEST(Overlap, AnOutputThatIsAddedToIsReadAndWritten) {
  const RunResult r =
      run(R"({matmul: "C[M, N] = A[M, K_X] * B[K, N]", plan: gather, overlap: collective_matmul, chunks: 1})",
          "topology: {kind: ring, shape: [8]}, link: {bandwidth: 450 GB/s, latency: 1 ns}, overrides: "
          "{peak_flops: 400 TFLOP/s, hbm_bandwidth: 524.288 GB/s}",
          "M: 8, K: 4096, N: 4096");
  const double a = 2.0 * 8 * 4096, b = 2.0 * 4096 * 4096, c = 2.0 * 8 * 4096;
  // The farthest shard comes in two halves, so there are nine products.
  EXPECT_NEAR(us(r.compute), (a + b + 9 * 2 * c) / 524288, 0.01);
}

TEST(Overlap, EveryChunkOfASumButTheFirstCostsALoopStep) {
  const std::string step =
      R"({matmul: "C[M, N] = A[M, K_X] * B[K_X, N]", plan: partial, overlap: collective_matmul, chunks: 4})";
  const Time without = run(step, ring("100 TFLOP/s"), kDims).compute;
  EXPECT_EQ(run(step, ring("100 TFLOP/s", ", loop_overhead: 3 us"), kDims).compute - without,
            Time::picoseconds(9'000'000));
}

// `auto` compares what then runs: chunks are those of the pair, and of nothing else.
TEST(Overlap, AutoIsNoSlowerThanEither) {
  const std::string machine =
      "topology: {kind: mesh, shape: [2, 4]}, link: {bandwidth: 45 GB/s, latency: 0 us}, overrides: "
      "{chunk_overhead: 100 ns, peak_flops: 20 TFLOP/s, hbm_bandwidth: 100 TB/s}";
  const auto time = [&](const std::string& overlap) {
    return run(R"({matmul: "C[M_X, N_Y] = A[M_X, K_Y] * B[K_X, N_Y]", chunks: 7, overlap: )" + overlap + "}", machine,
               "M: 3, K: 64, N: 7")
        .time;
  };
  EXPECT_LE(time("auto"), time("none"));
  EXPECT_LE(time("auto"), time("collective_matmul"));
}

// An algorithm that no pair can take is no error of `auto`.
TEST(Overlap, AutoDoesWithoutWhatCannotOverlap) {
  const std::string gpus = "chip: h100_sxm, slice: 8, ideal: true";
  for (const char* algorithm : {"direct", "best"}) {
    const RunResult r = run(std::string(kGather) + ", overlap: auto, algorithm: " + algorithm + "}", gpus, kDims);
    EXPECT_GT(r.time, Time{}) << algorithm;
  }
}

TEST(Overlap, SeveralAxesAndLines) {
  const RunResult torus =
      run(R"({matmul: "Y[B_XYZ, F] = X[B_XYZ, D] * W[D, F_XYZ]", plan: gather, overlap: collective_matmul})",
          "chip: tpu_v5p, slice: 4x4x4, ideal: true", "B: 524288, D: 2048, F: 2048");
  EXPECT_EQ(torus.steps[0].step.algorithm, "nd_ring");
  EXPECT_EQ(torus.exposed_comm, Time{});
  const RunResult line =
      run(R"({matmul: "Y[B, F] = X[B, D_Y] * W[D_Y, F]", plan: gather, overlap: collective_matmul})",
          "chip: tpu_v5e, slice: 4x4, ideal: true", "B: 512, D: 2048, F: 8192");
  EXPECT_EQ(line.steps.back().step.algorithm, "line");
}

// Chunks pass through the switch as well, which reduces and multicasts; multiplied they are on chips only.
TEST(Overlap, ASwitchMultipliesNothing) {
  const std::string gpus = "chip: h100_sxm, slice: 8, ideal: true, overrides: {hbm_bandwidth: 1000 TB/s}";
  const RunResult r = run(std::string(kGather) + ", overlap: collective_matmul, algorithm: nvls}", gpus, kDims);
  EXPECT_EQ(r.steps[0].step.algorithm, "nvls");
  EXPECT_NEAR(us(r.compute), 2.0 * 1024 * 2048 * 4096 / 989e6, 0.1);
  const RunResult sum = run(
      R"({matmul: "C[M_X, N] = A[M, K_X] * B[K_X, N]", plan: partial, overlap: collective_matmul, algorithm: nvls})",
      gpus, kDims);
  EXPECT_NEAR(us(sum.compute), 2.0 * 1024 * 2048 / 8 * 4096 / 989e6, 0.1);
}

TEST(Overlap, BadInput) {
  const auto refused = [](const std::string& step) {
    return error_of([&] { run(step, ring("100 TFLOP/s"), kDims); });
  };
  EXPECT_THAT(refused(std::string(kGather) + ", overlap: collective_matmul, chunks: 129}"),
              AllOf(HasSubstr("more chunks than a shard has rows along M; got 129; valid: 1 to 128")));
  EXPECT_THAT(refused(std::string(kGather) + ", overlap: collective_matmul, chunks: 0}"),
              HasSubstr("chunks: a count is too small; got 0"));
  EXPECT_THAT(refused(std::string(kGather) + ", overlap: sometimes}"),
              HasSubstr("valid: none, collective_matmul, auto"));
  EXPECT_THAT(refused(R"({matmul: "C[M_X, N] = A[M_X, K] * B[K, N]", overlap: collective_matmul})"),
              HasSubstr("no way of doing this product has an AllGather before it, or a sum behind it"));
}

// A product whose sums a later line adds up by name leaves them: Y * W -> Z_partial, AllReduce(Z_partial) -> Z.
TEST(ProductLines, PartialSumsThatALaterLineAddsUpAreLeft) {
  const Scenario s = scenario("machine: {" + ring("100 TFLOP/s") +
                              ", mesh: {TP: 8}}\ndims: {B: 64, F: 512, D: 256}\nprogram:\n"
                              "  - 'Y[B, F/TP] · W₂[F/TP, D] -> Z_partial[B, D]'\n"
                              "  - 'AllReduce(Z_partial) -> Z[B, D]'\n");
  const MachineModel m = build_machine(s.machine);
  const RunResult r = simulate(m, build_plan(s, m), {.verify = true});
  EXPECT_THAT(kinds(r), ElementsAre("matmul", "all_reduce"));
  EXPECT_EQ(r.steps[0].step.output, "Z_partial[B, D]{U_{TP}}");
  EXPECT_EQ(r.steps[1].step.output, "Z[B, D]");
}

}  // namespace
}  // namespace hopsim::test

// A run on one chip for all that symmetry makes alike tells what the run on all chips tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/result_json.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

using testing::HasSubstr;

RunResult run(const std::string& machine, const std::string& steps, Fold fold) {
  const Scenario s =
      scenario("machine: {" + machine + "}\ndims: {M: 512, K: 480, N: 768}\nprogram: [" + steps + "]\n");
  const MachineModel m = build_machine(s.machine);
  return simulate(m, build_plan(s, m), {.fold = fold});
}

// All but what it cost.
std::string told(const std::string& machine, RunResult r) {
  const Scenario s = scenario("machine: {" + machine + "}\nprogram: [barrier]\n");
  r.folded = false;
  r.fingerprint.clear();
  auto json = to_json(r, build_machine(s.machine));
  json.erase("cost");
  return json.dump();
}

const char* const kTorus =
    "topology: {kind: torus, shape: [4, 3, 6], wrap: [true, false, true]}, link: {bandwidth: 45 GB/s, latency: 1 "
    "us}, "
    "overrides: {peak_flops: 50 TFLOP/s, hbm_bandwidth: 2 TB/s, launch_overhead: 2 us, comm_compute_share: 10%}";

TEST(FoldedRun, TellsTheSameAsTheWholeOne) {
  for (const char* steps : {"{all_reduce: {axis: XYZ, bytes: 1 MiB}}, {all_gather: {axis: Y, bytes: 1 MiB}}, "
                            "{all_to_all: {axis: Z, bytes: 1 "
                            "MiB}}",
                            "{parallel: [{all_gather: {axis: X, bytes: 1 MiB}}, {all_reduce: {axis: Z, bytes: 3 "
                            "MiB}, chunks: 3}, {compute: "
                            "{time: 30 us}}]}, barrier, {host_load: {bytes: 1 MB}}",
                            "{matmul: 'C[M, N] = A[M_Z, K] * B[K, N]', plan: gather, overlap: collective_matmul}",
                            "{transformer_layer: {d_model: 240, d_ff: 480, heads: 12, batch: 12, sequence: 48, "
                            "tensor: Z, data: X, pass: both, "
                            "overlap: auto}}"}) {
    std::string with_host = kTorus;
    with_host.insert(with_host.size() - 1, ", pcie_bandwidth: 16 GB/s");
    const RunResult folded = run(with_host, steps, Fold::on), whole = run(with_host, steps, Fold::off);
    EXPECT_TRUE(folded.folded);
    EXPECT_FALSE(whole.folded);
    EXPECT_LT(folded.totals.messages * 4, whole.totals.messages);
    EXPECT_EQ(told(with_host, folded), told(with_host, whole)) << steps;
  }
}

TEST(FoldedRun, SaysWhatBreaksTheSymmetry) {
  const auto refusal = [](const std::string& machine, const std::string& steps) {
    EXPECT_FALSE(run(machine, steps, Fold::automatic).folded);
    return error_of([&] { run(machine, steps, Fold::on); });
  };
  const std::string ring = "{all_reduce: {axis: X, bytes: 1 MiB}}";
  EXPECT_THAT(refusal(kTorus, "{broadcast: {axis: X, bytes: 1 MiB}}"),
              HasSubstr("the run cannot be folded: chips do not all do the same in step 1 (Broadcast over X"));
  EXPECT_THAT(refusal("chip: tpu_v5e, slice: 4x4", ring), HasSubstr("no dimension wraps around"));
  EXPECT_THAT(refusal("chip: h100_sxm, slice: 8", ring), HasSubstr("the fabric is no plain torus"));
  EXPECT_THAT(refusal("chip: tpu_v5p, slice: 4x4x8, twist: true", ring), HasSubstr("the torus is twisted"));
  EXPECT_THAT(refusal("chip: tpu_v5p, slice: 4x4x4, faults: [{chip: 7, speed: 80%}]", ring),
              HasSubstr("chips differ in speed"));
  EXPECT_THAT(refusal("chip: tpu_v5p, slice: 4x4x4, faults: [{link: [0, 1], bandwidth: 50%}]", ring),
              HasSubstr("links differ"));
  EXPECT_FALSE(
      run("chip: tpu_v5p, slice: 4x4x4, faults: [{link: [0, 1], down: true}]", ring, Fold::automatic).folded);
}

}  // namespace
}  // namespace hopsim::test

// What a run will take, against what it took; and runs that would not fit.
#include "scenarios/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenarios/available_memory.hpp"
#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"
#include "tests/support/scratch.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Estimated {
  Estimate before;
  RunResult result;
};

Estimated run(const std::string& machine, const std::string& steps, RunOptions options = {}) {
  const Scenario s =
      scenario("machine: {" + machine + "}\ndims: {M: 512, K: 512, N: 512}\nprogram: [" + steps + "]\n");
  const MachineModel m = build_machine(s.machine);
  Estimated e;
  options.before = [&e](const Estimate& estimate) { e.before = estimate; };
  e.result = simulate(m, build_plan(s, m), options);
  return e;
}

void expect_exact(const std::string& machine, const std::string& steps, Fold fold) {
  SCOPED_TRACE(machine + ": " + steps);
  const Estimated e = run(machine, steps, {.fold = fold});
  EXPECT_TRUE(e.before.exact);
  EXPECT_EQ(e.before.messages, e.result.totals.messages);
  EXPECT_EQ(e.before.hops, e.result.totals.link_hops);
}

const char* const kMachines[] = {
    "chip: tpu_v5e, slice: 4x4",
    "chip: tpu_v5e, slice: 16x2",
    "chip: tpu_v5p, slice: 4x4x4",
    "chip: tpu_v5p, slice: 4x4x8, twist: true",
    "chip: tpu_v5p, slice: 4x4x4, faults: [{link: [0, 1], down: true}]",
    "chip: tpu_v5p, slice: 4x4x4, routing: minimal",
    "chip: tpu_v5e, slice: 2x2, slices: 2",
    "chip: h100_sxm, slice: 8",
    "chip: h100_sxm, slice: 2x4",
    "topology: {kind: fully_connected, shape: [6]}, link: {bandwidth: 45 GB/s, latency: 1 us}",
    "topology: {kind: torus, shape: [4, 3], wrap: [true, false]}, link: {bandwidth: 45 GB/s, latency: 1 us}",
};

TEST(Estimate, MessagesAndHopsOfEveryAlgorithmAreExactOnSmallFabrics) {
  int ran = 0;
  for (const char* machine : kMachines)
    for (const char* operation :
         {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "reduce", "gather", "scatter"})
      for (const Algorithm& a : algorithms())
        for (const Fold fold : {Fold::automatic, Fold::off}) {
          const std::string step =
              "{" + std::string(operation) + ": {bytes: 192 KiB}, algorithm: " + std::string(a.name) + "}";
          try {
            expect_exact(machine, step, fold);
            ++ran;
          } catch (const InputError&) {  // not on this machine
          }
        }
  EXPECT_GT(ran, 200);
}

TEST(Estimate, CountsPermutationsProductsAndWhatRunsAtOnce) {
  for (const char* machine : {kMachines[0], kMachines[2], kMachines[8]})
    for (const char* steps : {"{collective_permute: {pairs: [[0, 1], [3, 2]], bytes: 1 MiB}}, {send_recv: {from: 0, "
                              "to: 3, bytes: 1 MiB}}",
                              "{matmul: 'C[M, N] = A[M_X, K] * B[K, N]', plan: gather, overlap: collective_matmul}",
                              "{parallel: [{all_gather: {axis: X, bytes: 1 MiB}}, {compute: {time: 3 us}}]}, "
                              "{all_reduce: {bytes: 2 MiB}}"})
      expect_exact(machine, steps, Fold::automatic);
}

// 16x16x16 chips on 4 rows of direct messages each: looked at in part.
TEST(Estimate, OfManyChipsThatDifferSomeAreLookedAt) {
  const Estimated e = run("topology: {kind: mesh, shape: [24, 24]}, link: {bandwidth: 45 GB/s, latency: 1 us}",
                          "{all_to_all: {bytes: 1 MiB}, algorithm: direct}");
  EXPECT_FALSE(e.before.exact);
  EXPECT_NEAR(static_cast<double>(e.before.messages), static_cast<double>(e.result.totals.messages),
              0.02 * static_cast<double>(e.result.totals.messages));
  EXPECT_NEAR(static_cast<double>(e.before.hops), static_cast<double>(e.result.totals.link_hops),
              0.05 * static_cast<double>(e.result.totals.link_hops));
}

TEST(Estimate, ARunThatWouldNotFitIsRefusedBeforeItBegins) {
  const std::string torus = "topology: {kind: torus, shape: [8, 8, 8]}, link: {bandwidth: 45 GB/s, latency: 1 us}";
  const std::string ring = "{all_reduce: {bytes: 1 MiB}}";
  EXPECT_THAT(
      error_of([&] { run(torus, ring, {.fold = Fold::off, .memory = 100'000}); }),
      AllOf(HasSubstr("too little memory: the run takes about "), HasSubstr("on 512 simulated chips; got 1 MB"),
            HasSubstr("valid: one chip for all that are alike"), HasSubstr("up to about")));
  EXPECT_EQ(error_of([&] { run(torus, ring, {.memory = 100'000}); }), "no error");  // folded
}

TEST(AvailableMemory, IsTheLeastOfWhatTheSystemAndItsControlGroupsLeave) {
  const Scratch root;
  const auto put = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = std::string(root / file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  const std::string at = std::string(root / "");
  put("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:   5000 kB\n");
  EXPECT_EQ(available_memory(at).bytes, 5'000u * 1024);
  EXPECT_EQ(available_memory(at).limit, "free memory");
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/memory.max", "3000000\n");
  put("sys/fs/cgroup/a/memory.current", "1200000\n");
  put("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 200000\n");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(available_memory(at).bytes, 2'000'000u);
  EXPECT_EQ(available_memory(at).limit, "the control group's limit");
  put("proc/self/cgroup", "7:cpu:/\n4:memory:/x\n");
  put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000\n");
  put("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "999000\n");
  EXPECT_EQ(available_memory(at).bytes, 1000u);
}

}  // namespace
}  // namespace hopsim::test

// What runs measure, against times by hand: links of 50 GB/s and 1 us, chips of 100 TFLOP/s.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/measure.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

using namespace hopsim::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A shard of 1 MB takes 20 us and 1 us a hop: a gather round a ring of four 63 us.
constexpr const char* kGather = "{all_gather: {axis: X, bytes: 4 MB}, algorithm: ring}";

RunResult run(const std::string& program, const std::string& more = "", Activity* activity = nullptr) {
  const Scenario s = scenario(
      "machine: {topology: {kind: ring, shape: [4]}, link: {bandwidth: 50 GB/s, latency: 1 us}, "
      "overrides: {peak_flops: 100 TFLOP/s, hbm_bandwidth: 10 TB/s}" +
      more + "}\nprogram:\n" + program);
  const MachineModel m = build_machine(s.machine);
  return simulate(m, build_plan(s, m), {.critical_path = true, .activity = activity});
}

std::string lines(const std::vector<std::string>& steps) {
  std::string text;
  for (const std::string& s : steps) text += "  - " + s + "\n";
  return text;
}

void expect_times(const WorkTimes& w, Time compute, Time comm, Time exposed) {
  EXPECT_EQ(w.compute, compute);
  EXPECT_EQ(w.comm, comm);
  EXPECT_EQ(w.exposed_comm, exposed);
}

// ---- Compute, communication, exposed ----

TEST(Measured, OneAfterTheOtherHidesNothing) {
  const RunResult r = run(lines({kGather, "matmul: {m: 1000, n: 1000, k: 10000}"}));  // 2e10 FLOPs
  ASSERT_THAT(r.steps, SizeIs(2));
  expect_times(r.steps[0].work, 0_us, 63_us, 63_us);
  expect_times(r.steps[1].work, 200_us, 0_us, 0_us);
  expect_times(r, 200_us, 63_us, 63_us);
  EXPECT_EQ(r.time, 263_us);
  EXPECT_EQ(r.sum(), 263_us);
  EXPECT_EQ(r.bound(), 200_us);
  EXPECT_DOUBLE_EQ(r.overlap(), 0);
  EXPECT_DOUBLE_EQ(r.steps[1].work.overlap(), 1);
  EXPECT_FALSE(r.steps[0].mfu());
  EXPECT_DOUBLE_EQ(*r.steps[1].mfu(), 1);
}

TEST(Measured, ExposedIsWhatSticksOut) {
  const RunResult r = run(lines({std::string("parallel: [") + kGather + ", {compute: {time: 30 us}}]"}));
  expect_times(r.steps[0].work, 0_us, 63_us, 33_us);
  expect_times(r.steps[1].work, 30_us, 0_us, 0_us);
  expect_times(r, 30_us, 63_us, 33_us);
  EXPECT_EQ(r.time, 63_us);
  EXPECT_DOUBLE_EQ(r.overlap(), 1 - 33. / 63);
}

// Two computations take turns, 25 us in all; the third begins when the gather has ended.
TEST(Measured, ComputationOfAnyStepHides) {
  Activity activity(4);
  const RunResult r =
      run(lines({std::string("parallel: [") + kGather + ", {compute: {time: 10 us}}, {compute: {time: 15 us}}]",
                 "compute: {time: 7 us}"}),
          "", &activity);
  expect_times(r.steps[0].work, 0_us, 63_us, 38_us);
  expect_times(r, 32_us, 63_us, 38_us);
  const std::vector<Interval> exposed = exposed_communication(activity, ChipId(2));
  ASSERT_THAT(exposed, SizeIs(1));
  EXPECT_EQ(exposed[0].start, 25_us);
  EXPECT_EQ(exposed[0].end, 63_us);
}

// Chip 3 computes for 200 us, the others for 100: what they exchange in the second half is exposed on them only.
TEST(Measured, TimesAreOfTheWorstChip) {
  const RunResult r = run(lines({"compute: {flops: 1e10}", kGather}), ", faults: [{chip: 3, speed: 50%}]");
  EXPECT_EQ(r.compute, 200_us);
  // Chip 0: 21 us of its own shard out (from 100 us on), and the 63 us from 200 us on.
  EXPECT_EQ(r.exposed_comm, 84_us);
  EXPECT_EQ(r.time, 263_us);
  EXPECT_DOUBLE_EQ(*r.steps[0].mfu(), 0.5);
}

TEST(Measured, ManySharesOfOneInstantAddUpOnce) {
  Activity activity(1);
  activity.compute[0].add(1, 10_us, 20_us);
  activity.compute[0].add(2, 15_us, 30_us);
  activity.compute[0].add(1, 40_us, 50_us);
  for (const std::uint32_t task : {0u, 3u, 0u, 3u, 0u}) activity.communication[0].add(task, 5_us, 25_us);
  activity.communication[0].add(0, 35_us, 60_us);
  RunResult r;
  r.steps.resize(4);
  measure(activity, 1, r);
  expect_times(r, 30_us, 45_us, 20_us);
  expect_times(r.steps[0].work, 0_us, 45_us, 20_us);
  expect_times(r.steps[1].work, 20_us, 0_us, 0_us);
  expect_times(r.steps[2].work, 15_us, 0_us, 0_us);
  expect_times(r.steps[3].work, 0_us, 20_us, 5_us);
  const std::vector<Interval> exposed = exposed_communication(activity, ChipId(0));
  ASSERT_THAT(exposed, SizeIs(3));
  EXPECT_EQ(exposed[1].start, 35_us);
  EXPECT_EQ(exposed[1].end, 40_us);
}

// ---- The critical path ----

// "compute 0 3 200": what, step, chip or link, us.
std::vector<std::string> told(const RunResult& r, const MachineModel& m) {
  std::vector<std::string> all;
  Time at;
  for (const PathSegment& s : r.critical_path) {
    EXPECT_EQ(s.start, at);
    at = s.end;
    all.push_back(std::string(name_of(s.what)) + " " + std::to_string(s.task) + " " +
                  (s.link == kNoLink ? std::to_string(s.node) : m.fabric().link_name(s.link)) + " " +
                  std::to_string(s.time().ps() / 1'000'000) + (s.held_by ? " by " + std::to_string(*s.held_by) : ""));
  }
  EXPECT_EQ(at, r.time);
  return all;
}

std::vector<std::string> path(const std::string& machine, const std::vector<std::string>& steps) {
  const Scenario s = scenario("machine: {" + machine + "}\nprogram:\n" + lines(steps));
  const MachineModel m = build_machine(s.machine);
  return told(simulate(m, build_plan(s, m), {.critical_path = true}), m);
}

constexpr const char* kRing = "topology: {kind: ring, shape: [4]}, link: {bandwidth: 50 GB/s, latency: 1 us}";

// The shard of the slow chip sets out last, and has three hops to go.
TEST(CriticalPath, LeadsThroughTheSlowChip) {
  EXPECT_THAT(path(std::string(kRing) + ", overrides: {peak_flops: 100 TFLOP/s, hbm_bandwidth: 10 TB/s}, "
                                        "faults: [{chip: 3, speed: 50%}]",
                   {"compute: {flops: 1e10}", kGather}),
              ElementsAre("compute 0 3 200", "transfer 1 (3) x+ 20", "latency 1 (3) x+ 1", "transfer 1 (0) x+ 20",
                          "latency 1 (0) x+ 1", "transfer 1 (1) x+ 20", "latency 1 (1) x+ 1"));
}

// A slow link in the middle: heads wait for nothing, and the tail leaves link (2) x+ as it comes.
TEST(CriticalPath, NamesTheSlowLinkOnTheWay) {
  EXPECT_THAT(path("topology: {kind: line, shape: [4]}, link: {bandwidth: 50 GB/s, latency: 1 us}, faults: [{link: "
                   "[1, 2], bandwidth: 10%}]",
                   {"send_recv: {from: [0], to: [3], bytes: 1 MB}"}),
              ElementsAre("latency 0 (0) x+ 1", "transfer 0 (1) x+ 200", "latency 0 (1) x+ 1", "latency 0 (2) x+ 1"));
}

TEST(CriticalPath, NamesWhoHeldALink) {
  EXPECT_THAT(path(kRing, {"parallel: [{collective_permute: {pairs: [[0, 1]], bytes: 1 MB}}, {collective_permute: "
                           "{pairs: [[0, 1]], bytes: 2 MB}}]"}),
              ElementsAre("link_wait 1 (0) x+ 20 by 0", "transfer 1 (0) x+ 40", "latency 1 (0) x+ 1"));
}

TEST(CriticalPath, KnowsOverheadsLaunchesAndTheHost) {
  EXPECT_THAT(path("chip: tpu_v5e, slice: 4x1, overrides: {launch_overhead: 4 us, step_overhead: 2 us, "
                   "link_bandwidth: 50 GB/s, link_efficiency: 1, pcie_bandwidth: 10 GB/s}",
                   {"host_load: {bytes: 1 MB}", "{collective_permute: {pairs: [[0, 1]], bytes: 1 MB}}"}),
              ElementsAre("host_load 0 0 100", "launch 1 0 4", "overhead 1 0 2", "transfer 1 (0,0) x+ 20",
                          "latency 1 (0,0) x+ 1"));
}

// At the barrier all wait for chip 2's message; then chip 0's turn is what counts.
TEST(CriticalPath, GoesOverABarrierToTheLastToCome) {
  EXPECT_THAT(
      path(kRing, {"{collective_permute: {pairs: [[2, 3]], bytes: 1 MB}}", "barrier",
                   "{collective_permute: {pairs: [[0, 1]], bytes: 2 MB}}"}),
      ElementsAre("transfer 0 (2) x+ 20", "latency 0 (2) x+ 1", "transfer 2 (0) x+ 40", "latency 2 (0) x+ 1"));
}

// One compute unit: the second computation waits for the first.
TEST(CriticalPath, ComputationsOfAChipFollowOneAnother) {
  EXPECT_THAT(
      path(kRing, {"parallel: [{compute: {time: 10 us}}, {compute: {time: 15 us}}]", "compute: {time: 1 us}"}),
      ElementsAre("compute 0 0 10", "compute 1 0 15", "compute 2 0 1"));
}

// What takes no time cannot go in circles.
TEST(CriticalPath, StepsWithoutTimeEnd) {
  EXPECT_THAT(path("topology: {kind: ring, shape: [4]}, link: {bandwidth: 50 GB/s, latency: 0 us}",
                   {"compute: {time: 0 us}", "barrier", "compute: {time: 0 us}", "compute: {time: 1 us}",
                    "compute: {time: 0 us}", "barrier"}),
              ElementsAre("compute 3 0 1"));
}

TEST(CriticalPath, OfTooManyHopsThereIsNone) {
  Fabric fabric;
  fabric.shape.size[0] = 2;
  fabric.nodes = 2;
  fabric.links = {{0, 1, 50_GBps, 1_us}, {1, 0, 50_GBps, 1_us}};
  PathRecorder recorder(fabric, nullptr, 1);
  HopRecord h;
  h.last = true;
  recorder.hop(h);
  EXPECT_FALSE(recorder.overflowed());
  recorder.hop(h);
  EXPECT_TRUE(recorder.overflowed());
  EXPECT_THAT(recorder.path({}, {}), IsEmpty());
}

}  // namespace
}  // namespace hopsim::test

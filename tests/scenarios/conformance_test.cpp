// Every algorithm on every fabric it accepts, for groups of 2 to 9, 12 and 16 chips and odd sizes of data: the data
// flow is proven, no bound is beaten, every message crosses every link of its way, and two runs leave one
// fingerprint.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

constexpr const char* kOperations[] = {
    "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast",
    "reduce",     "gather",         "scatter",    "send_recv",  "collective_permute"};
constexpr const char* kSizes[] = {"7 B", "1000003 B"};

// "A: B, C: D" of a machine, by fabric.
std::vector<std::string> machines() {
  std::vector<std::string> all;
  const auto topology = [&](const std::string& kind, const std::string& shape, const std::string& more = "") {
    all.push_back("topology: {kind: " + kind + ", shape: " + shape + more +
                  "}, link: {bandwidth: 45 GB/s, latency: 1 us}");
  };
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16}) {
    for (const char* kind : {"ring", "line", "switch", "fully_connected"}) topology(kind, std::to_string(n));
    topology("switch", std::to_string(n), ", nvls: true");
    all.push_back("chip: gb200_nvl72, slice: " + std::to_string(n) + ", ideal: true");
  }
  for (const char* shape : {"2x2", "3x3", "4x3", "4x4", "2x2x2", "2x2x3", "2x2x4"})
    for (const char* kind : {"torus", "mesh"}) topology(kind, shape);
  topology("twisted_torus", "3x3x6");
  for (const int n : {2, 5, 8}) all.push_back("chip: mi300x, slice: " + std::to_string(n));
  all.push_back("chip: v100_dgx1, slice: 8");
  all.push_back("chip: gh200_quad, slice: 4");
  for (const char* slice : {"2", "7", "8", "2x1", "2x2", "3x2", "2x4", "3x3", "3x4", "2x8", "4x4"})
    all.push_back("chip: h100_sxm, slice: " + std::string(slice));
  for (const char* slice : {"2x3", "4x1"}) all.push_back("chip: a100_sxm, slice: " + std::string(slice));
  all.push_back("chip: tpu_v5e, slice: 2x2, slices: 2");
  all.push_back("chip: tpu_v5e, slice: 4x1, slices: 3");
  all.push_back("chip: tpu_v5e, slice: 4x4, faults: [{link: [0, 1], down: true}, {link: [6, 10], bandwidth: 30%}]");
  all.push_back("chip: tpu_v5e, slice: 4x4, jitter: {delay: 200 ns, seed: 3}, routing: rotations");
  return all;
}

std::string program(const std::string& operation, const std::string& algorithm, const std::string& bytes) {
  const std::string shift = operation == "collective_permute" ? ", shift: 1" : "";
  return "{" + operation + ": {bytes: " + bytes + shift + "}, algorithm: " + algorithm + "}";
}

std::string text(const std::string& machine, const std::string& step) {
  return "machine: {" + machine + "}\nprogram:\n  - " + step + "\n";
}

struct Conformance : ::testing::TestWithParam<std::string> {
  const MachineModel machine = build_machine(scenario(text(GetParam(), "barrier")).machine);

  // Whether the algorithm took it on; its faults are the test's.
  bool run(const std::string& operation, const std::string& algorithm, const std::string& bytes) const {
    SCOPED_TRACE(operation + " by " + algorithm + ", " + bytes);
    const Scenario s = scenario(text(GetParam(), program(operation, algorithm, bytes)));
    Plan plan;
    try {
      plan = build_plan(s, machine);
    } catch (const InputError& e) {
      EXPECT_GT(std::string(e.what()).size(), 20u);
      return false;
    }
    try {
      const RunResult first = simulate(machine, plan, {.verify = true, .fold = Fold::off});
      const RunResult again = simulate(machine, plan, {.verify = false, .fold = Fold::off});
      EXPECT_EQ(first.fingerprint, again.fingerprint);
      const RunResult folded = simulate(machine, plan, {.verify = false});
      EXPECT_EQ(folded.time, first.time);
      EXPECT_EQ(folded.steps[0].messages, first.steps[0].messages);
      EXPECT_EQ(folded.link_bytes, first.link_bytes);
      EXPECT_EQ(first.steps[0].hops, first.totals.link_hops);
      EXPECT_EQ(first.steps[0].messages, first.totals.messages);
      EXPECT_GE(first.steps[0].time(), first.steps[0].step.lower_bound);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    return true;
  }
};

TEST_P(Conformance, EveryAlgorithmThatCanDoesItRight) {
  std::set<std::string> done;
  for (const std::string operation : kOperations)
    for (const Algorithm& a : algorithms())
      for (const std::string bytes : kSizes)
        if (run(operation, std::string(a.name), bytes)) done.insert(operation);
  EXPECT_EQ(done.size(), std::size(kOperations)) << "some operation has no algorithm here";
}

TEST_P(Conformance, AutoAlwaysFindsOne) {
  for (const std::string operation : kOperations)
    for (const std::string bytes : kSizes) EXPECT_TRUE(run(operation, "auto", bytes)) << operation;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return std::to_string(info.index) + name.substr(0, 60);
}

INSTANTIATE_TEST_SUITE_P(Machines, Conformance, ::testing::ValuesIn(machines()), test_name);

}  // namespace
}  // namespace hopsim::test

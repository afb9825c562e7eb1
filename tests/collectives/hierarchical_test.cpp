// Over domains joined by NICs. Expected times are bytes over the busiest link or NIC, counted here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

const double kV = 1 << 30;
const LinkModel kNvlink{450_GBps, 500_ns}, kNic{50_GBps, 1_us};
using enum Operation;

// An H100 SuperPod: 8 leaves in each of the pods of 32 nodes, 16 spines.
Switched superpod(int nodes) {
  Switched s(cluster(
      switched(grid_shape({8}, {false}), kNvlink, true), nodes,
      {.kind = ClusterNetwork::Kind::rails, .nic = kNic, .pod = 32, .spines = 16, .leaf_spine = {100_GBps, 1_us}}));
  s.wiring = wired(Wiring::Kind::switched, kNvlink, kNic, 8);
  return s;
}

// Scaling Book: V(D-1)/D over the 400 GB/s of a node.
TEST(Hierarchical, AllGatherOverASuperPodIsBoundByTheNics) {
  for (const int nodes : {32, 128}) {
    const Switched s = superpod(nodes);
    const Request r = s.over_all(all_gather, 1_GiB);
    EXPECT_NEAR(s.seconds("hierarchical", r) / (kV * (nodes - 1) / nodes / 400e9), 1, 0.03) << nodes;
  }
}

TEST(Hierarchical, TwoNodesAreBoundByTheirLinks) {
  const Switched s = nvls_nodes(2, 8, kNvlink, kNic);
  for (const Operation op : {all_gather, reduce_scatter})
    EXPECT_NEAR(s.seconds("hierarchical", s.over_all(op, 1_GiB)) / (kV * 7 / 8 / 450e9), 1, 0.05);
}

TEST(Hierarchical, AllReduceIsThereAndBack) {
  for (const int nodes : {4, 8}) {
    const Switched s = nvls_nodes(nodes, 8, kNvlink, kNic);
    const Request r = s.over_all(all_reduce, 1_GiB);
    const double t = s.seconds("hierarchical", r);
    EXPECT_NEAR(t / (2 * kV * (nodes - 1) / nodes / 400e9), 1, 0.05) << nodes;
    EXPECT_NEAR(t / choose_algorithm("hierarchical", r).closed_form(r).seconds(r.wiring), 1, 0.05);
  }
}

TEST(Hierarchical, IsProvenOnEveryShapeAndReverses) {
  for (const auto& [domains, local] : {std::pair{2, 1}, {3, 1}, {2, 2}, {3, 2}, {2, 3}, {4, 3}, {5, 4}, {3, 8}})
    for (const Operation op : {all_gather, reduce_scatter, all_reduce})
      for (const int chunks : {1, 3}) {
        const Switched s = nvls_nodes(domains, local, kNvlink, kNic);
        Request r = s.over_all(op, Bytes(1'000'003), chunks);
        SCOPED_TRACE(std::to_string(domains) + "x" + std::to_string(local) + " " + std::string(name(op)));
        const auto schedule = schedule_of("hierarchical", r);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) ASSERT_NO_THROW(prove(s.shape, r, *schedule, seed));
        const Time time = s.run(schedule).time;
        EXPECT_EQ(s.run(schedule, 5).time, time);
        EXPECT_GE(time, lower_bound(s.fabric, r));
        if (op != all_gather) continue;
        r.operation = reduce_scatter;
        // Either way at most as long as if rails and links waited for each other, and every step for its hops.
        const double v = 1'000'003, per_step = 2e-6;
        const double one_by_one =
            v * (domains - 1) / domains / local / 50e9 + v * (local - 1) / local / 450e9 + domains * per_step;
        EXPECT_LE(time.seconds(), one_by_one);
        EXPECT_LE(s.run(schedule_of("hierarchical", r)).time.seconds(), one_by_one);
      }
}

// Mesh axes of 4 over two nodes, two GPUs of each: both groups of a pair of nodes use all their rails.
TEST(Hierarchical, GroupsUseTheirOwnRails) {
  const Switched s = nvls_nodes(2, 4, kNvlink, kNic);
  Request r = s.over_groups(all_gather, 1_GiB, {{0, 1, 4, 5}, {2, 3, 6, 7}});
  r.wiring.local = 2;
  EXPECT_NO_THROW(prove(s.shape, r, *schedule_of("hierarchical", r)));
  EXPECT_NEAR(s.seconds("hierarchical", r) / (kV / 4 / 50e9), 1, 0.03);
}

// Slices of a torus, each chip with its share of a NIC.
Switched torus_slices(int n, const std::vector<int>& size, bool wrap, const LinkModel& dcn) {
  const Topology one = grid(box(size, wrap), kIci);
  Switched s(slices(one, n, dcn));
  s.wiring = wired(Wiring::Kind::grid, kIci, dcn, static_cast<int>(one.shape.chips()));
  return s;
}

TEST(Hierarchical, OverSlicesOfATorusIsProvenAndAboveItsBound) {
  for (const bool wrap : {true, false})
    for (const int n : {2, 3, 4})
      for (const std::vector<int>& size : std::vector<std::vector<int>>{{4}, {2, 2}, {3, 4}, {2, 3, 4}})
        for (const Operation op : {all_gather, reduce_scatter, all_reduce}) {
          const Switched s = torus_slices(n, size, wrap, {25_GBps, 5_us});
          const Request r = s.over_all(op, Bytes(1'000'003), 2);
          const auto schedule = schedule_of("hierarchical", r);
          for (std::uint64_t seed = 1; seed <= 2; ++seed) ASSERT_NO_THROW(prove(s.shape, r, *schedule, seed));
          const Time time = s.run(schedule).time;
          EXPECT_EQ(s.run(schedule, 5).time, time);
          EXPECT_GE(time, lower_bound(s.fabric, r));
        }
}

// V(D-1)/D over the NICs of a slice where those bind, else V(1-1/L) over its links.
TEST(Hierarchical, OverSlicesOfATorusIsBoundByNicsOrLinks) {
  const Switched slow = torus_slices(4, {4, 4, 4}, true, {Bandwidth(500'000'000), 5_us}),
                 fast = torus_slices(4, {4, 4, 4}, true, {100_GBps, 5_us});
  EXPECT_NEAR(slow.seconds("hierarchical", slow.over_all(all_gather, 1_GiB)) / (kV * 3 / 4 / (64 * 0.5e9)), 1, 0.05);
  EXPECT_NEAR(fast.seconds("hierarchical", fast.over_all(all_gather, 1_GiB)) / (kV * 63 / 64 / (3 * 90e9)), 1, 0.05);
}

TEST(Hierarchical, SaysWhatItNeeds) {
  const Switched node = nvls_node(8, kNvlink);
  EXPECT_FALSE(choose_algorithm("ring", node.over_all(all_gather, 1_MiB, 1)).name.empty());
  try {
    choose_algorithm("hierarchical", node.over_all(all_gather, 1_MiB, 1));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("several domains"), ::testing::HasSubstr("ring")));
  }
}

}  // namespace
}  // namespace hopsim::testing

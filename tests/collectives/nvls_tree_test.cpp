// Reduction in the switches of several nodes, and trees between them. Expected times are bytes over the busiest NIC
// or link, counted here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

const double kV = 1 << 30;
const LinkModel kNvlink{450_GBps, 500_ns}, kNic{50_GBps, 1_us};

Request all_reduce(const Switched& s, Bytes bytes, int chunks = 0) {
  return s.over_all(Operation::all_reduce, bytes, chunks);
}

// Of three nodes or more one is inside a tree and a leaf of the other: half of its share goes out three times, the
// other half once. Ups and downs queue at one NIC, which costs some 3 % a level.
TEST(NvlsTree, IsBoundByTheNicsOfNodesInsideATree) {
  for (const int nodes : {4, 8, 16}) {
    const Switched s = nvls_nodes(nodes, 8, kNvlink, kNic);
    EXPECT_NEAR(s.seconds("nvls_tree", all_reduce(s, 1_GiB)) / (2 * kV / 8 / 50e9), 1, 0.09) << nodes;
  }
}

// Two nodes exchange halves: a NIC sends its share once, and each GPU's link carries S(1 + 1/8). A ring's busbw is
// exceeded.
TEST(NvlsTree, OfTwoNodesExceedsARing) {
  const LinkModel wide{4500_GBps, 500_ns};
  const Switched fast = nvls_nodes(2, 8, wide, kNic), s = nvls_nodes(2, 8, kNvlink, kNic);
  EXPECT_NEAR(fast.seconds("nvls_tree", all_reduce(fast, 1_GiB)) / (kV / 8 / 50e9), 1, 0.03);
  const double t = s.seconds("nvls_tree", all_reduce(s, 1_GiB));
  EXPECT_GT(t, kV / 8 / 50e9);
  EXPECT_GT(kV / t * 2 * 15 / 16, 1.5 * 400e9);
}

TEST(NvlsTree, IsProvenOnEveryNumberOfNodes) {
  for (int nodes = 2; nodes <= 9; ++nodes)
    for (const int local : {2, 3})
      for (const int chunks : {1, 2, 5}) {
        const Switched s = nvls_nodes(nodes, local, kNvlink, kNic);
        const Request r = all_reduce(s, Bytes(1'000'003), chunks);
        SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(local));
        const auto schedule = schedule_of("nvls_tree", r);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) ASSERT_NO_THROW(prove(s.shape, r, *schedule, seed));
        const Time time = s.run(schedule).time;
        EXPECT_EQ(s.run(schedule, 5).time, time);
        EXPECT_GE(time, lower_bound(s.fabric, r));
      }
}

// Two mesh axes of 4 over two nodes: each switch serves half of either.
TEST(NvlsTree, GroupsShareSwitches) {
  const Switched s = nvls_nodes(2, 4, kNvlink, kNic);
  Request r = s.over_groups(Operation::all_reduce, 64_MiB, {{0, 1, 4, 5}, {2, 3, 6, 7}});
  r.wiring.local = 2;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_NO_THROW(prove(s.shape, r, *schedule_of("nvls_tree", r), seed));
  EXPECT_NEAR(s.seconds("nvls_tree", r) / ((1 << 26) / 2 / 50e9), 1, 0.03);
}

TEST(NvlsTree, SaysWhatItNeeds) {
  const auto refusal = [](const Request& r) -> std::string {
    try {
      choose_algorithm("nvls_tree", r);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  const Switched one = nvls_node(8, kNvlink), thin = nvls_nodes(4, 1, kNvlink, kNic),
                 s = nvls_nodes(2, 4, kNvlink, kNic);
  EXPECT_EQ(refusal(all_reduce(s, 1_MiB, 1)), "accepted");
  EXPECT_THAT(refusal(all_reduce(one, 1_MiB, 1)), HasSubstr("valid: nvls"));
  EXPECT_THAT(refusal(all_reduce(thin, 1_MiB, 1)), HasSubstr("valid: ring"));
  EXPECT_THAT(refusal(s.over_all(Operation::all_gather, 1_MiB, 1)), HasSubstr("nvls_tree does all_reduce"));
  Request r = all_reduce(s, 1_MiB, 1);
  r.wiring.nvls = nullptr;
  EXPECT_THAT(refusal(r), HasSubstr("needs a switch that reduces"));
}

}  // namespace
}  // namespace hopsim::testing

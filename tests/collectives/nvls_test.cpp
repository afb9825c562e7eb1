// Reduction and multicast in a switch. Expected times are bytes over the busiest link, counted here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 450e9;  // one way
const LinkModel kNvlink{450_GBps, 500_ns};
const double kV = 1 << 30;

using enum Operation;
constexpr Operation kAll[] = {all_gather, reduce_scatter, all_reduce, broadcast, reduce};

// What an H200 node with N = 5 and 8 was measured to do, for one W: busbw = W 2(N-1)/(N+1).
TEST(Nvls, AllReduceComesToItsBusBandwidth) {
  for (const int n : {2, 4, 5, 6, 7, 8, 72}) {
    const Switched node = nvls_node(n, kNvlink);
    const double t = node.seconds("nvls", node.over_all(all_reduce, 1_GiB));
    const double busbw = kV / t * 2 * (n - 1) / n;
    EXPECT_NEAR(busbw / (kW * 2 * (n - 1) / (n + 1)), 1, 0.015) << n;
  }
}

TEST(Nvls, OthersTakeWhatTheBusiestLinkCarries) {
  for (const int n : {3, 8, 72}) {
    const Switched node = nvls_node(n, kNvlink);
    for (const Operation op : {all_gather, reduce_scatter})
      EXPECT_NEAR(node.seconds("nvls", node.over_all(op, 1_GiB)) / (kV * (n - 1) / n / kW), 1, 0.015) << n;
    for (const Operation op : {broadcast, reduce})
      EXPECT_NEAR(node.seconds("nvls", node.over_all(op, 1_GiB)) / (kV / kW), 1, 0.015) << n;
  }
}

// Two hops to the switch and back, twice; bytes are a trifle.
TEST(Nvls, SmallArraysTakeFourHops) {
  const Switched node = nvls_node(8, kNvlink);
  EXPECT_NEAR(node.seconds("nvls", node.over_all(all_reduce, Bytes(800), 1)), 4 * 500e-9, 20e-9);
  EXPECT_NEAR(node.seconds("nvls", node.over_all(broadcast, Bytes(800), 1)), 2 * 500e-9, 20e-9);
}

TEST(Nvls, IsProvenForEverySizeAndReversesInTheSameTime) {
  for (int n = 2; n <= 9; ++n)
    for (const int chunks : {1, 2, 3, 8})
      for (const Operation op : kAll) {
        const Switched node = nvls_node(n, kNvlink);
        Request r = node.over_all(op, Bytes(1'000'003), chunks);
        r.root = n / 2;
        SCOPED_TRACE(std::string(name(op)) + " of " + std::to_string(n) + " in " + std::to_string(chunks));
        const auto schedule = schedule_of("nvls", r);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) ASSERT_NO_THROW(prove(node.shape, r, *schedule, seed));
        const Time time = node.run(schedule).time;
        EXPECT_EQ(node.run(schedule, 7).time, time);
        EXPECT_GE(time, lower_bound(node.fabric, r));
        if (op != all_gather && op != broadcast) continue;
        r.operation = op == all_gather ? reduce_scatter : reduce;
        EXPECT_EQ(node.run(schedule_of("nvls", r)).time, time);
      }
}

// Axes of a mesh within a node: one switch serves several groups, each apart.
TEST(Nvls, GroupsShareASwitchButNoLinks) {
  const Switched node = nvls_node(8, kNvlink);
  for (const auto& groups : std::vector<std::vector<std::vector<std::uint32_t>>>{
           {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {{0, 2, 4, 6}, {1, 3, 5, 7}}, {{5, 1, 6}, {2, 7, 0}}, {{3, 4}}})
    for (const Operation op : kAll)
      for (const int chunks : {1, 4, 0}) {
        Request r = node.over_groups(op, 16_MiB, groups, chunks);
        r.root = 1;
        const auto schedule = schedule_of("nvls", r);
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
          ASSERT_NO_THROW(prove(node.shape, r, *schedule, seed)) << name(op);
        const int n = r.size();
        const Switched alone = nvls_node(n, kNvlink);
        Request of_all = alone.over_all(op, 16_MiB, chunks);
        of_all.root = 1;
        EXPECT_EQ(node.run(schedule).time, alone.run(schedule_of("nvls", of_all)).time) << name(op) << n;
      }
}

std::string refusal(const Request& r, std::string_view algorithm = "nvls") {
  try {
    choose_algorithm(algorithm, r);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Nvls, SaysWhatItNeeds) {
  using ::testing::HasSubstr;
  const Switched node = nvls_node(8, kNvlink);
  Request r = node.over_all(all_reduce, 1_MiB, 1);
  EXPECT_EQ(refusal(r), "accepted");
  r.chunks = 2000;
  EXPECT_THAT(refusal(r), HasSubstr("valid: 1 to 1024"));
  r.chunks = 1;
  r.operation = all_to_all;
  EXPECT_THAT(refusal(r), HasSubstr("not all_to_all"));
  r.operation = all_reduce;
  r.wiring.nvls = nullptr;
  EXPECT_THAT(refusal(r), HasSubstr("nvls needs a switch that reduces (NVLS)"));
  const Switched two = nvls_nodes(2, 4, kNvlink, kNvlink);
  EXPECT_THAT(refusal(two.over_all(all_reduce, 1_MiB, 1)), HasSubstr("within one domain"));
}

}  // namespace
}  // namespace hopsim::testing

// Several axes at once. Expected times are the Scaling Book's formulas, computed here.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;  // one way
const LinkModel kQuick{45_GBps, 10_ns};

Request over_all(Operation op, const Shape& s, Bytes bytes, int chunks = 0) {
  std::vector<int> dims;
  for (int d = 0; d < s.dimensions; ++d) dims.push_back(d);
  return {.operation = op, .row = row_over(s, dims, RowOrder::ring), .bytes = bytes, .chunks = chunks};
}

TEST(ManyAxes, AllGatherUsesTheLinksOfAllAxes) {
  for (const std::vector<int>& size :
       std::vector<std::vector<int>>{{4, 4, 4}, {16, 16}, {8, 8, 8}, {3, 5}, {4, 6, 5}}) {
    const Shape s = box(size);
    const double v = 1 << 30, n = s.chips(), k = s.dimensions;
    const double t = seconds(s, "auto", over_all(Operation::all_gather, s, 1_GiB));
    EXPECT_NEAR(t / (v * (1 - 1 / n) / (k * 2 * kW)), 1, 0.01) << size[0] << "x" << size[1];
  }
}

TEST(ManyAxes, AllReduceBalancesUnequalAxes) {
  for (const std::vector<int>& size : std::vector<std::vector<int>>{{4, 8, 16}, {8, 8, 16}}) {
    const Shape s = box(size);
    const double v = 1 << 30, n = s.chips();
    EXPECT_NEAR(seconds(s, "auto", over_all(Operation::all_reduce, s, 1_GiB)) / (2 * v * (1 - 1 / n) / (3 * 2 * kW)),
                1, 0.04);
  }
}

// The busiest link of axis a carries V a / (8N) where it wraps and V floor(a^2/4) / (aN) where it does not.
TEST(ManyAxes, AllToAllIsBoundByTheLongestAxis) {
  struct Case {
    std::vector<int> size;
    bool wrap;
  };
  for (const Case& c : {Case{{4, 4}, true},
                        {{4, 8}, true},
                        {{4, 4}, false},
                        {{4, 8}, false},
                        {{4, 4, 4}, true},
                        {{4, 4, 8}, true},
                        {{16, 16}, true},
                        {{2, 2}, false}}) {
    const Shape s = box(c.size, c.wrap);
    double load = 0;
    for (const int a : c.size)
      load = std::max(load, c.wrap && a > 2 ? a / 8.0 / s.chips() : std::floor(a * a / 4.0) / a / s.chips());
    const double t = seconds(s, "nd_all_to_all", over_all(Operation::all_to_all, s, 1_GiB), kQuick);
    EXPECT_NEAR(t / (double(1 << 30) * load / kW), 1, 0.03) << c.size[0] << "x" << c.size[1] << c.wrap;
  }
}

struct EveryBox : ::testing::TestWithParam<std::pair<std::vector<int>, std::vector<bool>>> {};
INSTANTIATE_TEST_SUITE_P(ManyAxes, EveryBox,
                         ::testing::Values(std::pair(std::vector{2, 2}, std::vector{false, false}),
                                           std::pair(std::vector{3, 4}, std::vector{true, true}),
                                           std::pair(std::vector{3, 4}, std::vector{false, true}),
                                           std::pair(std::vector{4, 2}, std::vector{true, false}),
                                           std::pair(std::vector{2, 3, 4}, std::vector{false, false, true}),
                                           std::pair(std::vector{4, 4, 4}, std::vector{true, true, true}),
                                           std::pair(std::vector{2, 2, 2}, std::vector{false, false, false})));

TEST_P(EveryBox, IsProvenAndAboveItsBound) {
  const Shape s = grid_shape(GetParam().first, GetParam().second);
  const Fabric fabric = freeze(grid(s, kIci));
  for (const Operation op :
       {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
    for (const int chunks : {1, 2})
      for (const Bytes bytes : {Bytes(100'003), 16_MiB}) {
        const Request r = over_all(op, s, bytes, chunks);
        const char* name = op == Operation::all_to_all ? "nd_all_to_all" : "nd_ring";
        const auto schedule = schedule_of(name, r);
        ASSERT_NO_THROW(prove(s, r, *schedule));
        const Ran ran = run_schedule(s, schedule);
        EXPECT_GE(ran.time, lower_bound(fabric, r)) << title(op);
        EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 3).time, ran.time) << title(op);
        EXPECT_EQ(run_schedule(s.fold(), schedule).time, ran.time) << title(op);
      }
}

TEST(ManyAxes, SomeAxesOfABoxAtOnce) {
  const Shape s = box({4, 3, 4});
  for (const std::vector<int>& dims : std::vector<std::vector<int>>{{0, 1}, {2, 0}, {1, 2}})
    for (const Operation op :
         {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all}) {
      const Request r{.operation = op, .row = row_over(s, dims, RowOrder::ring), .bytes = 1_MiB};
      EXPECT_NO_THROW(prove(s, r, *schedule_of("auto", r)));
    }
}

std::vector<std::vector<ChipId>> groups(const std::vector<std::vector<std::uint32_t>>& numbers) {
  std::vector<std::vector<ChipId>> g;
  for (const auto& group : numbers) {
    g.emplace_back();
    for (const auto c : group) g.back().push_back(ChipId{c});
  }
  return g;
}

TEST(Groups, AnySetsOfChipsContendForLinks) {
  const Shape s = box({4, 4}, false);
  const Fabric fabric = freeze(grid(s, kIci));
  for (const auto& g : {groups({{0, 1, 2, 3}, {12, 13, 14, 15}}), groups({{0, 5, 10, 15}, {3, 6, 9, 12}}),
                        groups({{7, 2, 9}}), groups({{0, 15}, {1, 14}})})
    for (const Operation op :
         {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all}) {
      const Request r{.operation = op, .row = row_of_groups(s, g), .bytes = 1_MiB};
      const auto schedule = schedule_of("auto", r);
      EXPECT_NO_THROW(prove(s, r, *schedule));
      const Ran ran = run_schedule(s, schedule);
      EXPECT_GE(ran.time, lower_bound(fabric, r));
      EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 5).time, ran.time);
    }
}

// Two groups that interleave along a line of 4 share its middle link: {0, 2} and {1, 3} both cross it.
TEST(Groups, InterleavedGroupsShareTheMiddleLink) {
  const Shape line = box({4}, false);
  const auto time = [&](const std::vector<std::vector<std::uint32_t>>& numbers) {
    return seconds(line, "auto",
                   {.operation = Operation::all_gather, .row = row_of_groups(line, groups(numbers)), .bytes = 1_GiB});
  };
  const double half = double(1 << 29) / kW;
  EXPECT_NEAR(time({{0, 1}, {2, 3}}) / half, 1, 1e-3);
  EXPECT_NEAR(time({{0, 2}, {1, 3}}) / (2 * half), 1, 1e-3);
}

TEST(Groups, RefuseOverlapsAndUnequalSizes) {
  const Shape s = box({4}, false);
  EXPECT_THROW(row_of_groups(s, groups({{0, 1}, {1, 2}})), InputError);
  EXPECT_THROW(row_of_groups(s, groups({{0, 0}})), InputError);
  EXPECT_THROW(row_of_groups(s, groups({{0, 1, 2}, {3}})), InputError);
}

TEST(ManyAxes, ABlockOfFourExchangesByItsAxes) {
  const Shape block = box({2, 2}, false);
  EXPECT_EQ(choose_algorithm("auto", over_all(Operation::all_to_all, block, 1_MiB, 1)).name, "nd_all_to_all");
}

}  // namespace
}  // namespace hopsim::testing

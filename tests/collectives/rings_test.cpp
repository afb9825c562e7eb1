// AllGather and ReduceScatter along one axis. Expected times are the Scaling Book's formulas, computed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;            // one way
constexpr double kHop = 1e-6;

Request request(Operation op, const Shape& shape, Bytes bytes, int chunks = 1, bool book = false, int dimension = 0) {
  return {.operation = op, .row = row_along(shape, dimension), .bytes = bytes, .chunks = chunks, .book = book};
}

void expect_close(double value, double expected, double relative = 1e-3) {
  EXPECT_NEAR(value / expected, 1, relative) << value << " against " << expected;
}

struct BothOperations : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(Rings, BothOperations, ::testing::Values(Operation::all_gather, Operation::reduce_scatter));

TEST_P(BothOperations, LineOfFourTakesThreeHopsOfAShard) {
  const Shape s = box({8, 4}, false);
  const double v = 2.0 * 2048 * 8192;
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 25), 1, false, 1)), 3 * (v / 4 / kW + kHop));
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 17), 1, false, 1)), 3 * (131072.0 / 4 / kW + kHop));
}

TEST_P(BothOperations, EvenRingHalvesTheAntipodalShardUnlessByTheBook) {
  const Shape s = box({4, 4, 4});
  const double v = 2.0 * 1024 * 4096 / 4;
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 21))), v * 3 / 4 / (2 * kW) + 2 * kHop);
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 21), 1, true)), v / (2 * kW) + 2 * kHop);
}

TEST_P(BothOperations, OddRings) {
  for (const int n : {3, 5, 7, 9, 13}) {
    const Shape s = box({n});
    const double v = 1 << 30;
    expect_close(seconds(s, "bidirectional_ring", request(GetParam(), s, 1_GiB)), v * (n - 1) / n / (2 * kW) + (n - 1) / 2 * kHop);
  }
}

TEST_P(BothOperations, OneWayTakesTwiceAsLong) {
  for (const int n : {3, 4, 7, 16}) {
    const Shape s = box({n});
    expect_close(seconds(s, "ring", request(GetParam(), s, 1_GiB)), double(1 << 30) * (n - 1) / n / kW + (n - 1) * kHop);
  }
}

// Fine chunks hide all latency but one hop's where bandwidth binds, and all bandwidth where latency binds: both laws
// emerge, neither is coded.
TEST_P(BothOperations, ChunksTurnTheSumIntoTheMaximum) {
  const Shape s = box({16});
  const LinkModel slow{45_GBps, 20_us};
  const double v = 1 << 30;
  expect_close(seconds(s, "auto", request(GetParam(), s, 1_GiB, 64), slow), v * 15 / 16 / (2 * kW) + 20e-6, 5e-3);
  expect_close(seconds(s, "auto", request(GetParam(), s, 64_KiB, 64)), 8 * kHop, 0.1);
}

TEST_P(BothOperations, TwoChipsUseTheirOneLinkEachWay) {
  for (const char* algorithm : {"auto", "line", "ring", "bidirectional_ring"}) {
    const Shape s = box({2});
    expect_close(seconds(s, algorithm, request(GetParam(), s, 1_GiB)), double(1 << 29) / kW + kHop);
  }
}

// Every algorithm, size and chunk count: proven, never below the bound, no slower when an instant's events are shuffled.
TEST_P(BothOperations, AreProvenOnEverySize) {
  for (const bool wrap : {true, false})
    for (int n = 2; n <= 17; ++n)
      for (const int chunks : {1, 2, 3, 4})
        for (const bool book : {false, true})
          for (const Algorithm& a : algorithms()) {
            const Shape s = box({n}, wrap);
            const Request r = request(GetParam(), s, Bytes(1'000'003), chunks, book);
            if (!a.obstacle(r).empty()) continue;
            SCOPED_TRACE(std::string(a.name) + " n " + std::to_string(n) + " chunks " + std::to_string(chunks));
            const auto schedule = schedule_of(a.name, r);
            ASSERT_NO_THROW(prove(s, r, *schedule));
            const Ran ran = run_schedule(s, schedule);
            EXPECT_GE(ran.time, lower_bound(freeze(grid(s, kIci)), r));
            EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 7).time, ran.time);
          }
}

TEST(Rings, RowsOfABoxRunAtOnceAndAreProven) {
  const Shape s = grid_shape({4, 3, 5}, {true, false, true});
  for (int d = 0; d < 3; ++d)
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter}) {
      const Request r = request(op, s, 1_MiB, 2, false, d);
      const auto schedule = schedule_of("auto", r);
      EXPECT_NO_THROW(prove(s, r, *schedule));
    }
}

TEST(Rings, RefuseWhatTheyCannotDo) {
  const Shape line = box({6}, false);
  EXPECT_THROW(choose_algorithm("ring", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("bidirectional_ring", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("tree_of_life", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("line", request(Operation::all_gather, line, Bytes(12), 3)), InputError);
}

}  // namespace
}  // namespace hopsim::testing

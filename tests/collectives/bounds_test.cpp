// Lower bounds against values derived by hand. W is a link's bandwidth one way.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;
constexpr double kHop = 1e-6;
constexpr double kV = 1 << 30;

Request request(Operation op, const Shape& shape, int dimension, Bytes bytes = 1_GiB) {
  return {.operation = op, .row = row_along(shape, dimension), .bytes = bytes};
}

double bound(Operation op, const Shape& s, int dimension, Bytes bytes = 1_GiB) {
  return lower_bound(freeze(grid(s, kIci)), request(op, s, dimension, bytes)).seconds();
}

// To a picosecond, or a part in 10^12.
void expect_bound(double value, double expected) { EXPECT_NEAR(value, expected, 1e-12 + 1e-12 * expected); }

struct Bounds : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(BothOperations, Bounds, ::testing::Values(Operation::all_gather, Operation::reduce_scatter));

// The end of a line has one link: all but its own shard comes over it.
TEST_P(Bounds, Line) {
  const Shape s = grid_shape({4}, {false});
  expect_bound(bound(GetParam(), s, 0), kV * 3 / 4 / kW + kHop);
}

TEST_P(Bounds, Ring) {
  for (const int n : {3, 4, 7, 16}) expect_bound(bound(GetParam(), box({n}), 0), kV * (n - 1) / n / (2 * kW) + kHop);
}

TEST_P(Bounds, TwoChips) { expect_bound(bound(GetParam(), box({2}), 0), kV / 2 / kW + kHop); }

// A chip alone could use six links; but all sixteen rings run at once, and a plane of chips has two links a chip.
TEST_P(Bounds, RingsOfATorusShareItsLinks) {
  for (int d = 0; d < 3; ++d) expect_bound(bound(GetParam(), box({4, 4, 4}), d), kV * 3 / 4 / (2 * kW) + kHop);
}

TEST_P(Bounds, LinesOfAMeshShareItsLinks) {
  const Shape s = box({8, 4}, false);
  expect_bound(bound(GetParam(), s, 1), kV * 3 / 4 / kW + kHop);
  expect_bound(bound(GetParam(), s, 0), kV * 7 / 8 / kW + kHop);
}

TEST_P(Bounds, OneWrappedDimensionOfTwo) {
  const Shape s = grid_shape({16, 4}, {true, false});
  expect_bound(bound(GetParam(), s, 0), kV * 15 / 16 / (2 * kW) + kHop);
  expect_bound(bound(GetParam(), s, 1), kV * 3 / 4 / kW + kHop);
}

// A shard leaves its owner at most over all its links at once, and then has the diameter before it.
TEST_P(Bounds, SmallArraysAreBoundByDistance) {
  const double v = 1600;
  expect_bound(bound(GetParam(), box({16}), 0, Bytes(1600)), 8 * kHop + v / 16 / (2 * kW));
  expect_bound(bound(GetParam(), box({5}), 0, Bytes(1600)), 2 * kHop + v / 5 / (2 * kW));
  expect_bound(bound(GetParam(), box({16}, false), 0, Bytes(1600)), 15 * kHop + v / 16 / kW);
  expect_bound(bound(GetParam(), box({8, 4}, false), 1, Bytes(1600)), 3 * kHop + v / 4 / (2 * kW));
}

TEST_P(Bounds, OneChipNeedsNothing) { EXPECT_EQ(bound(GetParam(), grid_shape({1, 4}, {true, true}), 0), 0); }

Fabric changed(const Shape& s, const std::function<void(Link&)>& change, std::uint32_t chip, bool backwards) {
  Fabric f = freeze(grid(s, kIci));
  change(f.links[index(f.grid_link(Fabric::port(0, backwards), chip))]);
  return f;
}

// On a ring of 8 the link 3 -> 4 at a tenth: chip 4 takes in 7/8 of V over 1.1 links, chip 3 gives out as much.
TEST_P(Bounds, OneSlowLinkOfARing) {
  const Shape s = box({8});
  const Fabric f = changed(
      s, [](Link& l) { l.bandwidth = Bandwidth(4'500'000'000); }, 3, false);
  expect_bound(lower_bound(f, request(GetParam(), s, 0)).seconds(), kV * 7 / 8 / (1.1 * kW) + kHop);
}

// On a line the link 3 -> 4 at a tenth: half of V crosses it to the upper half, against all but a shard at the ends.
TEST(Bounds, OneSlowLinkOfALine) {
  const Shape s = box({8}, false);
  const Fabric f = changed(
      s, [](Link& l) { l.bandwidth = Bandwidth(4'500'000'000); }, 3, false);
  expect_bound(lower_bound(f, request(Operation::all_gather, s, 0)).seconds(), kV / 2 / (0.1 * kW) + kHop);
  expect_bound(lower_bound(f, request(Operation::reduce_scatter, s, 0)).seconds(), kV / 2 / (0.1 * kW) + kHop);
}

TEST(Bounds, OneLongLinkIsGoneRound) {
  const Shape s = box({8});
  const Fabric f = changed(
      s, [](Link& l) { l.latency = 100_us; }, 0, false);
  // From chip 0 to chip 4 by way of 7, 6, 5; to chip 1 that is 7 hops, the farthest.
  expect_bound(lower_bound(f, request(Operation::all_gather, s, 0, Bytes(800))).seconds(), 7 * kHop + 100 / (2 * kW));
}

TEST(Bounds, ALostLinkLeavesTheOtherWayRound) {
  const Shape s = box({8});
  const Fabric f = changed(
      s, [](Link& l) { l.bandwidth = Bandwidth(); }, 3, false);
  expect_bound(lower_bound(f, request(Operation::all_gather, s, 0)).seconds(), kV * 7 / 8 / kW + kHop);
  expect_bound(lower_bound(f, request(Operation::reduce_scatter, s, 0)).seconds(), kV * 7 / 8 / kW + kHop);
}

// Two chips attain the bound exactly, so rounding must never push it above what the clock shows.
TEST_P(Bounds, RoundingKeepsThemBelowWhatIsAttained) {
  const Shape s = box({2});
  for (std::uint64_t k = 1; k <= 2000; ++k) {
    const Bytes bytes(2 * (k * 45'000'000'000'001 + 7 * k * k));  // up to 2e6 s
    const Bandwidth w(45'000'000'000 + k % 7);
    const Fabric f = freeze(grid(s, {w, 1_us}));
    ASSERT_LE(lower_bound(f, request(GetParam(), s, 0, bytes)), w.duration(Bytes(bytes.count() / 2)) + 1_us)
        << bytes.count();
  }
}

TEST(Bounds, ALongRowIsBoundedInAMoment) {
  const Shape s = box({32767});
  expect_bound(bound(Operation::all_gather, s, 0), 16383 * kHop + kV / 32767 / (2 * kW));
}

}  // namespace
}  // namespace hopsim::testing

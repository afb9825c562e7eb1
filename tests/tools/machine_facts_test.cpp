#include "tools/machine_facts.hpp"

#include <gtest/gtest.h>

#include "topologies/grid.hpp"

namespace hopsim {
namespace {

using namespace hopsim::literals;

Fabric box(const std::vector<int>& size, const std::vector<bool>& wrap) {
  return freeze(grid(grid_shape(size, wrap), {1_GBps, 1_us}));
}

// A ring of n: floor(n/2) hops. A line: n - 1. A box: the sum over its dimensions.
TEST(MachineFacts, Diameter) {
  EXPECT_EQ(diameter(box({5}, {false})), 4);
  EXPECT_EQ(diameter(box({5}, {true})), 2);
  EXPECT_EQ(diameter(box({8, 4}, {false, false})), 7 + 3);
  EXPECT_EQ(diameter(box({16, 4}, {true, false})), 8 + 3);
  EXPECT_EQ(diameter(box({4, 4, 4}, {true, true, true})), 6);
  EXPECT_EQ(diameter(box({1}, {false})), 0);
}

TEST(MachineFacts, DiameterOfADamagedRing) {
  Fabric ring = box({6}, {true});
  for (Link& l : ring.links)
    if ((l.from == 0 && l.to == 5) || (l.from == 5 && l.to == 0)) l.bandwidth = Bandwidth{};
  EXPECT_EQ(diameter(ring), 5);
  for (Link& l : ring.links)
    if (l.from == 2 && l.to == 3) l.bandwidth = Bandwidth{};
  EXPECT_THROW(diameter(ring), std::invalid_argument);
}

// Links across the cut, at 1 GB/s each: one a row of a line, two of a ring; the longest dimension has the fewest
// rows.
TEST(MachineFacts, Bisection) {
  EXPECT_EQ(bisection(box({8, 4}, {false, false})), 4_GBps);
  EXPECT_EQ(bisection(box({16, 16}, {true, true})), 32_GBps);
  EXPECT_EQ(bisection(box({4, 4, 4}, {true, true, true})), 32_GBps);
  EXPECT_EQ(bisection(box({16, 4}, {true, false})), 8_GBps);
  EXPECT_EQ(bisection(box({5}, {false})), 1_GBps);
  EXPECT_EQ(bisection(box({5}, {true})), 2_GBps);
  EXPECT_EQ(bisection(box({4, 1}, {false, false})), 1_GBps);
  EXPECT_EQ(bisection(box({1}, {false})), std::nullopt);
}

TEST(MachineFacts, BisectionFindsTheNarrowestCut) {
  Fabric ring = box({4}, {true});
  for (Link& l : ring.links)
    if (l.from == 1 && l.to == 2) l.bandwidth = Bandwidth(10);
  EXPECT_EQ(bisection(ring), Bandwidth(1'000'000'010));
}

}  // namespace
}  // namespace hopsim

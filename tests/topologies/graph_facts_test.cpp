#include "topologies/graph_facts.hpp"

#include <gtest/gtest.h>

#include "topologies/faults.hpp"
#include "topologies/networks.hpp"

namespace hopsim {
namespace {

using namespace hopsim::literals;

constexpr LinkModel kLink{1_GBps, 1_us};

Topology box(const std::vector<int>& size, const std::vector<bool>& wrap) {
  return grid(grid_shape(size, wrap), kLink);
}
HopCounts hops(const Topology& t) { return hop_counts(freeze(t)); }
int diameter(const Topology& t) { return hops(t).diameter; }
std::optional<Bandwidth> cut(const Topology& t) { return bisection(freeze(t)); }

// A ring of n: floor(n/2) hops. A line: n - 1. A box: the sum over its dimensions.
TEST(HopCounts, Diameter) {
  EXPECT_EQ(diameter(box({5}, {false})), 4);
  EXPECT_EQ(diameter(box({5}, {true})), 2);
  EXPECT_EQ(diameter(box({8, 4}, {false, false})), 7 + 3);
  EXPECT_EQ(diameter(box({16, 4}, {true, false})), 8 + 3);
  EXPECT_EQ(diameter(box({4, 4, 4}, {true, true, true})), 6);
  EXPECT_EQ(diameter(box({1}, {false})), 0);
}

// By hand: a ring of 4 has 1, 2, 1 hops to the others; a line of 3 1, 2, 1, 1, 2, 1. The last by both ways of
// counting: with a link less there is no formula.
TEST(HopCounts, MeanOfAllPairs) {
  EXPECT_DOUBLE_EQ(hops(box({4}, {true})).mean, 4.0 / 3);
  EXPECT_DOUBLE_EQ(hops(box({3}, {false})).mean, 8.0 / 6);
  EXPECT_DOUBLE_EQ(hops(box({2, 2}, {false, false})).mean, 4.0 / 3);
  Topology line = box({5, 3}, {true, false});
  line.graph[*edges(line.graph).first].port = -1;  // no longer known as a box
  EXPECT_DOUBLE_EQ(hops(line).mean, hops(box({5, 3}, {true, false})).mean);
}

// Published for TPU v4: Jouppi et al. 2023; 4x4x8 and 4x8x8, plain and twisted.
TEST(HopCounts, OfTwistedTori) {
  const auto plain = [](const std::vector<int>& size) { return hops(box(size, {true, true, true})); };
  const auto twisted = [](const std::vector<int>& size) { return hops(grid(twisted_shape(size), kLink)); };
  EXPECT_EQ(plain({4, 4, 8}).diameter, 8);
  EXPECT_NEAR(plain({4, 4, 8}).mean, 4.0315, 5e-5);
  EXPECT_EQ(twisted({4, 4, 8}).diameter, 6);
  EXPECT_NEAR(twisted({4, 4, 8}).mean, 3.4646, 5e-5);
  EXPECT_EQ(plain({4, 8, 8}).diameter, 10);
  EXPECT_NEAR(plain({4, 8, 8}).mean, 5.0196, 5e-5);
  EXPECT_EQ(twisted({4, 8, 8}).diameter, 6);
  EXPECT_NEAR(twisted({4, 8, 8}).mean, 4.3294, 5e-5);
}

TEST(HopCounts, OfADamagedRing) {
  Topology ring = box({6}, {true});
  apply_faults(ring, {{.from = 0, .to = 5, .down = true}});
  EXPECT_EQ(diameter(ring), 5);
}

// Through a switch two hops; from a node to another two NICs, and no GPU passes anything on.
TEST(HopCounts, OfSwitchedNodes) {
  const Topology node = switched(grid_shape({4}, {false}), kLink, false);
  EXPECT_EQ(diameter(node), 2);
  EXPECT_DOUBLE_EQ(hops(node).mean, 2);
  const ClusterNetwork rails{ClusterNetwork::Kind::rails, kLink, 2, 3, kLink};
  EXPECT_EQ(diameter(cluster(node, 2, rails)), 4);  // another rail: up to a spine
  // Half of the 7 others in the own node of 4, of the other 4 one on the same rail: (3 x 2 + 2 + 3 x 4) / 7.
  EXPECT_DOUBLE_EQ(hops(cluster(node, 2, rails)).mean, 20.0 / 7);
  // Within a slice messages keep to its links, though two hops over DCN would do.
  EXPECT_EQ(diameter(slices(box({8}, {false}), 2, kLink)), 7);
  EXPECT_EQ(diameter(fully_connected(grid_shape({5}, {false}), kLink)), 1);
  EXPECT_EQ(diameter(hybrid_cube_mesh(kLink)), 2);
}

// Links across the cut, at 1 GB/s each: one a row of a line, two of a ring; the longest dimension has the fewest
// rows.
TEST(Bisection, OfBoxes) {
  EXPECT_EQ(cut(box({8, 4}, {false, false})), 4_GBps);
  EXPECT_EQ(cut(box({16, 16}, {true, true})), 32_GBps);
  EXPECT_EQ(cut(box({4, 4, 4}, {true, true, true})), 32_GBps);
  EXPECT_EQ(cut(box({16, 4}, {true, false})), 8_GBps);
  EXPECT_EQ(cut(box({5}, {false})), 1_GBps);
  EXPECT_EQ(cut(box({5}, {true})), 2_GBps);
  EXPECT_EQ(cut(box({4, 1}, {false, false})), 1_GBps);
  EXPECT_EQ(cut(box({1}, {false})), std::nullopt);
}

TEST(Bisection, FindsTheNarrowestCut) {
  Topology ring = box({4}, {true});
  apply_faults(ring, {{.from = 1, .to = 2, .both_ways = false, .bandwidth = Bandwidth(10)}});
  EXPECT_EQ(cut(ring), Bandwidth(1'000'000'010));
}

// 4 of 8 links into a crossbar; 4 x 4 pairs; 6 NVLinks join the quads of a DGX-1; the NICs of 2 of 4 nodes, unless
// there is less between leaves and spines.
TEST(Bisection, OfNetworks) {
  const Shape eight = grid_shape({8}, {false});
  const Topology node = switched(eight, kLink, false);
  EXPECT_EQ(cut(node), 4_GBps);
  EXPECT_EQ(cut(fully_connected(eight, kLink)), 16_GBps);
  EXPECT_EQ(cut(hybrid_cube_mesh(kLink)), 6_GBps);
  const LinkModel nic{Bandwidth(100'000'000), 1_us};
  EXPECT_EQ(cut(cluster(node, 4, {ClusterNetwork::Kind::one_switch, nic, 0, 0, {}})), Bandwidth(1'600'000'000));
  const LinkModel thin{Bandwidth(10'000'000), 1_us};
  EXPECT_EQ(cut(cluster(node, 4, {ClusterNetwork::Kind::leaf_spine, nic, 2, 3, thin})), Bandwidth(30'000'000));
}

}  // namespace
}  // namespace hopsim

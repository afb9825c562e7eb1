// Switched nodes, wired nodes and what joins them: how many links, of what rate, whence and whither.
#include "topologies/networks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/topologies/graphs.hpp"

namespace hopsim {
namespace {

using namespace literals;
using testing::complaint;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::loads;
using testing::way;

const LinkModel kNvlink{450_GBps, 500_ns}, kNic{50_GBps, 2_us}, kSpine{100_GBps, 1_us};

Shape row(int n) { return grid_shape({n}, {false}); }

std::map<std::uint32_t, std::uint64_t> rates_out(const Fabric& f, std::uint32_t node) {
  std::map<std::uint32_t, std::uint64_t> rates;
  for (const Link& l : f.links)
    if (l.from == node) rates[l.to] += l.bandwidth.bytes_per_second() / 1'000'000'000;
  return rates;
}

std::string name(const Topology& t, const std::vector<std::uint32_t>& links, const Fabric& f) {
  std::string names;
  for (const std::uint32_t l : links)
    if (f.links[l].to >= f.chips()) names += (names.empty() ? "" : ", ") + t.graph[f.links[l].to].name;
  return names;
}

TEST(Switched, HasALinkUpAndALinkDownEach) {
  for (const bool reduces : {false, true}) {
    const Fabric f = freeze(switched(row(8), kNvlink, reduces));
    EXPECT_FALSE(f.grid());
    EXPECT_EQ(f.nodes, 9u);
    EXPECT_EQ(f.actors(), reduces ? 9u : 8u);
    EXPECT_EQ(f.existing_links(), 16u);
    for (std::uint32_t chip = 0; chip < 8; ++chip) {
      EXPECT_EQ(rates_out(f, chip), (std::map<std::uint32_t, std::uint64_t>{{8, 450}}));
      EXPECT_EQ(rates_out(f, 8).at(chip), 450u);
      if (reduces) {
        EXPECT_EQ(way(f, chip, 8).size(), 1u);
        EXPECT_EQ(way(f, 8, chip).size(), 1u);
      }
      for (std::uint32_t to = 0; to < 8; ++to) EXPECT_EQ(way(f, chip, to).size(), chip == to ? 0u : 2u);
    }
    EXPECT_EQ(f.hops(ChipId{0}, ChipId{7}, Offset::to_node(7), 0), 2u);
  }
}

TEST(FullyConnected, HasALinkFromEachToEach) {
  const Fabric f = freeze(fully_connected(row(8), kNvlink), Routing::minimal);
  EXPECT_EQ(f.existing_links(), 8u * 7);
  EXPECT_EQ(f.routes, 1u);
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = 0; b < 8; ++b) EXPECT_EQ(way(f, a, b).size(), a == b ? 0u : 1u);
}

// NVIDIA DGX-1 with V100: 150 GB/s a GPU, four neighbours; any other GPU is two hops away.
TEST(HybridCubeMesh, HasSixNvlinksAGpu) {
  const Topology t = hybrid_cube_mesh({25_GBps, 1_us});
  const Fabric f = freeze(t);
  EXPECT_EQ(f.existing_links(), 32u);
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
    const auto rates = rates_out(f, gpu);
    EXPECT_EQ(rates.size(), 4u);
    std::uint64_t total = 0;
    for (const auto& [to, rate] : rates) {
      total += rate;
      EXPECT_EQ(rates_out(f, to).at(gpu), rate);
    }
    EXPECT_EQ(total, 150u);
    for (std::uint32_t to = 0; to < 8; ++to)
      EXPECT_EQ(way(f, gpu, to).size(), gpu == to ? 0u : rates.count(to) ? 1u : 2u);
  }
  EXPECT_EQ(rates_out(f, 0), (std::map<std::uint32_t, std::uint64_t>{{1, 25}, {2, 25}, {3, 50}, {4, 50}}));
  EXPECT_EQ(rates_out(f, 6), (std::map<std::uint32_t, std::uint64_t>{{2, 25}, {4, 25}, {5, 50}, {7, 50}}));
  EXPECT_GT(freeze(t, Routing::minimal).routes, 1u);
}

TEST(Cluster, OnOneSwitchKeepsInsideWhatIsInside) {
  const Topology t = cluster(switched(row(4), kNvlink, true), 3, {.nic = kNic});
  const Fabric f = freeze(t);
  EXPECT_EQ(t.domain, 4u);
  EXPECT_EQ(f.chips(), 12u);
  EXPECT_EQ(f.shape.dimensions, 2);
  EXPECT_EQ(f.shape.switches, 3u);
  EXPECT_EQ(f.nodes, 12u + 3 + 1);
  EXPECT_EQ(f.existing_links(), 2u * 12 + 2 * 12);
  for (std::uint32_t a = 0; a < 12; ++a) {
    EXPECT_EQ(rates_out(f, a), (std::map<std::uint32_t, std::uint64_t>{{12 + a / 4, 450}, {15, 50}}));
    for (std::uint32_t b = 0; b < 12; ++b) {
      if (a == b) continue;
      const auto links = way(f, a, b);
      ASSERT_EQ(links.size(), 2u);
      EXPECT_EQ(f.links[links[0]].to, a / 4 == b / 4 ? 12 + a / 4 : 15);
    }
    EXPECT_EQ(way(f, a, 12 + a / 4).size(), 1u);
    EXPECT_EQ(f.next_link(a, 12 + (a / 4 + 1) % 3, 0), kNoLink) << "no way over other GPUs to their switch";
  }
}

TEST(Cluster, OfRailsGoesUpOnlyWhereItMust) {
  // 3 pods of 2 nodes of 4 GPUs, the last of one node: 12 leaves, 2 spines.
  const ClusterNetwork network{ClusterNetwork::Kind::rails, kNic, 2, 2, kSpine};
  const Topology t = cluster(switched(row(4), kNvlink, false), 5, network);
  const Fabric f = freeze(t);
  EXPECT_EQ(f.shape.switches, 0u);
  EXPECT_EQ(f.nodes, 20u + 5 + 12 + 2);
  EXPECT_EQ(f.existing_links(), 2u * (20 + 20 + 12 * 2));
  EXPECT_EQ(name(t, way(f, 0, 3), f), "switch of domain 0");
  EXPECT_EQ(name(t, way(f, 1, 5), f), "leaf 1");                      // the same rail and pod
  EXPECT_THAT(name(t, way(f, 1, 6), f), HasSubstr("leaf 1, spine"));  // across rails
  EXPECT_EQ(way(f, 1, 6).size(), 4u);
  EXPECT_THAT(name(t, way(f, 1, 9), f), ::testing::EndsWith("leaf 5"));  // across pods: rail 1 of pod 1
  EXPECT_THAT(name(t, way(f, 19, 2), f), ::testing::StartsWith("leaf 11"));
}

TEST(Cluster, OfLeavesAndSpinesHasALeafAPod) {
  const ClusterNetwork network{ClusterNetwork::Kind::leaf_spine, kNic, 2, 3, kSpine};
  const Topology t = cluster(fully_connected(row(4), kNvlink), 6, network);
  const Fabric f = freeze(t);
  EXPECT_EQ(f.nodes, 24u + 3 + 3);
  EXPECT_EQ(f.existing_links(), 6u * 12 + 2 * 24 + 2 * 9);
  EXPECT_EQ(way(f, 0, 3).size(), 1u);
  EXPECT_EQ(name(t, way(f, 0, 7), f), "leaf 0");
  EXPECT_EQ(way(f, 0, 8).size(), 4u);
  EXPECT_EQ(t.graph[f.links[way(f, 0, 8)[0]].to].name, "leaf 0");
}

TEST(Cluster, OfWiredGpusPassesOnWithinANodeOnly) {
  const Topology t = cluster(hybrid_cube_mesh({25_GBps, 1_us}), 2, {ClusterNetwork::Kind::rails, kNic, 0, 1, kSpine});
  const Fabric f = freeze(t);
  EXPECT_EQ(way(f, 0, 5).size(), 2u);
  for (const std::uint32_t l : way(f, 0, 5)) EXPECT_LT(f.links[l].to, 8u);
  EXPECT_EQ(name(t, way(f, 0, 8), f), "leaf 0");
  EXPECT_EQ(name(t, way(f, 0, 13), f), "leaf 0, spine 0, leaf 5");
}

// 32 nodes a pod, 8 leaves of 32 ports up and down, so 16 spines of two ports each leaf (NVIDIA DGX SuperPOD).
TEST(Cluster, SuperPodIsNonBlockingForShifts) {
  const ClusterNetwork network{ClusterNetwork::Kind::rails, kNic, 4, 4, {100_GBps, 1_us}};
  // A quarter in each direction: 16 nodes of 2 GPUs, pods of 4: a leaf has 4 GPUs and 4 spines of twice their rate.
  const Fabric f = freeze(cluster(switched(row(2), kNvlink, false), 16, network));
  for (std::uint32_t shift = 2; shift < 32; shift += 2) {
    const auto load = loads(f, [&](std::uint32_t a, std::uint32_t b) { return (a + shift) % 32 == b; });
    EXPECT_EQ(*std::max_element(load.begin(), load.end()), 1) << shift;
  }
}

TEST(Cluster, SpreadsOverSpinesEvenly) {
  const ClusterNetwork network{ClusterNetwork::Kind::rails, kNic, 8, 4, kSpine};
  const Topology t = cluster(switched(row(4), kNvlink, false), 32, network);
  for (const Routing routing : {Routing::table, Routing::minimal}) {
    const Fabric f = freeze(t, routing);
    EXPECT_EQ(f.routes, routing == Routing::minimal ? 4u : 1u);
    const auto load = loads(f, [](std::uint32_t a, std::uint32_t b) { return a / 4 != b / 4; });
    std::set<int> spines;
    for (std::size_t i = 0; i < f.links.size(); ++i)
      if (f.links[i].from >= f.chips() && f.links[i].to >= f.chips()) spines.insert(load[i]);
    // Every leaf's 8 GPUs send to the 124 of other nodes; 7 of them are on the leaf itself. Over 4 spines.
    EXPECT_THAT(spines, Each(static_cast<int>(8 * (124 - 7) / 4 * f.routes)));
  }
}

TEST(Cluster, RefusesWhatDoesNotJoin) {
  const Topology node = switched(row(4), kNvlink, false);
  EXPECT_THAT(complaint([&] { cluster(node, 0, {.nic = kNic}); }), HasSubstr("got 0; valid: 1 or more"));
  EXPECT_THAT(complaint([&] {
                cluster(node, 2, {ClusterNetwork::Kind::rails, kNic, 0, 0, kSpine});
              }),
              HasSubstr("several leaf switches need spines"));
  EXPECT_THAT(complaint([&] {
                cluster(node, 2, {ClusterNetwork::Kind::rails, kNic, -1, 2, kSpine});
              }),
              HasSubstr("got -1"));
  EXPECT_THAT(complaint([&] { cluster(node, 40'000, {.nic = kNic}); }), HasSubstr("too many chips"));
}

TEST(Slices, KeepToTheirLinksAndWrap) {
  const Topology t = slices(grid(grid_shape({3, 4}, {true, true}), {90_GBps, 1_us}), 2, {6_GBps, 10_us});
  const Fabric f = freeze(t);
  EXPECT_EQ(t.domain, 12u);
  EXPECT_EQ(f.shape.dimensions, 3);
  EXPECT_FALSE(f.shape.wrap[0]);
  EXPECT_TRUE(f.shape.wrap[1]);
  EXPECT_TRUE(f.shape.wrap[2]);
  EXPECT_EQ(f.nodes, 25u);
  EXPECT_EQ(f.existing_links(), 2u * 12 * 4 + 2 * 24);
  const auto around = [](int a, int b, int n) { return std::min((b - a + n) % n, (a - b + n) % n); };
  for (std::uint32_t a = 0; a < 24; ++a)
    for (std::uint32_t b = 0; b < 24; ++b) {
      if (a == b) continue;
      const auto links = way(f, a, b);
      const Coordinates x = f.shape.at(ChipId{a}), y = f.shape.at(ChipId{b});
      if (x[0] != y[0]) {
        ASSERT_EQ(links.size(), 2u);
        EXPECT_EQ(f.links[links[0]].to, 24u);
        continue;
      }
      // Dimension by dimension: first as far as it goes along the slice's first.
      ASSERT_EQ(links.size(), static_cast<std::size_t>(around(x[1], y[1], 3) + around(x[2], y[2], 4)));
      for (std::size_t i = 0; i < links.size(); ++i) {
        const Coordinates to = f.shape.at(ChipId{f.links[links[i]].to});
        EXPECT_EQ(to[1] == y[1], static_cast<int>(i) + 1 >= around(x[1], y[1], 3));
      }
    }
}

TEST(Slices, OfATwistedTorusStayTwisted) {
  const Topology t = slices(grid(twisted_shape({4, 4, 8}), {90_GBps, 1_us}), 2, {6_GBps, 10_us});
  const Fabric f = freeze(t);
  const auto links = way(f, 128 + 3 * 32, index(f.shape.peer({1, 3, 0, 0}, along(1, 1))));
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(f.links[links[0]].to, 128u + 4);
}

}  // namespace
}  // namespace hopsim

// Routing tables: every way arrives, by as few links as breadth-first search finds, and equal ways are shared out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "tests/topologies/graphs.hpp"
#include "topologies/faults.hpp"
#include "topologies/networks.hpp"

namespace hopsim {
namespace {

using namespace literals;
using testing::complaint;
using ::testing::HasSubstr;
using testing::hops_from;
using testing::loads;
using testing::neighbours;
using testing::way;

const LinkModel kLink{45_GBps, 1_us};

Topology torus(const std::vector<int>& size, bool wrap = true) {
  return grid(grid_shape(size, std::vector<bool>(size.size(), wrap)), kLink);
}
Topology damaged(Topology t, std::uint32_t from, std::uint32_t to, bool both_ways = true) {
  apply_faults(t, {{.from = from, .to = to, .both_ways = both_ways, .down = true}});
  return t;
}

std::vector<Topology> networks() {
  const Shape eight = grid_shape({8}, {false});
  const ClusterNetwork rails{ClusterNetwork::Kind::rails, kLink, 2, 3, kLink};
  return {damaged(torus({7}), 0, 6),
          damaged(torus({4, 5}), 3, 4),
          damaged(torus({4, 4, 4}), 0, 1, false),
          damaged(torus({3, 4}, false), 5, 6),
          damaged(grid(twisted_shape({3, 3, 6}), kLink), 0, 1),
          switched(eight, kLink, true),
          fully_connected(eight, kLink),
          damaged(fully_connected(eight, kLink), 2, 5),
          hybrid_cube_mesh(kLink),
          cluster(switched(eight, kLink, false), 5, rails),
          cluster(hybrid_cube_mesh(kLink), 3, {.nic = kLink})};
}

TEST(Routes, EveryWayArrivesBySmallestHops) {
  for (const Topology& t : networks())
    for (const Routing routing : {Routing::dimension_ordered, Routing::table, Routing::minimal}) {
      const Fabric f = freeze(t, routing);
      ASSERT_FALSE(f.grid());
      const auto next = neighbours(f);
      std::vector<bool> ends;
      for (std::uint32_t n = 0; n < f.nodes; ++n) ends.push_back(!t.graph[n].forwards);
      const bool weighted = t.domain != t.shape.chips();  // then ways inside a domain may be the longer ones
      for (std::uint32_t from = 0; from < f.chips(); ++from) {
        const auto hops = hops_from(next, from, ends);
        for (std::uint32_t to = 0; to < f.actors(); ++to)
          for (std::uint32_t route = 0; route < f.routes; ++route) {
            const auto links = way(f, from, to, route);
            if (!weighted) {
              ASSERT_EQ(static_cast<int>(links.size()), hops[to]) << from << " to " << to;
            }
            ASSERT_EQ(links.empty(), from == to);
            for (std::size_t i = 0; i + 1 < links.size(); ++i) ASSERT_FALSE(ends[f.links[links[i]].to]);
          }
      }
    }
}

TEST(Routes, AGridAskedForTablesIsANetworkOfTheSameLinks) {
  const Topology t = torus({4, 4});
  EXPECT_TRUE(freeze(t).grid());
  const Fabric f = freeze(t, Routing::table);
  EXPECT_FALSE(f.grid());
  EXPECT_EQ(f.existing_links(), freeze(t).existing_links());
  EXPECT_EQ(f.routes, 1u);
  // Dimension-ordered: from (0,0) to (1,3) along x, then back along y.
  const auto links = way(f, 0, 7);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(f.links[links[0]].to, 4u);
}

TEST(Routes, OfADamagedTorusStayDimensionOrderedElsewhere) {
  const Fabric f = freeze(damaged(torus({5, 5}), 0, 1));
  EXPECT_EQ(f.links[way(f, 12, 24)[0]].to, 17u);  // (2,2) to (4,4): (3,2), (4,2), (4,3)
  EXPECT_EQ(f.links[way(f, 12, 24)[1]].to, 22u);
  EXPECT_EQ(way(f, 0, 1).size(), 3u);
}

TEST(Routes, MinimalSharesOutEqualWays) {
  const Fabric f = freeze(torus({5, 5}), Routing::minimal);
  EXPECT_EQ(f.routes, 2u);
  EXPECT_NE(way(f, 0, 6, 0)[0], way(f, 0, 6, 1)[0]);
  EXPECT_EQ(way(f, 0, 2, 0), way(f, 0, 2, 1));
  // An even torus has two ways round to an opposite chip: up to four ways; no more tables than that.
  EXPECT_EQ(freeze(torus({4, 4}), Routing::minimal).routes, 4u);
  EXPECT_EQ(freeze(torus({4, 4, 4}), Routing::minimal).routes, 4u);
}

TEST(Routes, TakeTheLeastWeightThenTheFewestHops) {
  const auto hops = [](std::uint32_t direct) {  // or over chip 1
    Topology t{grid_shape({3}, {false}), LinkGraph(3), 3};
    for (const auto& [from, to, weight] : {std::tuple{0u, 1u, 1u}, {1u, 2u, 1u}, {0u, 2u, direct}, {2u, 0u, 1u}})
      add_edge(from, to, {kLink.bandwidth, kLink.latency, -1, weight}, t.graph);
    const Fabric f = freeze(t, Routing::minimal);
    EXPECT_EQ(f.routes, 1u);
    return way(f, 0, 2).size();
  };
  EXPECT_EQ(hops(1), 1u);
  EXPECT_EQ(hops(2), 1u);
  EXPECT_EQ(hops(3), 2u);
}

TEST(Routes, OfGridsRotate) {
  EXPECT_EQ(freeze(torus({4, 4, 4}), Routing::rotations).routes, 3u);
  EXPECT_EQ(freeze(torus({4, 4, 1}), Routing::rotations).routes, 2u);
  EXPECT_EQ(freeze(torus({1}), Routing::rotations).routes, 1u);
  EXPECT_TRUE(freeze(torus({4, 4}), Routing::rotations).grid());
  EXPECT_EQ(freeze(torus({4, 4, 4})).routes, 1u);
  const Fabric f = freeze(damaged(torus({4, 4}), 0, 1), Routing::rotations);
  EXPECT_TRUE(f.ported);
  EXPECT_EQ(f.routes, 2u);
  EXPECT_FALSE(f.whole_way(ChipId{0}, along(1, 1), 0));
  EXPECT_TRUE(f.whole_way(ChipId{0}, along(1, 1).with(0, 1), 0));
  EXPECT_FALSE(f.whole_way(ChipId{0}, along(1, 1).with(0, 1), 1));
  EXPECT_THAT(complaint([] { freeze(switched(grid_shape({4}, {false}), {}, false), Routing::rotations); }),
              HasSubstr("on tori and meshes only; got a machine without dimensions; valid: table, minimal"));
}

// Three levels: 2 hosts a leaf, 2 leaves and 2 middle switches a pod, 2 pods, 4 tops; digits of the destination.
TEST(Routes, ClimbAFatTreeWithoutBlocking) {
  const auto leaf = [](unsigned i) { return 8 + i; };
  const auto middle = [](unsigned i) { return 12 + i; };
  const auto top = [](unsigned i) { return 16 + i; };
  Topology t{grid_shape({8}, {false}), LinkGraph(20), 8};
  const auto join = [&](unsigned a, unsigned b) {
    add_edge(a, b, {kLink.bandwidth, kLink.latency}, t.graph);
    add_edge(b, a, {kLink.bandwidth, kLink.latency}, t.graph);
  };
  for (unsigned host = 0; host < 8; ++host) join(host, leaf(host / 2));
  for (unsigned pod = 0; pod < 2; ++pod)
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned k = 0; k < 2; ++k) {
        join(leaf(2 * pod + i), middle(2 * pod + k));
        join(middle(2 * pod + i), top(2 * i + k));
      }
  const Fabric f = freeze(t);
  for (std::uint32_t shift = 1; shift < 8; ++shift) {
    const auto load = loads(f, [&](std::uint32_t a, std::uint32_t b) { return (a + shift) % 8 == b; });
    EXPECT_EQ(*std::max_element(load.begin(), load.end()), 1) << shift;
  }
}

TEST(Routes, NameTheCutWhereThereIsNone) {
  Topology t{grid_shape({2, 2}, {false, false}), LinkGraph(4), 4};
  add_edge(0, 1, {kLink.bandwidth, kLink.latency}, t.graph);
  add_edge(1, 0, {kLink.bandwidth, kLink.latency}, t.graph);
  add_edge(0, 2, {kLink.bandwidth, kLink.latency}, t.graph);
  add_edge(2, 3, {kLink.bandwidth, kLink.latency}, t.graph);
  add_edge(3, 2, {kLink.bandwidth, kLink.latency}, t.graph);
  EXPECT_EQ(complaint([&] { freeze(t); }),
            "the machine falls apart: no way leads from chip 2 (1,0) to chip 0 (0,0); cut off: chip 2 (1,0), chip 3 "
            "(1,1); valid: chips that can all reach one another");
}

TEST(Routes, RefuseWhatWouldNotFit) {
  // 16,384 chips: a table of 1 GiB is the last that fits.
  EXPECT_THAT(complaint([] { freeze(switched(grid_shape({16'384}, {false}), kLink, false)); }),
              HasSubstr("too large for routing tables"));
  EXPECT_THAT(complaint([] {
                freeze(torus({16, 16, 40}), Routing::minimal);
              }),
              HasSubstr("got 4 routes, 10240 nodes, 10240 chips; valid: up to 1 GiB; fewer routes"));
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Ten times what they take on an old machine, unoptimised.
TEST(Routes, AreQuick) {
  const ClusterNetwork rails{ClusterNetwork::Kind::rails, kLink, 32, 16, kLink};
  const Topology gpus = cluster(switched(grid_shape({8}, {false}), kLink, true), 128, rails);
  const double of_gpus = seconds([&] { freeze(gpus, Routing::minimal); });
  const Topology tpus = damaged(torus({8, 8, 16}), 0, 1);
  const double of_tpus = seconds([&] { freeze(tpus, Routing::minimal); });
  EXPECT_LT(of_gpus, 5);
  EXPECT_LT(of_tpus, 5);
  RecordProperty("gpus_ms", static_cast<int>(1e3 * of_gpus));
  RecordProperty("tpus_ms", static_cast<int>(1e3 * of_tpus));
}

}  // namespace
}  // namespace hopsim

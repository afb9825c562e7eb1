// Flows across cuts against what the links of the cut add up to.
#include "topologies/max_flow.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "topologies/networks.hpp"

namespace hopsim {
namespace {

using namespace literals;

const LinkModel kLink{1_GBps, 1_us};
constexpr double kGB = 1e9;

std::vector<bool> first(const Fabric& f, std::uint32_t n) {
  std::vector<bool> inside(f.chips());
  for (std::uint32_t c = 0; c < n; ++c) inside[c] = true;
  return inside;
}
Shape row(int n) { return grid_shape({n}, {false}); }

// 2N/k links one way across the middle of a k-ary torus, N/k of a mesh.
TEST(MaxFlow, IsTheBisectionOfATorus) {
  for (const int k : {4, 6, 8}) {
    const Fabric torus = freeze(grid(grid_shape({k, k, 4}, {true, true, true}), kLink));
    EXPECT_EQ(max_flow(torus, first(torus, torus.chips() / 2)), 2.0 * 4 * k * kGB);
    const Fabric mesh = freeze(grid(grid_shape({k, k, 4}, {false, false, false}), kLink));
    EXPECT_EQ(max_flow(mesh, first(mesh, mesh.chips() / 2)), 1.0 * 4 * k * kGB);
  }
}

TEST(MaxFlow, OfASwitchIsWhatTheSmallerSideSends) {
  const Fabric f = freeze(switched(row(8), kLink, true));
  for (std::uint32_t n = 0; n <= 8; ++n) EXPECT_EQ(max_flow(f, first(f, n)), std::min(n, 8 - n) * kGB);
}

TEST(MaxFlow, OfWiredGpusIsTheirLinksAcross) {
  const Fabric full = freeze(fully_connected(row(8), kLink));
  for (std::uint32_t n = 0; n <= 8; ++n) EXPECT_EQ(max_flow(full, first(full, n)), n * (8 - n) * kGB);
  // Two double and two single links join the quads.
  const Fabric cube = freeze(hybrid_cube_mesh(kLink));
  EXPECT_EQ(max_flow(cube, first(cube, 4)), 6 * kGB);
  EXPECT_EQ(max_flow(cube, first(cube, 1)), 6 * kGB);
}

TEST(MaxFlow, OfAClusterIsItsNicsOrItsSpines) {
  const LinkModel nvlink{9_GBps, 1_us};
  const Topology node = switched(row(8), nvlink, false);
  const auto pods = [&](int spines, const LinkModel& up) {
    return freeze(cluster(node, 8, {ClusterNetwork::Kind::leaf_spine, kLink, 2, spines, up}));
  };
  // A pod of 16 NICs: full with 8 spines of 2 GB/s, tapered with 3 of them.
  const Fabric full = pods(8, {2_GBps, 1_us}), tapered = pods(3, {2_GBps, 1_us});
  EXPECT_EQ(max_flow(full, first(full, 16)), 16 * kGB);
  EXPECT_EQ(max_flow(tapered, first(tapered, 16)), 6 * kGB);
  EXPECT_EQ(max_flow(tapered, first(tapered, 32)), 12 * kGB);
  // Half a node: 4 NVLinks; and 4 NICs, whose leaf leads to the other node and to the own half.
  EXPECT_EQ(max_flow(full, first(full, 4)), 4 * 9 * kGB + 4 * kGB);
}

TEST(MaxFlow, TakesLinksOneWay) {
  Topology t{row(3), LinkGraph(3), 3};
  add_edge(0, 1, {3_GBps, 1_us}, t.graph);
  add_edge(1, 2, {2_GBps, 1_us}, t.graph);
  add_edge(2, 0, {1_GBps, 1_us}, t.graph);
  const Fabric f = freeze(t);
  EXPECT_EQ(max_flow(f, {true, false, false}), 3 * kGB);
  EXPECT_EQ(max_flow(f, {false, true, true}), 1 * kGB);
  EXPECT_EQ(max_flow(f, {true, true, true}), 0);
}

}  // namespace
}  // namespace hopsim

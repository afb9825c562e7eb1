// Twisted tori against the published diameters, mean distances and AllToAll loads (Jouppi et al. 2023; Camarero,
// Martinez, Beivide 2010).
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/topologies/graphs.hpp"
#include "topologies/grid.hpp"

namespace hopsim {
namespace {

using namespace literals;
using testing::hops_from;
using testing::neighbours;
using Sizes = std::vector<int>;

const LinkModel kLink{45_GBps, 1_us};

struct Distances {
  int diameter;
  double mean;
};

Distances distances(const Fabric& f) {
  const auto hops = hops_from(neighbours(f), 0);
  return {*std::max_element(hops.begin(), hops.end()),
          std::accumulate(hops.begin(), hops.end(), 0.0) / (static_cast<double>(hops.size()) - 1)};
}

// What the busiest link carries when every chip sends one unit to every other, spread evenly over all shortest ways.
double busiest_link(const Fabric& f) {
  const auto next = neighbours(f);
  std::vector<std::vector<int>> hops;
  for (std::uint32_t c = 0; c < f.nodes; ++c) hops.push_back(hops_from(next, c));
  std::vector<std::vector<double>> ways(f.nodes, std::vector<double>(f.nodes));
  for (std::uint32_t from = 0; from < f.nodes; ++from) {
    std::vector<std::uint32_t> by_hops(f.nodes);
    std::iota(by_hops.begin(), by_hops.end(), 0u);
    std::sort(by_hops.begin(), by_hops.end(), [&](auto a, auto b) { return hops[from][a] < hops[from][b]; });
    ways[from][from] = 1;
    for (const std::uint32_t at : by_hops)
      for (const std::uint32_t n : next[at])
        if (hops[from][n] == hops[from][at] + 1) ways[from][n] += ways[from][at];
  }
  double most = 0;
  for (const Link& l : f.links) {
    if (!l.exists()) continue;
    double load = 0;
    for (std::uint32_t from = 0; from < f.nodes; ++from)
      for (std::uint32_t to = 0; to < f.nodes; ++to)
        if (hops[from][l.from] + 1 + hops[l.to][to] == hops[from][to])
          load += ways[from][l.from] * ways[l.to][to] / ways[from][to];
    most = std::max(most, load);
  }
  return most;
}

Fabric plain(const Sizes& size) { return freeze(grid(grid_shape(size, {true, true, true}), kLink)); }
Fabric twisted(const Sizes& size) { return freeze(grid(twisted_shape(size), kLink)); }

struct Published {
  Sizes size;
  int plain_diameter;
  double plain_mean, plain_load;
  int twisted_diameter;
  double twisted_mean, twisted_load;
};
class TwistedTorus : public ::testing::TestWithParam<Published> {};

TEST_P(TwistedTorus, HasThePublishedDistances) {
  const Published& p = GetParam();
  EXPECT_EQ(distances(plain(p.size)).diameter, p.plain_diameter);
  EXPECT_NEAR(distances(plain(p.size)).mean, p.plain_mean, 5e-5);
  EXPECT_EQ(distances(twisted(p.size)).diameter, p.twisted_diameter);
  EXPECT_NEAR(distances(twisted(p.size)).mean, p.twisted_mean, 5e-5);
}

TEST_P(TwistedTorus, LooksTheSameFromEveryChip) {
  const Fabric f = twisted(GetParam().size);
  const auto next = neighbours(f);
  const auto sorted = [&](std::uint32_t c) {
    auto hops = hops_from(next, c);
    std::sort(hops.begin(), hops.end());
    return hops;
  };
  for (std::uint32_t c = 1; c < f.nodes; ++c) ASSERT_EQ(sorted(c), sorted(0)) << c;
}

TEST_P(TwistedTorus, HasThePublishedLoad) {
  EXPECT_NEAR(busiest_link(plain(GetParam().size)), GetParam().plain_load, 5e-3);
  EXPECT_NEAR(busiest_link(twisted(GetParam().size)), GetParam().twisted_load, 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Published, TwistedTorus,
                         ::testing::Values(Published{{4, 4, 8}, 8, 4.0315, 128, 6, 3.4646, 73.333},
                                           Published{{8, 4, 4}, 8, 4.0315, 128, 6, 3.4646, 73.333},
                                           Published{{4, 8, 8}, 10, 5.0196, 256, 6, 4.3294, 184},
                                           Published{{8, 4, 8}, 10, 5.0196, 256, 6, 4.3294, 184}));

TEST(Twisted, WrapsShiftAndOffsetsFollow) {
  const Shape s = twisted_shape({4, 4, 8});
  EXPECT_FALSE(s.wrap[0]);
  EXPECT_FALSE(s.wrap[1]);
  EXPECT_TRUE(s.wrap[2]);
  EXPECT_EQ(s.peer({3, 1, 2, 0}, along(0, 1)), s.chip({0, 1, 6, 0}));
  EXPECT_EQ(s.peer({0, 1, 6, 0}, along(0, -1)), s.chip({3, 1, 2, 0}));
  const Fabric f = freeze(grid(s, kLink));
  ASSERT_TRUE(f.grid());
  EXPECT_EQ(f.existing_links(), 6u * 128);
  for (std::uint32_t c = 0; c < f.chips(); ++c)
    for (int d = 0; d < 3; ++d)
      for (const bool backwards : {false, true}) {
        const Link& l = f.links[index(f.grid_link(Fabric::port(d, backwards), c))];
        EXPECT_EQ(l.from, c);
        EXPECT_EQ(ChipId{l.to}, s.peer(s.at(ChipId{c}), along(d, backwards ? -1 : 1)));
      }
}

TEST(Twisted, RefusesShapesWithoutATwist) {
  for (const Sizes& size :
       {Sizes{}, {4}, {4, 8}, {4, 4, 4}, {4, 4, 12}, {2, 2, 4}, {4, 8, 16}, {8, 8, 8, 16}, {0, 0, 0}})
    EXPECT_THROW(twisted_shape(size), InputError);
  EXPECT_EQ(testing::complaint([] {
              twisted_shape({4, 4, 12});
            }),
            "a torus of this shape has no twist; got 4x4x12; valid: k x k x 2k or k x 2k x 2k, k at least 3");
}

}  // namespace
}  // namespace hopsim

// Grids and their frozen form: each property is checked on every box of a range of sizes, wrapped and not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "sim/error.hpp"
#include "topologies/grid.hpp"

namespace hopsim {
namespace {

using namespace literals;

const LinkModel kLink{45_GBps, 1_us};

std::vector<Shape> boxes() {
  std::vector<Shape> all;
  for (const std::vector<int>& size : std::vector<std::vector<int>>{
           {1}, {2}, {3}, {7}, {2, 2}, {1, 4}, {4, 1}, {8, 4}, {3, 2, 5}, {4, 4, 4}, {2, 3, 2, 3}})
    for (unsigned wraps = 0; wraps < 1u << size.size(); ++wraps) {
      std::vector<bool> wrap;
      for (std::size_t d = 0; d < size.size(); ++d) wrap.push_back(wraps >> d & 1);
      all.push_back(grid_shape(size, wrap));
    }
  return all;
}

// By formula: n links each way on a ring of n, n - 1 on a line; times the chips across.
std::size_t expected_links(const Shape& s) {
  std::size_t links = 0;
  for (int d = 0; d < s.dimensions; ++d) {
    const auto n = static_cast<std::size_t>(s.size[d]);
    links += 2 * (s.wrap[d] ? n : n - 1) * (s.chips() / n);
  }
  return links;
}

int distance(const Shape& s, const Coordinates& a, const Coordinates& b) {
  int hops = 0;
  for (int d = 0; d < s.dimensions; ++d) {
    const int straight = std::abs(a[d] - b[d]);
    hops += s.wrap[d] ? std::min(straight, s.size[d] - straight) : straight;
  }
  return hops;
}

TEST(Grid, HasTheLinksOfItsKind) {
  for (const Shape& s : boxes()) {
    EXPECT_EQ(num_edges(grid(s, kLink).graph), expected_links(s));
    EXPECT_EQ(freeze(grid(s, kLink)).existing_links(), expected_links(s));
  }
}

TEST(Grid, LinksLeadToNeighboursAndBack) {
  for (const Shape& s : boxes()) {
    const Fabric f = freeze(grid(s, kLink));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Link& l : f.links) {
      if (!l.exists()) continue;
      EXPECT_EQ(distance(s, s.at(ChipId{l.from}), s.at(ChipId{l.to})), 1);
      EXPECT_EQ(l.bandwidth, kLink.bandwidth);
      EXPECT_EQ(l.latency, kLink.latency);
      EXPECT_TRUE(pairs.insert({l.from, l.to}).second) << "two links from " << l.from << " to " << l.to;
    }
    for (const auto& [from, to] : pairs) EXPECT_TRUE(pairs.count({to, from}));
  }
}

TEST(Grid, IsFrozenByPortAndChip) {
  for (const Shape& s : boxes()) {
    const Fabric f = freeze(grid(s, kLink));
    ASSERT_TRUE(f.grid());
    ASSERT_EQ(f.nodes, s.chips());
    ASSERT_EQ(f.links.size(), 2u * static_cast<unsigned>(s.dimensions) * s.chips());
    for (std::uint32_t c = 0; c < s.chips(); ++c)
      for (int d = 0; d < s.dimensions; ++d)
        for (const bool backwards : {false, true}) {
          const Link& l = f.links[index(f.grid_link(Fabric::port(d, backwards), c))];
          const int next = s.at(ChipId{c})[d] + (backwards ? -1 : 1);
          const bool inside = next >= 0 && next < s.size[d];
          ASSERT_EQ(l.exists(), inside || s.wrap[d]);
          if (!l.exists()) continue;
          EXPECT_EQ(l.from, c);
          EXPECT_EQ(ChipId{l.to}, s.peer(s.at(ChipId{c}), along(d, backwards ? -1 : 1)));
        }
  }
}

TEST(Grid, TwoChipsHaveOneLinkEachWayEvenWhereWrapped) {
  const Shape s = grid_shape({2, 3}, {true, true});
  EXPECT_FALSE(s.wrap[0]);
  EXPECT_TRUE(s.wrap[1]);
  EXPECT_EQ(freeze(grid(s, kLink)).existing_links(), 3u * 2 + 2u * 6);
}

TEST(Grid, AFoldedDimensionIsALinkToItselfEachWay) {
  Shape s = grid_shape({4, 3}, {true, false});
  s.folded[0] = true;
  const Fabric f = freeze(grid(s, kLink));
  EXPECT_EQ(f.chips(), 3u);
  for (std::uint32_t c = 0; c < 3; ++c)
    for (const bool backwards : {false, true}) {
      const Link& l = f.links[index(f.grid_link(Fabric::port(0, backwards), c))];
      ASSERT_TRUE(l.exists());
      EXPECT_EQ(l.from, c);
      EXPECT_EQ(l.to, c);
    }
  EXPECT_EQ(f.existing_links(), 3u * 2 + 2u * 2);
}

TEST(Grid, NamesChipsAndLinks) {
  const Fabric f = freeze(grid(grid_shape({4, 4, 2}, {true, true, false}), kLink));
  const LinkId z_down = f.grid_link(Fabric::port(2, true), index(f.shape.chip({1, 0, 1, 0})));
  EXPECT_EQ(f.chip_name(f.shape.chip({1, 0, 1, 0})), "(1,0,1)");
  EXPECT_EQ(f.port_name(z_down), "z-");
  EXPECT_EQ(f.link_name(z_down), "(1,0,1) z-");
  EXPECT_EQ(f.link_name(f.grid_link(Fabric::port(0, false), 0)), "(0,0,0) x+");
}

TEST(Grid, RefusesShapesThatAreNone) {
  const std::vector<bool> no(5);
  for (const std::vector<int>& size : std::vector<std::vector<int>>{{},
                                                                    {2, 2, 2, 2, 2},
                                                                    {0},
                                                                    {4, 0},
                                                                    {-1},
                                                                    {32768},
                                                                    {32767, 32767},
                                                                    {4097, 4096},
                                                                    {32767, 32767, 32767, 32767}})
    EXPECT_THROW(grid_shape(size, no), InputError);
  EXPECT_EQ(grid_shape({4096, 4096}, no).chips(), 1u << 24);
  EXPECT_EQ(grid_shape({32767}, no).chips(), 32767u);
}

TEST(Grid, SaysWhatIsWrongWithAShape) {
  try {
    grid_shape({4, 0}, {true, true});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "a dimension has too few or too many chips; got 0; valid: 1 to 32767");
  }
}

}  // namespace
}  // namespace hopsim

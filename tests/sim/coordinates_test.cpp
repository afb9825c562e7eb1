#include <gtest/gtest.h>

#include "sim/coordinates.hpp"
#include "topologies/grid.hpp"

namespace hopsim {
namespace {

TEST(Shape, NumbersChipsRowMajorTheLastDimensionFastest) {
  const int a = 3, b = 5, c = 4;
  const Shape s = grid_shape({a, b, c}, {false, false, false});
  ASSERT_EQ(s.chips(), 60u);
  for (int x = 0; x < a; ++x)
    for (int y = 0; y < b; ++y)
      for (int z = 0; z < c; ++z) {
        const Coordinates at{static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), static_cast<std::int16_t>(z),
                             0};
        const ChipId chip{static_cast<std::uint32_t>((x * b + y) * c + z)};
        EXPECT_EQ(s.chip(at), chip);
        EXPECT_EQ(s.at(chip), at);
      }
}

TEST(Shape, PeersWrapAround) {
  const Shape s = grid_shape({4, 3}, {true, true});
  const Coordinates corner{3, 0, 0, 0};
  EXPECT_EQ(s.peer(corner, along(0, 1)), s.chip({0, 0, 0, 0}));
  EXPECT_EQ(s.peer(corner, along(0, -3)), s.chip({0, 0, 0, 0}));
  EXPECT_EQ(s.peer(corner, along(1, -1)), s.chip({3, 2, 0, 0}));
  EXPECT_EQ(s.peer(corner, along(0, 2).with(1, -2)), s.chip({1, 1, 0, 0}));
  EXPECT_EQ(s.peer(corner, Offset{}), s.chip(corner));
}

TEST(Shape, AFoldedDimensionLeadsBackToItself) {
  Shape s = grid_shape({4, 3, 5}, {true, false, true});
  s.folded[0] = s.folded[2] = true;
  EXPECT_EQ(s.chips(), 3u);
  EXPECT_EQ(s.logical_chips(), 60u);
  EXPECT_EQ(s.peer({0, 1, 0, 0}, along(0, 3)), ChipId{1});
  EXPECT_EQ(s.peer({0, 1, 0, 0}, along(2, -2).with(1, 1)), ChipId{2});
}

// Once round a twisted dimension of 3 shifts the other by 2: 4 hops along the first lead to (1, 2).
TEST(Shape, ATwistedDimensionShiftsTheOthers) {
  Shape s = grid_shape({3, 6}, {false, true});
  s.twist[0] = {0, 2, 0, 0};
  ASSERT_TRUE(s.twisted(0));
  ASSERT_FALSE(s.twisted(1));
  EXPECT_EQ(s.peer({2, 1, 0, 0}, along(0, 1)), s.chip({0, 3, 0, 0}));
  EXPECT_EQ(s.peer({0, 1, 0, 0}, along(0, -1)), s.chip({2, 5, 0, 0}));
  EXPECT_EQ(s.peer({0, 0, 0, 0}, along(0, 4)), s.chip({1, 2, 0, 0}));
  EXPECT_EQ(s.peer({2, 5, 0, 0}, along(0, 1).with(1, 1)), s.chip({0, 2, 0, 0}));
}

TEST(Shape, SwitchesAreNumberedAfterTheChips) {
  Shape s = grid_shape({2, 3}, {false, false});
  s.switches = 2;
  EXPECT_EQ(s.chips(), 6u);
  EXPECT_EQ(s.actors(), 8u);
  EXPECT_TRUE(Shape::is_switch(s.at(ChipId{7})));
  EXPECT_FALSE(Shape::is_switch(s.at(ChipId{5})));
  EXPECT_EQ(s.at(ChipId{7})[0], -2);
  EXPECT_EQ(s.peer(s.at(ChipId{7}), Offset::to_node(4)), ChipId{4});
  EXPECT_EQ(s.peer({1, 0, 0, 0}, Offset::to_node(6)), ChipId{6});
}

TEST(Offset, ANodesNumberIsNoDisplacement) {
  EXPECT_TRUE(Offset::to_node(0).names_node());
  EXPECT_FALSE(Offset::to_node(0).zero());
  EXPECT_EQ(Offset::to_node(70000).node(), 70000u);
  EXPECT_FALSE(along(3, -32767).names_node());
}

TEST(Offset, HoldsFourSignedDistances) {
  const Offset o = along(0, -7).with(1, 32767).with(2, -32768).with(3, 2);
  EXPECT_EQ(o[0], -7);
  EXPECT_EQ(o[1], 32767);
  EXPECT_EQ(o[2], -32768);
  EXPECT_EQ(o[3], 2);
  EXPECT_EQ(o.hops(), 7 + 32767 + 32768 + 2);
  EXPECT_FALSE(o.zero());
  EXPECT_TRUE(o.with(0, 0).with(1, 0).with(2, 0).with(3, 0).zero());
}

}  // namespace
}  // namespace hopsim

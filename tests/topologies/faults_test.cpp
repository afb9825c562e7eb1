// Links down and slow: what stays a grid, what is rerouted, what is refused.
#include "topologies/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/topologies/graphs.hpp"
#include "topologies/networks.hpp"

namespace hopsim {
namespace {

using namespace literals;
using testing::complaint;
using ::testing::HasSubstr;
using testing::way;

const LinkModel kLink{40_GBps, 1_us};

Topology ring(int n) { return grid(grid_shape({n}, {true}), kLink); }
Topology line(int n) { return grid(grid_shape({n}, {false}), kLink); }

std::string refusal(Topology t, const std::vector<LinkFault>& faults) {
  return complaint([&] { apply_faults(t, faults); });
}

std::uint64_t rate(const Fabric& f, std::uint32_t from, std::uint32_t to) {
  for (const Link& l : f.links)
    if (l.from == from && l.to == to && l.exists()) return l.bandwidth.bytes_per_second();
  return 0;
}

TEST(Faults, ASlowLinkLeavesAGridAGrid) {
  Topology t = ring(6);
  apply_faults(t,
               {{.from = 1, .to = 2, .share = 0.1}, {.from = 5, .to = 4, .both_ways = false, .bandwidth = 7_GBps}});
  const Fabric f = freeze(t);
  ASSERT_TRUE(f.grid());
  EXPECT_EQ(rate(f, 1, 2), 4'000'000'000u);
  EXPECT_EQ(rate(f, 2, 1), 4'000'000'000u);
  EXPECT_EQ(rate(f, 5, 4), 7'000'000'000u);
  EXPECT_EQ(rate(f, 4, 5), 40'000'000'000u);
  EXPECT_EQ(f.existing_links(), 12u);
}

TEST(Faults, ALinkDownIsGoneRound) {
  Topology t = ring(6);
  apply_faults(t, {{.from = 1, .to = 2, .down = true}});
  EXPECT_FALSE(is_grid(t));
  const Fabric f = freeze(t);
  EXPECT_EQ(f.existing_links(), 10u);
  EXPECT_EQ(way(f, 1, 2).size(), 5u);
  EXPECT_EQ(way(f, 2, 1).size(), 5u);
  EXPECT_EQ(way(f, 0, 5).size(), 1u);
}

TEST(Faults, OneWayLeavesTheOther) {
  Topology t = ring(6);
  apply_faults(t, {{.from = 1, .to = 2, .both_ways = false, .down = true}});
  const Fabric f = freeze(t);
  EXPECT_EQ(f.existing_links(), 11u);
  EXPECT_EQ(way(f, 1, 2).size(), 5u);
  EXPECT_EQ(way(f, 2, 1).size(), 1u);
}

TEST(Faults, NameTheChipsThatAreCutOff) {
  EXPECT_THAT(refusal(line(5), {{.from = 3, .to = 2, .down = true}}),
              HasSubstr("no way leads from chip 0 to chip 3; cut off: chip 3, chip 4; valid"));
  EXPECT_THAT(refusal(ring(5), {{.from = 0, .to = 1, .down = true}, {.from = 1, .to = 2, .down = true}}),
              HasSubstr("cut off: chip 1; valid"));
  EXPECT_THAT(refusal(line(3), {{.from = 2, .to = 1, .both_ways = false, .down = true}}),
              HasSubstr("no way leads from chip 2 to chip 0; cut off: chip 2; valid"));
  const Topology node = switched(grid_shape({4}, {false}), kLink, false);
  EXPECT_THAT(refusal(node, {{.from = 4, .to = 3, .both_ways = false, .down = true}}),
              HasSubstr("no way leads from chip 0 to chip 3; cut off: chip 3; valid"));
  EXPECT_THAT(refusal(line(40), {{.from = 20, .to = 19, .down = true}}), HasSubstr("chip 27 and 12 more"));
}

TEST(Faults, GpusWithoutTheirSwitchGoOverTheNetwork) {
  Topology t = cluster(switched(grid_shape({4}, {false}), kLink, true), 2, {.nic = kLink});
  apply_faults(t, {{.from = 1, .to = 8, .down = true}});
  EXPECT_EQ(t.shape.switches, 0u) << "a switch that has lost a chip cannot reduce for its domain";
  const Fabric f = freeze(t);
  const auto links = way(f, 1, 2);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(f.links[links[0]].to, 10u);
  EXPECT_EQ(f.links[way(f, 0, 2)[0]].to, 8u);
}

TEST(Faults, ASpineDownIsGoneRound) {
  const ClusterNetwork network{ClusterNetwork::Kind::leaf_spine, kLink, 1, 2, kLink};
  Topology t = cluster(switched(grid_shape({2}, {false}), kLink, false), 3, network);
  // Chips 0-5, switches of nodes 6-8, leaves 9-11, spines 12, 13.
  apply_faults(t, {{.from = 9, .to = 12, .down = true}});
  const Fabric f = freeze(t);
  for (std::uint32_t to = 2; to < 6; ++to) {
    ASSERT_EQ(way(f, 0, to).size(), 4u);
    EXPECT_EQ(f.links[way(f, 0, to)[1]].to, 13u);
    EXPECT_EQ(f.links[way(f, to, 0)[1]].to, 13u);
  }
}

TEST(Faults, RefuseWhatIsNoFault) {
  EXPECT_EQ(refusal(ring(6), {{.from = 1, .to = 3, .down = true}}),
            "no link leads from chip 1 to chip 3; got 1 to 3; valid: 1 to 0, 2");
  EXPECT_THAT(refusal(ring(6), {{.from = 1, .to = 6, .down = true}}), HasSubstr("got 6; valid: 0 to 5"));
  EXPECT_THAT(refusal(ring(6), {{.from = 99, .to = 1, .down = true}}), HasSubstr("got 99"));
  EXPECT_THAT(refusal(ring(6), {{.from = 1, .to = 1, .share = 0.5}}), HasSubstr("no link leads"));
  EXPECT_THAT(refusal(ring(6), {{.from = 1, .to = 2, .share = 0}}), HasSubstr("above 0"));
  EXPECT_THAT(refusal(ring(6), {{.from = 1, .to = 2, .share = 1.5}}), HasSubstr("got 1.5"));
  EXPECT_THAT(refusal(ring(6), {{.from = 1, .to = 2, .bandwidth = 41_GBps}}),
              HasSubstr("got 41 GB/s; valid: up to 40 GB/s"));
  EXPECT_THAT(refusal(switched(grid_shape({2}, {false}), kLink, false), {{.from = 0, .to = 1, .down = true}}),
              HasSubstr("no link leads from chip 0 to chip 1; got 0 to 1; valid: 0 to 2"));
}

}  // namespace
}  // namespace hopsim

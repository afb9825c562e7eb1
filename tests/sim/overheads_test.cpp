// step_overhead delays, chunk_overhead occupies. 1000 B take 1000 ns on a link, a hop 500 ns.
#include <gtest/gtest.h>

#include "tests/sim/posting.hpp"

namespace hopsim::testing {
namespace {

Message in_lane(std::uint32_t lane, std::uint32_t channel = 0) {
  Message m;
  m.position = Position::fifo(0, lane, 0, 0);
  m.channel = channel;
  return m;
}

TEST(Overheads, MessagesSentTogetherOverlapTheirStepOverheads) {
  const Fabric fabric = line_of(3);
  Posting p(fabric, {.step = 300_ns, .chunk = {}, .launch = {}});
  const auto first = p.send(0_ns, 0, along(0, 2), 1000_B, in_lane(0)),
             second = p.send(0_ns, 0, along(0, 2), 1000_B, in_lane(1));
  p.run();
  EXPECT_EQ(p.risen(first), 300_ns + 1000_ns + 2 * 500_ns);  // once, not at every hop
  EXPECT_EQ(p.risen(second), p.risen(first) + 1000_ns);
}

TEST(Overheads, TheLinkIsFreeDuringAStepOverhead) {
  const Fabric fabric = line_of(3);
  Posting p(fabric, {.step = 900_ns, .chunk = {}, .launch = {}});
  const auto earlier = p.send(0_ns, 0, along(0, 2), 100_B);  // at chip 1 from 1400 to 1500
  const auto later = p.send(100_ns, 1, along(0, 1), 100_B);  // from 1000 to 1100: posted later, but ready before
  p.run();
  EXPECT_EQ(p.risen(later), 1000_ns + 100_ns + 500_ns);
  EXPECT_EQ(p.risen(earlier), 1400_ns + 100_ns + 500_ns);
}

TEST(Overheads, ChunksOfOneChannelAddTheirOverheadsUp) {
  const Fabric fabric = line_of(3);
  Posting p(fabric, {.step = {}, .chunk = 300_ns, .launch = {}});
  std::vector<CounterId> arrived;
  for (std::uint32_t k = 0; k < 4; ++k) arrived.push_back(p.send(0_ns, 0, along(0, 2), 1000_B, in_lane(k)));
  p.run();
  for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(p.risen(arrived[k]), (k + 1) * 1300_ns + 2 * 500_ns);
}

TEST(Overheads, EmptyChunksTooOccupyTheirChannel) {
  const Fabric fabric = line_of(2);
  Posting p(fabric, {.step = {}, .chunk = 300_ns, .launch = {}});
  const auto first = p.send(0_ns, 0, along(0, 1), 0_B, in_lane(0)),
             second = p.send(0_ns, 0, along(0, 1), 0_B, in_lane(1));
  p.run();
  EXPECT_EQ(p.risen(first), 800_ns);
  EXPECT_EQ(p.risen(second), 1100_ns);
}

TEST(Overheads, ChannelsOfOneChipOverlapTheirsAndShareTheLink) {
  const Fabric fabric = line_of(2);
  Posting p(fabric, {.step = {}, .chunk = 300_ns, .launch = {}});
  const auto first = p.send(0_ns, 0, along(0, 1), 1000_B, in_lane(0, 0)),
             second = p.send(0_ns, 0, along(0, 1), 1000_B, in_lane(1, 3));
  p.run();
  EXPECT_EQ(p.risen(first), 1800_ns);
  EXPECT_EQ(p.risen(second), 2800_ns);
}

TEST(Overheads, ChannelsOfTwoChipsHaveNothingInCommon) {
  const Fabric fabric = line_of(3);
  Posting p(fabric, {.step = {}, .chunk = 300_ns, .launch = {}});
  const auto a = p.send(0_ns, 0, along(0, 1), 1000_B, in_lane(0)),
             b = p.send(0_ns, 1, along(0, 1), 1000_B, in_lane(0));
  p.run();
  EXPECT_EQ(p.risen(a), 1800_ns);
  EXPECT_EQ(p.risen(b), 1800_ns);
}

// The channel is held for 1300 a chunk; the step overhead comes on top without holding it.
TEST(Overheads, StepAndChunkOverheadsAdd) {
  const Fabric fabric = line_of(2);
  Posting p(fabric, {.step = 50_ns, .chunk = 300_ns, .launch = {}});
  const auto first = p.send(0_ns, 0, along(0, 1), 1000_B, in_lane(0)),
             second = p.send(0_ns, 0, along(0, 1), 1000_B, in_lane(1));
  p.run();
  EXPECT_EQ(p.risen(first), 350_ns + 1500_ns);
  EXPECT_EQ(p.risen(second), 1300_ns + 350_ns + 1500_ns);
}

TEST(Overheads, ComputingPaysNone) {
  const Fabric fabric = line_of(2);
  Posting p(fabric, {.step = 50_ns, .chunk = 300_ns, .launch = 1_us});
  const auto done = p.compute(0_ns, 0, 10_ns);
  p.run();
  EXPECT_EQ(p.risen(done), 10_ns);
}

}  // namespace
}  // namespace hopsim::testing

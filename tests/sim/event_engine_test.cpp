// The timing model, against times worked out by hand. Links carry a byte a nanosecond and take 500 ns unless said.
#include <gtest/gtest.h>

#include "tests/sim/posting.hpp"

namespace hopsim::testing {
namespace {

Message at_position(Position p) {
  Message m;
  m.position = p;
  return m;
}

Position lane(std::uint32_t l) { return Position::fifo(0, l, 0, 0); }

Message polite(std::uint32_t phase, std::uint32_t lane = 0) {
  Message m = at_position(Position::least_advanced(0, lane, phase, 0));
  m.polite = true;
  return m;
}

TEST(EventEngine, OneHopTakesSerialisationAndLatency) {
  const Fabric fabric = line_of(2);
  Posting p(fabric);
  const auto arrived = p.send(0_ns, 0, along(0, 1), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(arrived), 1500_ns);
  EXPECT_EQ(p.engine.totals().messages, 1u);
  EXPECT_EQ(p.engine.totals().link_hops, 1u);
  EXPECT_EQ(p.engine.totals().link_bytes, 1000_B);
}

TEST(EventEngine, SixHopsTakeSixLatenciesAndOneSerialisation) {
  const Fabric fabric = line_of(7);
  Posting p(fabric);
  const auto there = p.send(0_ns, 0, along(0, 6), 1000_B), back = p.send(0_ns, 6, along(0, -6), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(there), 1000_ns + 6 * 500_ns);
  EXPECT_EQ(p.risen(back), p.risen(there));
  EXPECT_EQ(p.engine.totals().link_hops, 12u);
  EXPECT_EQ(p.engine.link_busy()[index(fabric.grid_link(Fabric::port(0, false), 3))], 1000_ns);
}

TEST(EventEngine, TheSlowestLinkSetsTheSerialisationWhereverItIs) {
  for (const std::uint32_t slow : {0u, 1u, 2u}) {
    Fabric fabric = line_of(4, {10_GBps, 500_ns});
    link_from(fabric, slow).bandwidth = 1_GBps;
    Posting p(fabric);
    const auto arrived = p.send(0_ns, 0, along(0, 3), 1000_B);
    p.run();
    EXPECT_EQ(p.risen(arrived), 1000_ns + 3 * 500_ns) << "slow link from " << slow;
  }
}

// Head over the slow link at 500, tail at 1500: until then the fast link is held, though its own share is 100 ns.
TEST(EventEngine, ATailDoesNotLeaveAFastLinkBeforeItLeftTheSlowOne) {
  Fabric fabric = line_of(3, {10_GBps, 500_ns});
  link_from(fabric, 0).bandwidth = 1_GBps;
  Posting p(fabric);
  const auto through = p.send(0_ns, 0, along(0, 2), 1000_B), behind = p.send(600_ns, 1, along(0, 1), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(through), 1500_ns + 500_ns);
  EXPECT_EQ(p.risen(behind), 1500_ns + 100_ns + 500_ns);
}

TEST(EventEngine, SentRisesWhenTheTailHasLeftTheFirstLink) {
  const Fabric fabric = line_of(4);
  Posting p(fabric);
  Message m;
  m.sent = p.fresh();
  p.send(0_ns, 0, along(0, 3), 1000_B);
  p.send(1_ns, 0, along(0, 3), 1000_B, m);
  p.run();
  EXPECT_EQ(p.risen(m.sent), 2000_ns);
}

TEST(EventEngine, AMessageWaitsForTheOneOnItsLink) {
  const Fabric fabric = line_of(3);
  Posting p(fabric);
  const auto near = p.send(0_ns, 1, along(0, 1), 1000_B), far = p.send(0_ns, 0, along(0, 2), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(near), 1500_ns);
  EXPECT_EQ(p.risen(far), 1000_ns + 1000_ns + 500_ns);  // its head came at 500
}

TEST(EventEngine, OppositeDirectionsDoNotMeet) {
  const Fabric fabric = line_of(2);
  Posting p(fabric);
  const auto a = p.send(0_ns, 0, along(0, 1), 1000_B), b = p.send(0_ns, 1, along(0, -1), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(a), 1500_ns);
  EXPECT_EQ(p.risen(b), 1500_ns);
}

// Both want chip 1's link at 500 ns; the far one was posted first, so its worse position does not count.
TEST(EventEngine, AnInstantsRequestsAreServedByTimePosted) {
  const Fabric fabric = line_of(3);
  Posting p(fabric);
  const auto late = p.send(500_ns, 1, along(0, 1), 1000_B, at_position(lane(0)));
  const auto early = p.send(0_ns, 0, along(0, 2), 1000_B, at_position(lane(5)));
  p.run();
  EXPECT_EQ(p.risen(early), 500_ns + 1500_ns);
  EXPECT_EQ(p.risen(late), 500_ns + 2500_ns);
}

TEST(EventEngine, RequestsPostedTogetherAreServedByPositionNotByOrderOfPosting) {
  const Fabric fabric = line_of(2);
  Posting p(fabric);
  const auto third = p.send(0_ns, 0, along(0, 1), 1000_B, at_position(lane(2)));
  const auto first = p.send(0_ns, 0, along(0, 1), 1000_B, at_position(lane(0)));
  const auto second = p.send(0_ns, 0, along(0, 1), 1000_B, at_position(lane(1)));
  p.run();
  EXPECT_EQ(p.risen(first), 1500_ns);
  EXPECT_EQ(p.risen(second), 2500_ns);
  EXPECT_EQ(p.risen(third), 3500_ns);
}

TEST(EventEngine, FifoGoesPassageByPassageAndLeastAdvancedPhaseByPhase) {
  // (lane, phase, passage): the same two places, ordered one way and the other.
  EXPECT_LT(Position::fifo(0, 9, 3, 1), Position::fifo(0, 0, 0, 2));
  EXPECT_GT(Position::least_advanced(0, 9, 3, 1), Position::least_advanced(0, 0, 0, 2));
  EXPECT_LT(Position::fifo(0, 1, 0, 1), Position::fifo(0, 2, 0, 1));
  EXPECT_LT(Position::least_advanced(0, 1, 1, 9), Position::least_advanced(0, 2, 1, 0));
  EXPECT_LT(Position::fifo(4, 1, 1, 1), Position::fifo(5, 1, 1, 1));
  EXPECT_LT(Position::least_advanced(4, 1, 1, 1), Position::least_advanced(5, 1, 1, 1));
}

// Two routes join at (1,1), alike but for the side they come from: that of the lower dimension is served first.
TEST(EventEngine, EqualMessagesAreServedByThePortTheyCameInBy) {
  const Fabric fabric = freeze(grid(grid_shape({3, 3}, {false, false}), kByteANanosecond));
  Posting p(fabric);
  const auto from_y = p.send(0_ns, 3, along(1, 2), 1000_B), from_x = p.send(0_ns, 1, along(0, 1).with(1, 1), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(from_x), 2000_ns);
  EXPECT_EQ(p.risen(from_y), 3000_ns);
}

TEST(EventEngine, TheOrderOfDimensionsIsTheMessages) {
  const Shape shape = grid_shape({2, 2}, {false, false});
  for (const std::uint8_t order : {0, 1}) {
    const Fabric fabric = freeze(grid(shape, kByteANanosecond));
    Posting p(fabric);
    Message m;
    m.order = order;
    p.send(0_ns, 0, along(0, 1).with(1, 1), 1000_B, m);
    p.run();
    EXPECT_EQ(p.engine.link_busy()[index(fabric.grid_link(Fabric::port(0, false), 0))], order == 0 ? 1000_ns : 0_ns);
    EXPECT_EQ(p.engine.link_busy()[index(fabric.grid_link(Fabric::port(1, false), 0))], order == 1 ? 1000_ns : 0_ns);
  }
}

// On an idle link the first to come goes; of those that wait, the least advanced, whenever it came.
TEST(EventEngine, PoliteMessagesGoByPhaseOnceTheLinkIsIdle) {
  const Fabric fabric = line_of(2);
  Posting p(fabric);
  const auto first = p.send(0_ns, 0, along(0, 1), 1000_B, polite(9));
  const auto advanced = p.send(100_ns, 0, along(0, 1), 1000_B, polite(2));
  const auto behind = p.send(900_ns, 0, along(0, 1), 1000_B, polite(1, 7));
  p.run();
  EXPECT_EQ(p.risen(first), 1500_ns);
  EXPECT_EQ(p.risen(behind), 2500_ns);
  EXPECT_EQ(p.risen(advanced), 3500_ns);
}

TEST(EventEngine, PoliteMessagesLetAllOthersPass) {
  const Fabric fabric = line_of(2);
  Posting p(fabric);
  p.send(0_ns, 0, along(0, 1), 1000_B);
  const auto waiting = p.send(100_ns, 0, along(0, 1), 1000_B, polite(0));
  const auto queued = p.send(200_ns, 0, along(0, 1), 1000_B);        // takes its place at once: until 2000
  const auto at_the_last = p.send(2000_ns, 0, along(0, 1), 1000_B);  // in the instant the link falls idle
  p.run();
  EXPECT_EQ(p.risen(queued), 2500_ns);
  EXPECT_EQ(p.risen(at_the_last), 3500_ns);
  EXPECT_EQ(p.risen(waiting), 4500_ns);
}

TEST(EventEngine, AMessageOfNoBytesPaysLatencyAndWaitsItsTurn) {
  const Fabric fabric = line_of(4);
  Posting p(fabric);
  const auto alone = p.send(0_ns, 3, along(0, -3), 0_B);
  p.send(0_ns, 0, along(0, 1), 1000_B, at_position(lane(0)));
  const auto behind = p.send(0_ns, 0, along(0, 1), 0_B, at_position(lane(1)));
  p.run();
  EXPECT_EQ(p.risen(alone), 1500_ns);
  EXPECT_EQ(p.risen(behind), 1500_ns);
  EXPECT_EQ(p.engine.totals().messages, 3u);
  EXPECT_EQ(p.engine.totals().link_hops, 5u);
}

TEST(EventEngine, AMessageToOneselfIsFree) {
  const Fabric fabric = line_of(2);
  Posting p(fabric, {.step = 7_us, .chunk = 7_us, .launch = {}});
  const auto arrived = p.send(3_ns, 1, {}, 1000_B);
  p.run();
  EXPECT_EQ(p.risen(arrived), 3_ns);
  EXPECT_EQ(p.engine.totals().link_hops, 0u);
}

TEST(EventEngine, OnAFoldedRingASendToANeighbourUsesTheRepresentativesLink) {
  Shape shape = grid_shape({5}, {true});
  shape.folded[0] = true;
  const Fabric fabric = freeze(grid(shape, kByteANanosecond));
  Posting p(fabric);
  const auto one = p.send(0_ns, 0, along(0, 1), 1000_B), two = p.send(0_ns, 0, along(0, -2), 1000_B);
  p.run();
  EXPECT_EQ(p.risen(one), 1500_ns);
  EXPECT_EQ(p.risen(two), 2500_ns);  // its two hops overlap on one link: 0-1000, 1000-2000
}

TEST(EventEngine, AChipComputesOneTaskAtATimeInOrder) {
  const Fabric fabric = line_of(2);
  Activity activity(2);
  Posting p(fabric, {}, nullptr, &activity);
  const auto second = p.compute(0_ns, 0, 700_ns, Position::fifo(1, 0, 0, 0));
  const auto first = p.compute(0_ns, 0, 300_ns, Position::fifo(0, 0, 0, 0));
  const auto third = p.compute(10_ns, 0, 50_ns, Position::fifo(0, 0, 0, 0));
  const auto elsewhere = p.compute(0_ns, 1, 400_ns);
  const auto empty = p.compute(2_us, 1, 0_ns);
  p.run();
  EXPECT_EQ(p.risen(first), 300_ns);
  EXPECT_EQ(p.risen(second), 1000_ns);
  EXPECT_EQ(p.risen(third), 1050_ns);
  EXPECT_EQ(p.risen(elsewhere), 400_ns);
  EXPECT_EQ(p.risen(empty), 2_us);
  EXPECT_EQ(activity.compute[0].all().total(), 1050_ns);
  EXPECT_EQ(activity.compute[1].all().total(), 400_ns);
}

TEST(EventEngine, CommunicationIsFromPostingToArrivalAtBothEnds) {
  const Fabric fabric = line_of(4);
  Activity activity(4);
  Posting p(fabric, {}, nullptr, &activity);
  p.send(100_ns, 0, along(0, 3), 1000_B);
  p.run();
  EXPECT_EQ(activity.communication[0].all().total(), 2500_ns);
  EXPECT_EQ(activity.communication[1].all().total(), Time{});  // a hop on the way is not its communication
  EXPECT_EQ(activity.communication[3].all().total(), 2500_ns);
}

// Two simulations in one process, one fed while the other is half done.
TEST(EventEngine, SeveralLiveSideBySide) {
  const Fabric slow = line_of(2), fast = line_of(2, {10_GBps, 100_ns});
  Posting outer(slow), inner(fast);
  outer.send(0_ns, 0, along(0, 1), 1000_B);
  const auto within = inner.send(0_ns, 0, along(0, 1), 1000_B);
  struct Nested final : CounterSink {
    void count(std::span<const CounterId> c) override {
      second->run();
      first->count(c);
    }
    Posting* first = nullptr;
    Posting* second = nullptr;
  } nested;
  nested.first = &outer;
  nested.second = &inner;
  const auto last = outer.send(2_us, 1, along(0, -1), 1000_B);
  outer.engine.run(nested);
  EXPECT_EQ(inner.risen(within), 200_ns);
  EXPECT_EQ(outer.risen(last), 3500_ns);
  EXPECT_EQ(inner.engine.now(), 200_ns);
  EXPECT_EQ(outer.engine.now(), 3500_ns);
}

TEST(EventEngine, OverTheEdgeThereIsNoLink) {
  const Fabric fabric = line_of(3);
  Posting p(fabric);
  p.send(0_ns, 2, along(0, 1), 1000_B);
  EXPECT_ANY_THROW(p.run());
}

TEST(EventEngine, TheClockEndsWithAnErrorNotByWrappingAround) {
  const Bytes whole(std::uint64_t{1} << 63);  // at a byte a picosecond: the whole clock
  const LinkModel link{Bandwidth(1'000'000'000'000), 10_ps};
  const Fabric fabric = line_of(2, link);
  {
    Posting p(fabric);
    const auto last = p.send(0_ps, 0, along(0, 1), Bytes(whole.count() - 10));
    p.run();
    EXPECT_EQ(p.risen(last), Time::max());
  }
  {
    Posting p(fabric);
    p.send(0_ps, 0, along(0, 1), Bytes(whole.count() - 9));
    EXPECT_THROW(p.run(), std::overflow_error);
  }
  {
    Posting p(fabric);  // each alone fits
    for (std::uint32_t k = 0; k < 2; ++k)
      p.send(0_ps, 0, along(0, 1), Bytes(whole.count() - 10), at_position(lane(k)));
    EXPECT_THROW(p.run(), std::overflow_error);
  }
}

// The sums pass 2^64 ps, and must not come round to small numbers.
TEST(EventEngine, TheClockEndsWithAnErrorEvenPastSixtyFourBits) {
  const Fabric fabric = line_of(2, {Bandwidth(1'000'000'000'000), 1_us});
  {
    Posting p(fabric);
    p.send(0_ps, 0, along(0, 1), Bytes((std::uint64_t{1} << 63) - 1'000'000), at_position(lane(0)));
    p.send(0_ps, 0, along(0, 1), Bytes(std::uint64_t{1} << 63), at_position(lane(1)));
    EXPECT_THROW(p.run(), std::overflow_error);
  }
  {
    Posting p(fabric);
    for (std::uint32_t k = 0; k < 2; ++k) p.compute(0_ps, 0, Time::max(), lane(k));
    EXPECT_THROW(p.run(), std::overflow_error);
  }
}

TEST(EventEngine, TheLargestNumberOfBytesIsNotFree) {
  const Fabric fabric = line_of(2, {Bandwidth(10'000'000'000'000), 1_us});
  Posting p(fabric);
  const auto arrived = p.send(0_ps, 0, along(0, 1), Bytes(~std::uint64_t{0}));
  p.run();
  EXPECT_EQ(p.risen(arrived).ps(), 1'844'674'407'370'955'162u + 1'000'000u);  // (2^64 - 1) / 10 ps, rounded up
}

}  // namespace
}  // namespace hopsim::testing

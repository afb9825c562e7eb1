#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/perfetto_fixture.hpp"

namespace hopsim::perfetto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using P = std::pair<std::uint64_t, double>;

TraceScope of_chips(std::vector<std::uint32_t> chips, std::uint32_t all, Detail detail = Detail::hops) {
  TraceScope scope{.detail = detail, .chips = std::vector<bool>(all)};
  for (const std::uint32_t c : chips) scope.chips[c] = true;
  return scope;
}

TraceScope of_window(Time begin, Time end, Detail detail = Detail::hops) {
  return {.detail = detail, .window = {begin, end}};
}

// From chip 0 over three links to chip 3: its head enters them at 1, 2 and 3 us; each holds it for 4 us.
void three_hops(TraceWriter& w, const Fabric& fabric, std::uint64_t message = 0) {
  for (std::uint32_t hop = 0; hop < 3; ++hop) {
    HopRecord h = with_bytes(one_hop(message, hop, fabric, (hop + 1) * 1_us, (hop + 5) * 1_us), 1000_B);
    h.from = ChipId(0);
    h.to = ChipId(3);
    h.posted = 500_ns;
    h.hop = hop;
    h.last = hop == 2;
    w.hop(h);
  }
}

using PerfettoScope = PerfettoWriter;

TEST_F(PerfettoScope, AMessageIsOneSliceFromItsFirstLinkToItsDelivery) {
  const Fabric fabric = ring(8);
  const Trace trace =
      written(fabric, {},
              [&](TraceWriter& w) {
                three_hops(w, fabric);
                w.hop(one_hop(1, 4, fabric, 0_ps, 1_us));
                w.hop(one_hop(2, 4, fabric, 1_us,
                              2_us));  // from when the tail of the one before has left; that arrives later
              },
              {.detail = Detail::messages});
  const std::vector<Slice> way = trace.slices("fabric 8/chip 0 (0)/messages out/x+");
  ASSERT_THAT(way, SizeIs(1));
  EXPECT_EQ(way[0].begin, 1000u);
  EXPECT_EQ(way[0].end, 8000u);
  EXPECT_EQ(way[0].event.category, "message");
  EXPECT_EQ(way[0].event.args.at("hops"), 3u);
  EXPECT_EQ(way[0].event.args.at("to_chip"), 3u);
  EXPECT_EQ(way[0].event.args.at("wait_ps"), 500'000u);
  EXPECT_EQ(way[0].event.args.at("end_ps"), 8'000'000u);
  EXPECT_THAT(trace.slices("fabric 8/chip 4 (4)/messages out/x+"), SizeIs(1));
  const std::vector<Slice> beside = trace.slices("fabric 8/chip 4 (4)/messages out/x+ (2)");
  ASSERT_THAT(beside, SizeIs(1));
  EXPECT_EQ(beside[0].end, 3000u);
  EXPECT_FALSE(beside[0].event.args.contains("hops"));
  EXPECT_THAT(trace.arrows(),
              UnorderedElementsAre(
                  "fabric 8/chip 0 (0)/messages out/x+ @1000 -> fabric 8/chip 3 (3)/received/from (2) x+ @8000",
                  "fabric 8/chip 4 (4)/messages out/x+ @0 -> fabric 8/chip 5 (5)/received/from (4) x+ @2000",
                  "fabric 8/chip 4 (4)/messages out/x+ (2) @1000 -> fabric 8/chip 5 (5)/received/from (4) x+ @3000"));
  EXPECT_EQ(counts_.slices, 3u);
  EXPECT_EQ(counts_.instants, 3u);
  EXPECT_EQ(counts_.flows, 3u);
  EXPECT_EQ(left_out_, 2u);  // five hops
}

TEST_F(PerfettoScope, AMessageThatARunLeftOnItsWayEndsWhereItWas) {
  const Fabric fabric = ring(8);
  const Trace trace = written(fabric, {},
                              [&](TraceWriter& w) {
                                HopRecord h = one_hop(0, 0, fabric, 1_us, 2_us);
                                h.to = ChipId(2);
                                h.last = false;
                                w.hop(h);
                              },
                              {.detail = Detail::messages});
  const std::vector<Slice> way = trace.slices("fabric 8/chip 0 (0)/messages out/x+");
  ASSERT_THAT(way, SizeIs(1));
  EXPECT_EQ(way[0].end, 3000u);
  EXPECT_EQ(counts_.instants, 0u);
}

TEST_F(PerfettoScope, StepsHaveNoMessagesButTheCurvesOfTheFabric) {
  const Fabric fabric = ring(8);
  const Trace trace = written(fabric, {{"a", "", {}}},
                              [&](TraceWriter& w) {
                                three_hops(w, fabric);
                                w.compute(ChipId(2), 0, 0_us, 1_us);  // in chunks
                                w.compute(ChipId(2), 0, 1_us, 3_us);
                                w.compute(ChipId(2), 1, 3_us, 4_us);  // of another step
                                w.compute(ChipId(2), 1, 5_us, 6_us);  // later
                                w.task(ChipId(2), 0, 0_us, 8_us);
                              },
                              {.detail = Detail::steps});
  EXPECT_THAT(trace.tree(), ElementsAre("fabric 8", " link utilisation", " bytes in flight", " chip 2 (2)", "  steps",
                                        "  compute"));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> computes;
  for (const Slice& s : trace.slices("fabric 8/chip 2 (2)/compute")) computes.emplace_back(s.begin, s.end);
  using Q = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(computes, ElementsAre(Q{0, 3000}, Q{3000, 4000}, Q{5000, 6000}));
  EXPECT_THAT(trace.samples("fabric 8/link utilisation"),
              ElementsAre(P{1000, 6.25}, P{2000, 12.5}, P{3000, 18.75}, P{5000, 12.5}, P{6000, 6.25}, P{7000, 0}));
  EXPECT_THAT(trace.samples("fabric 8/bytes in flight"), ElementsAre(P{500, 1000}, P{8000, 0}));
  EXPECT_EQ(left_out_, 4 + 1u);  // three hops and a receipt; two computations are one
}

TEST_F(PerfettoScope, ArrowsLeadToTheStepsThatWaited) {
  const Fabric fabric = ring(4);
  // 0 -> 1, 2 (side by side) -> 3; chip 1 takes no part in 1 and 2.
  const auto not_one = [](const Coordinates& at) { return at[0] != 1; };
  std::vector<TraceStep> steps(4);
  steps[1] = {.label = "b", .algorithm = "", .bytes = {}, .after = {0}, .takes_part = not_one};
  steps[2] = steps[1];
  steps[3].after = {1, 2};
  const Trace trace = written(fabric, steps, [&](TraceWriter& w) {
    for (const std::uint32_t c : {0, 1}) w.task(ChipId(c), 0, 0_us, 1_us);
    w.task(ChipId(0), 1, 1_us, 2_us);
    w.task(ChipId(0), 2, 1_us, 3_us);
    w.task(ChipId(0), 3, 3_us, 4_us);
    w.task(ChipId(1), 3, 1_us, 5_us);
  });
  const std::string a = "fabric 4/chip 0 (0)/steps", b = "fabric 4/chip 1 (1)/steps";
  EXPECT_THAT(trace.arrows(),
              UnorderedElementsAre(a + " @0 -> " + a + " @1000", a + " @0 -> " + a + " (2) @1000",
                                   a + " @1000 -> " + a + " @3000", a + " (2) @1000 -> " + a + " @3000",
                                   b + " @0 -> " + b + " @1000"));
  EXPECT_EQ(counts_.flows, 5u);
}

TEST_F(PerfettoScope, OfAMessageToAHiddenChipTheShownOnesPartIsKept) {
  const Fabric fabric = ring(8);
  const auto shown = [&](std::vector<std::uint32_t> chips) {
    return written(
        fabric, {}, [&](TraceWriter& w) { three_hops(w, fabric); }, of_chips(std::move(chips), 8));
  };
  const std::string first = "fabric 8/chip 0 (0)/links out/x+", third = "fabric 8/chip 2 (2)/links out/x+",
                    receipt = "fabric 8/chip 3 (3)/received/from (2) x+";
  EXPECT_THAT(shown({0}).arrows(), IsEmpty());
  EXPECT_EQ(counts_.slices, 1u);
  EXPECT_EQ(counts_.instants, 0u);
  EXPECT_THAT(shown({3}).arrows(), IsEmpty());
  EXPECT_EQ(counts_.slices, 0u);
  EXPECT_EQ(counts_.instants, 1u);
  EXPECT_EQ(counts_.flows, 0u);
  EXPECT_THAT(shown({0, 3}).arrows(), ElementsAre(first + " @1000 -> " + receipt + " @8000"));
  EXPECT_EQ(counts_.flows, 1u);
  EXPECT_THAT(shown({0, 2}).arrows(), ElementsAre(first + " @1000 -> " + third + " @3000"));
  EXPECT_THAT(shown({0, 2, 3}).arrows(),
              ElementsAre(first + " @1000 -> " + third + " @3000", third + " @3000 -> " + receipt + " @8000"));
  EXPECT_EQ(counts_.flows, 2u);
  EXPECT_EQ(left_out_, 1u);
}

TEST_F(PerfettoScope, OnlyTheChipsThatAreShownHaveTracks) {
  const Fabric fabric = ring(8);
  const Trace trace = written(
      fabric, {{"a", "", {}}},
      [&](TraceWriter& w) {
        three_hops(w, fabric);
        for (std::uint32_t c = 0; c < 8; ++c) {
          w.task(ChipId(c), 0, 0_us, 8_us);
          w.compute(ChipId(c), 0, 0_us, 1_us);
          w.exposed(ChipId(c), 1_us, 8_us);
        }
        w.critical({0_us, 1_us, Cause::compute, 0, 2});
      },
      of_chips({3}, 8, Detail::messages));
  EXPECT_THAT(trace.tree(),
              ElementsAre("fabric 8", " link utilisation", " bytes in flight", " critical path", " chip 3 (3)",
                          "  steps", "  compute", "  exposed communication", "  received", "   from (2) x+"));
  // The fabric's curves are of all.
  EXPECT_THAT(trace.samples("fabric 8/bytes in flight"), ElementsAre(P{500, 1000}, P{8000, 0}));
  EXPECT_EQ(left_out_, 7 * 3 + 3u);
}

TEST_F(PerfettoScope, LinksOfASwitchAreShownForMessagesOfShownChips) {
  Fabric fabric;
  fabric.shape.size[0] = 3;
  fabric.nodes = 4;
  fabric.links = {{0, 3, 45_GBps, 1_us}, {1, 3, 45_GBps, 1_us}, {2, 3, 45_GBps, 1_us},
                  {3, 0, 45_GBps, 1_us}, {3, 1, 45_GBps, 1_us}, {3, 2, 45_GBps, 1_us}};
  const auto link = [](std::uint32_t n) { return LinkId(n); };
  fabric.towards = {link(0), link(0), link(0), link(1), link(1), link(1),
                    link(2), link(2), link(2), link(3), link(4), link(5)};
  const auto send = [&](TraceWriter& w, std::uint64_t message, std::uint32_t from, std::uint32_t to) {
    HopRecord h = one_hop(message, from, fabric, 0_ps, 2_us);
    h.to = ChipId(to);
    h.last = false;
    w.hop(h);
    h = one_hop(message, 3 + to, fabric, 1_us, 3_us);
    h.from = ChipId(from);
    h.hop = 1;
    w.hop(h);
  };
  const auto all = [&](TraceWriter& w) {
    send(w, 0, 0, 1);
    send(w, 1, 1, 2);
    send(w, 2, 2, 0);
  };
  written(fabric, {}, all, of_chips({0}, 3));
  // 0 -> 1 on both links, of 2 -> 0 the switch's, and its receipt.
  EXPECT_EQ(counts_.slices, 3u);
  EXPECT_EQ(counts_.instants, 1u);
  EXPECT_EQ(counts_.flows, 1 + 1u);
  const Trace none = written(
      fabric, {}, [&](TraceWriter& w) { send(w, 1, 1, 2); }, of_chips({0}, 3));
  EXPECT_THAT(none.tree(), ElementsAre("fabric 3", " link utilisation"));
}

TEST_F(PerfettoScope, AWindowCutsSlicesButNotTheirArguments) {
  const Fabric fabric = ring(8);
  const Trace trace = written(
      fabric, {{"a", "", {}}, {.label = "b", .algorithm = "", .bytes = {}, .after = {0}}},
      [&](TraceWriter& w) {
        three_hops(w, fabric);
        w.task(ChipId(0), 0, 0_us, 2_us);  // before it
        w.task(ChipId(0), 1, 2_us, 9_us);
      },
      of_window(5_us, 6500_ns));
  // The first link is left at 5 us, the others are held until 6 and 7 us; the receipt is at 8.
  EXPECT_EQ(counts_.slices, 3u);
  EXPECT_EQ(counts_.instants, 0u);
  EXPECT_THAT(trace.arrows(),
              ElementsAre("fabric 8/chip 1 (1)/links out/x+ @5000 -> fabric 8/chip 2 (2)/links out/x+ @5000"));
  EXPECT_EQ(counts_.flows, 1u);
  const Slice cut = trace.slices("fabric 8/chip 2 (2)/links out/x+").at(0);
  EXPECT_EQ(cut.begin, 5000u);
  EXPECT_EQ(cut.end, 6500u);
  EXPECT_EQ(cut.event.args.at("start_ps"), 3'000'000u);
  EXPECT_EQ(cut.event.args.at("end_ps"), 7'000'000u);
  EXPECT_THAT(trace.samples("fabric 8/link utilisation"), ElementsAre(P{5000, 12.5}, P{6000, 6.25}, P{6500, 0}));
  EXPECT_THAT(trace.samples("fabric 8/bytes in flight"), ElementsAre(P{5000, 1000}, P{6500, 0}));
}

TEST_F(PerfettoScope, NothingInAWindowIsAnEmptyTrace) {
  const Fabric fabric = ring(8);
  for (const Detail detail : {Detail::steps, Detail::messages, Detail::hops}) {
    const Trace trace = written(
        fabric, {}, [&](TraceWriter& w) { three_hops(w, fabric); }, of_window(8500_ns, 9_us, detail));
    EXPECT_THAT(trace.events, IsEmpty());
    EXPECT_THAT(trace.tree(), IsEmpty());
  }
  const Trace trace = written(
      fabric, {}, [&](TraceWriter& w) { three_hops(w, fabric); }, of_window(8_us, 9_us, Detail::messages));
  EXPECT_EQ(counts_.slices, 0u);
  EXPECT_EQ(counts_.instants, 1u);
  EXPECT_EQ(counts_.flows, 0u);
}

TEST_F(PerfettoScope, MessagesEndWhereThereAreFarTooMany) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"a", "", {}}},
                              [&](TraceWriter& w) {
                                for (std::uint64_t i = 0; i < 100; ++i)
                                  w.hop(one_hop(i, 0, fabric, i * 1_us, (i + 1) * 1_us));
                                w.task(ChipId(0), 0, 0_us, 101_us);
                              },
                              {.most = 20});
  EXPECT_EQ(counts_.slices, 10 + 1u);
  EXPECT_EQ(counts_.instants, 10u);
  EXPECT_EQ(stopped_, 10_us);
  EXPECT_EQ(left_out_, 180u);
  EXPECT_EQ(trace.samples("fabric 4/link utilisation").back().first, 100'000u);
}

// One link, granted ahead: three messages hold it for 4 us each; each is there 1 us later.
void three_messages(Recorder& r, const Fabric& fabric) {
  for (std::uint64_t k = 0; k < 3; ++k) {
    HopRecord h = with_bytes(one_hop(k, 0, fabric, 4 * k * 1_us, (4 * k + 4) * 1_us), 1000_B);
    h.posted = 0_us;
    r.hop(h);
  }
}

using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Spans spans(const std::vector<Slice>& slices) {
  Spans all;
  for (const Slice& s : slices) all.emplace_back(s.begin, s.end);
  return all;
}

TEST_F(PerfettoScope, OfARunThatStopsNothingIsShownThatHadNotHappened) {
  const Fabric fabric = ring(8);
  const auto until = [&](Time last, TraceScope scope = {}) {
    return written(
        fabric, {},
        [&](TraceWriter& w) {
          w.may_stop();
          w.stop_at(last);
          three_messages(w, fabric);
          w.compute(ChipId(0), 0, 6_us, 20_us);
          w.compute(ChipId(0), 0, 20_us, 30_us);
          w.exposed(ChipId(0), 20_us, 21_us);
        },
        std::move(scope));
  };
  const std::string link = "fabric 8/chip 0 (0)/links out/x+";
  const Trace seven = until(7_us);
  EXPECT_EQ(spans(seven.slices(link)), (Spans{{0, 4000}, {4000, 7000}}));
  EXPECT_EQ(spans(seven.slices("fabric 8/chip 0 (0)/compute")), (Spans{{6000, 7000}}));
  EXPECT_EQ(counts_.slices, 3u);
  EXPECT_EQ(counts_.instants, 1u);  // the first was there at 5 us
  EXPECT_EQ(counts_.flows, 1u);
  EXPECT_EQ(left_out_, 0u);
  EXPECT_THAT(seven.samples("fabric 8/bytes in flight"), ElementsAre(P{0, 3000}, P{5000, 2000}, P{7000, 0}));
  EXPECT_THAT(seven.samples("fabric 8/link utilisation"), ElementsAre(P{0, 6.25}, P{7000, 0}));

  // What happens at the very end has happened: the third begins.
  EXPECT_EQ(spans(until(8_us).slices(link)), (Spans{{0, 4000}, {4000, 8000}, {8000, 8000}}));
  EXPECT_EQ(counts_.instants, 1u);
  until(9_us);
  EXPECT_EQ(counts_.instants, 2u);

  until(40_us);
  EXPECT_EQ(counts_.slices, 6u);
  EXPECT_EQ(counts_.instants, 3u);
  until(7_us, of_window(8_us, 9_us));
  EXPECT_EQ(counts_.slices + counts_.instants + counts_.counters, 0u);
  EXPECT_EQ(left_out_, 4u);
  until(7_us, of_window(0_us, 2_us));
  EXPECT_EQ(counts_.slices, 1u);
  EXPECT_EQ(left_out_, 3u);
}

TEST_F(PerfettoScope, WhatIsRecordedAheadWaitsUntilItHasHappenedOrTheRunHasStopped) {
  const Fabric fabric = ring(8);
  const auto stopped = [&](std::optional<Time> last, auto record) {
    return written(fabric, {}, [&](TraceWriter& w) {
      RunProgress now;
      HeldRecords held(w, now);
      w.may_stop();
      record(held, now, w);
      if (last) w.stop_at(*last);
      held.release();
    });
  };
  const std::string link = "fabric 8/chip 0 (0)/links out/x+";
  const auto three = [&](HeldRecords& held, RunProgress& now, TraceWriter& w) {
    three_messages(held, fabric);
    held.compute(ChipId(0), 0, 1_us, 2_us);
    EXPECT_EQ(w.counts().slices, 0u);
    now.tell(0, 5_us);
    held.compute(ChipId(0), 0, 6_us, 20_us);
    EXPECT_EQ(w.counts().slices, 2u);
  };
  EXPECT_EQ(spans(stopped(7_us, three).slices(link)), (Spans{{0, 4000}, {4000, 7000}}));
  EXPECT_EQ(counts_.slices, 4u);
  EXPECT_EQ(counts_.instants, 1u);
  EXPECT_EQ(left_out_, 0u);
  stopped({}, three);
  EXPECT_EQ(counts_.slices, 5u);
  EXPECT_EQ(counts_.instants, 3u);

  // The first hop is written before the run stops, the others after it: their arrows are there.
  const Trace way = stopped(6500_ns, [&](HeldRecords& held, RunProgress& now, TraceWriter& w) {
    for (std::uint32_t hop = 0; hop < 3; ++hop) {
      HopRecord h = one_hop(0, hop, fabric, (hop + 1) * 1_us, (hop + 5) * 1_us);
      h.hop = hop;
      h.last = hop == 2;
      held.hop(h);
    }
    now.tell(0, 6_us);
    held.compute(ChipId(0), 0, 6_us, 7_us);
    EXPECT_EQ(w.counts().slices, 1u);
  });
  EXPECT_EQ(way.slices("fabric 8/chip 2 (2)/links out/x+").at(0).end, 6500u);
  EXPECT_EQ(counts_.flows, 2u);
  EXPECT_EQ(counts_.instants, 0u);
}

TEST_F(PerfettoScope, BytesStillOnTheirWayLeaveTheCurveWhereTheRunStops) {
  const Fabric fabric = ring(8);
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    HopRecord h = with_bytes(one_hop(0, 0, fabric, 1_us, 2_us), 1000_B);
    h.last = false;
    w.may_stop();
    w.stop_at(4_us);
    w.hop(h);
  });
  EXPECT_THAT(trace.samples("fabric 8/bytes in flight"), ElementsAre(P{1000, 1000}, P{4000, 0}));
}

}  // namespace
}  // namespace hopsim::perfetto

// Runs that are stopped, on both engines. On a 4x4 torus of 1 GB/s and 500 ns links: a shift of 1000 B along x until
// 1500 ns, a computation until 6500 ns, a shift of 2000 B along y until 9 us.
#include <gtest/gtest.h>

#include "tests/sim/both_engines.hpp"

namespace hopsim::testing {
namespace {

using namespace literals;

struct Halted {
  Stop stop{};
  Time now;
  EngineTotals totals;
  std::array<TaskTotals, 3> tasks;
  Time computed, communicated;  // by chip 0
  std::uint64_t busy_ps = 0;    // of all links
  std::size_t recorded = 0;     // steps of chips
};

template <class E>
Halted halted(const RunControl& control) {
  return in_child([&] {
    const Fabric fabric = byte_a_nanosecond(grid_shape({4, 4}, {true, true}));
    Notes notes;
    Activity activity(fabric.chips());
    E engine(fabric, {}, &notes, &activity);
    Machine machine(fabric, engine, {}, &notes);
    const Program program{collective(shift(0, 1000_B)), compute(5_us, {0}), collective(shift(1, 2000_B), {1})};
    Halted h;
    h.stop = machine.run(program, control);
    h.now = engine.now();
    h.totals = engine.totals();
    std::copy(machine.totals().begin(), machine.totals().end(), h.tasks.begin());
    activity.end_at(h.now);
    h.computed = activity.compute[0].all().total();
    h.communicated = activity.communication[0].all().total();
    for (const Time t : engine.link_busy()) h.busy_ps += t.ps();
    h.recorded = notes.tasks.size();
    return h;
  });
}

template <class E>
struct Limits : ::testing::Test {
  static Halted until(Time t) { return halted<E>({.max_time = t}); }
  static Halted after(std::uint64_t events) { return halted<E>({.max_events = events}); }
};
using Engines = ::testing::Types<EventEngine, SimgridEngine>;
TYPED_TEST_SUITE(Limits, Engines);

TYPED_TEST(Limits, TimeStopsBeforeTheFirstInstantPastIt) {
  const Halted h = this->until(1499_ns);
  EXPECT_EQ(h.stop, Stop::time);
  EXPECT_EQ(h.now, 1499_ns);
  EXPECT_TRUE(h.tasks[0].started);
  EXPECT_FALSE(h.tasks[0].finished);
  EXPECT_EQ(h.tasks[0].end, 1499_ns);
  EXPECT_EQ(h.tasks[0].messages, 16u);
  EXPECT_EQ(h.communicated, 1499_ns);
  EXPECT_FALSE(h.tasks[1].started);
  EXPECT_EQ(h.tasks[1].end - h.tasks[1].start, 0_ns);
  EXPECT_EQ(h.recorded, 16u);
}

TYPED_TEST(Limits, AnInstantAtTheTimeIsStillIn) {
  const Halted h = this->until(1500_ns);
  EXPECT_EQ(h.stop, Stop::time);
  EXPECT_TRUE(h.tasks[0].finished);
  EXPECT_EQ(h.tasks[0].end, 1500_ns);
  EXPECT_TRUE(h.tasks[1].started);
  EXPECT_FALSE(h.tasks[1].finished);
}

TYPED_TEST(Limits, WhatIsUnderWayHasItsTimeSoFar) {
  const Halted computing = this->until(4_us);
  EXPECT_EQ(computing.tasks[1].start, 1500_ns);
  EXPECT_EQ(computing.tasks[1].end, 4_us);
  EXPECT_FALSE(computing.tasks[2].started);
  EXPECT_EQ(computing.recorded, 32u);  // that of the first step, too
  const Halted sending = this->until(7_us);
  EXPECT_EQ(sending.computed, 5_us);
  EXPECT_EQ(sending.communicated, 1500_ns + 500_ns);
}

TYPED_TEST(Limits, ATimeThatIsNotReachedChangesNothing) {
  const Halted free = halted<TypeParam>({}), limited = this->until(9_us);
  EXPECT_EQ(limited.stop, Stop::none);
  EXPECT_EQ(limited.now, 9_us);
  EXPECT_EQ(limited.totals.fingerprint, free.totals.fingerprint);
  EXPECT_EQ(limited.totals.events, free.totals.events);
  EXPECT_EQ(limited.busy_ps, 16u * (1'000'000 + 2'000'000));
  for (const TaskTotals& t : limited.tasks) EXPECT_TRUE(t.started && t.finished);
}

TYPED_TEST(Limits, EventsStopAtTheEndOfTheirInstantAndAlwaysThere) {
  const std::uint64_t all = halted<TypeParam>({}).totals.events;
  Time before;
  for (std::uint64_t n = 1; n < all; n += 7) {
    const Halted h = this->after(n), again = this->after(n);
    EXPECT_GE(h.totals.events, n);
    EXPECT_GE(h.now, before);
    EXPECT_EQ(h.now, again.now);
    EXPECT_EQ(h.totals.events, again.totals.events);
    EXPECT_EQ(h.totals.fingerprint, again.totals.fingerprint);
    EXPECT_EQ(h.stop, h.tasks[2].finished ? Stop::none : Stop::events);
    before = h.now;
  }
  EXPECT_EQ(this->after(all).stop, Stop::none);
}

// The whole load is granted at the first instant: 4 messages of 1 us each, one after the other on one link.
TEST(LimitsOfTheEventEngine, LinksAreBusyUntilTheStopOnly) {
  const Fabric fabric = byte_a_nanosecond(grid_shape({4}, {false}));
  EventEngine engine(fabric, {});
  Posts posts(engine);
  for (int i = 0; i < 4; ++i) posts.send(0_ns, fabric, 0, along(0, 1), 1000_B);
  EXPECT_EQ(engine.run(posts, {.max_time = 2200_ns}), Stop::time);
  EXPECT_EQ(engine.link_busy()[0], 2200_ns);
}

TEST(LimitsOfTheEventEngine, ProgressIsTold) {
  const Fabric fabric = byte_a_nanosecond(grid_shape({4, 4}, {true, true}));
  EventEngine engine(fabric, {});
  Machine machine(fabric, engine, {});
  RunProgress progress;
  machine.run({collective(shift(0, 1000_B)), collective(shift(1, 1000_B), {0})}, {.progress = &progress});
  EXPECT_EQ(progress.hops.load(), 32u);
  EXPECT_EQ(progress.picoseconds.load(), 3'000'000u);
}

}  // namespace
}  // namespace hopsim::testing

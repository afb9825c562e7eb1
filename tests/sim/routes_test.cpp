// Routes of networks, messages split over several, switches that take part, jitter, chips of different speeds.
#include <gtest/gtest.h>

#include <set>

#include "sim/machine.hpp"
#include "tests/sim/phases.hpp"
#include "tests/sim/posting.hpp"

namespace hopsim::testing {
namespace {

// Chips 0 and 1, joined by two switches side by side: table 0 leads over the first, table 1 over the second.
Fabric two_ways(Bandwidth second) {
  Fabric f;
  f.shape.size[0] = 2;
  f.nodes = 4;
  f.routes = f.tables = 2;
  for (const std::uint32_t s : {2u, 3u})
    for (const std::uint32_t c : {0u, 1u}) {
      f.links.push_back({c, s, s == 2 ? 1_GBps : second, 500_ns});
      f.links.push_back({s, c, s == 2 ? 1_GBps : second, 500_ns});
    }
  // Links: 0: 0 -> 2, 1: 2 -> 0, 2: 1 -> 2, 3: 2 -> 1, then the same with switch 3.
  for (const std::uint32_t first : {0u, 4u})
    for (std::uint32_t node = 0; node < 4; ++node)
      for (std::uint32_t to = 0; to < 2; ++to)
        f.towards.push_back(LinkId{first + (node < 2 ? 2 * node : 2 * to + 1)});
  return f;
}

TaskTotals run(const Fabric& f, const Program& program, const Overheads& overheads = {}) {
  EventEngine engine(f, overheads);
  Machine machine(f, engine, overheads);
  machine.run(program);
  return machine.totals().front();
}

Program one_message(Bytes bytes) {
  class Once final : public Phase {
   public:
    int length(const Coordinates&) const override { return 1; }
    Passage passage(const Coordinates& at, int) const override { return at[0] == 0 ? sends(along(0, 1)) : takes(1); }
  };
  Schedule s;
  s.lanes.push_back({.phases = {}, .atom = bytes, .sender_channel = 0});
  s.add(0, std::make_shared<Once>());
  return {collective(std::move(s))};
}

// Half of 1000 B over either switch: 500 ns on the links, and two hops.
TEST(Routes, AMessageIsSplitEvenlyOverThem) {
  const TaskTotals t = run(two_ways(1_GBps), one_message(1000_B));
  EXPECT_EQ(t.end, 1500_ns);
  EXPECT_EQ(t.messages, 2u);
  EXPECT_EQ(t.hops, 4u);
  EXPECT_EQ(t.bytes, 1000_B);
}

// The message has come when its slower half has.
TEST(Routes, TheSlowestPartDecides) {
  EXPECT_EQ(run(two_ways(Bandwidth(250'000'000)), one_message(1000_B)).end, 3000_ns);
}

TEST(Routes, OddBytesAreRoundedUp) { EXPECT_EQ(run(two_ways(1_GBps), one_message(1001_B)).bytes, 1002_B); }

// On a 2x2 block from corner to corner: half over x then y, half over y then x, at once.
TEST(Routes, OnAGridTheyAreRotationsOfTheDimensions) {
  Fabric f = freeze(grid(grid_shape({2, 2}, {false, false}), kByteANanosecond));
  class Across final : public Phase {
   public:
    int length(const Coordinates& at) const override { return at[0] == at[1]; }
    Passage passage(const Coordinates& at, int) const override {
      return at[0] == 0 ? sends(along(0, 1).with(1, 1)) : takes(1);
    }
  };
  Schedule s;
  s.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
  s.add(0, std::make_shared<Across>());
  EXPECT_EQ(run(f, {collective(s)}).end, 2000_ns);
  f.routes = f.tables = 2;
  EXPECT_EQ(run(f, {collective(s)}).end, 1500_ns);
}

// Chips 0..2 around a switch that adds: each sends its 1000 B up; one sum comes down to chip 0.
TEST(Switches, TakePartAsActors) {
  Fabric f;
  f.shape.size[0] = 3;
  f.shape.switches = 1;
  f.nodes = 4;
  for (std::uint32_t c = 0; c < 3; ++c) f.links.push_back({c, 3, 1_GBps, 500_ns});
  for (std::uint32_t c = 0; c < 3; ++c) f.links.push_back({3, c, 1_GBps, 500_ns});
  for (std::uint32_t node = 0; node < 4; ++node)
    for (std::uint32_t to = 0; to < 4; ++to) f.towards.push_back(LinkId{node < 3 ? node : 3 + to % 3});
  class Sum final : public Phase {
   public:
    int length(const Coordinates& at) const override { return at[0] == 0 ? 2 : 1; }
    Passage passage(const Coordinates& at, int i) const override {
      if (Shape::is_switch(at)) {
        Passage p = sends(Offset::to_node(0));
        p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = 3};
        return p;
      }
      return i == 0 ? sends(Offset::to_node(3)) : takes(1);
    }
  };
  Schedule s;
  s.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
  s.add(0, std::make_shared<Sum>());
  const TaskTotals t = run(f, {collective(s), compute(1_us, {0})});
  EXPECT_EQ(t.end, 3000_ns);  // up 1.5 us, down 1.5 us
  EXPECT_EQ(t.messages, 4u);
  EXPECT_EQ(f.chip_name(ChipId{3}), "switch 0");
}

// Delays of one message lie between nothing and the jitter, differ with the seed, and come again with it.
TEST(Jitter, DelaysEachMessageByItsOwnShare) {
  const Fabric f = freeze(grid(grid_shape({8}, {true}), kByteANanosecond));
  std::set<Time> ends;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Overheads o{.step = 1_us, .chunk = {}, .launch = {}, .jitter = 300_ns, .seed = seed};
    const Time end = run(f, {collective(shift(0, 1000_B))}, o).end;
    EXPECT_GE(end, 2500_ns);
    EXPECT_LE(end, 2800_ns);
    EXPECT_EQ(run(f, {collective(shift(0, 1000_B))}, o).end, end);
    ends.insert(end);
  }
  EXPECT_GT(ends.size(), 10u);
}

TEST(Speeds, EachChipComputesAsLongAsItTakes) {
  const Fabric f = line_of(3);
  ComputeTask task{1_us, std::make_shared<const std::vector<Time>>(std::vector<Time>{1_us, 4_us, 2_us})};
  EXPECT_EQ(run(f, {{.work = task, .after = {}}}).end, 4_us);
}

}  // namespace
}  // namespace hopsim::testing

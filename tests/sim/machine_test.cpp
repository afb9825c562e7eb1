// Programs on a 4x4 torus of 1 GB/s and 500 ns links: a shift of 1000 B takes 1500 ns alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "tests/sim/phases.hpp"
#include "topologies/grid.hpp"

namespace hopsim::testing {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

const LinkModel kLink{1_GBps, 500_ns};

struct Ran {
  explicit Ran(const Program& program, const Overheads& overheads = {},
               Shape shape = grid_shape({4, 4}, {true, true}), Recorder* recorder = nullptr)
      : fabric(freeze(grid(shape, kLink))),
        engine(fabric, overheads, recorder),
        machine(fabric, engine, overheads, recorder) {
    machine.run(program);
  }
  Time start(std::uint32_t task) const { return machine.totals()[task].start; }
  Time end(std::uint32_t task) const { return machine.totals()[task].end; }

  Fabric fabric;
  EventEngine engine;
  Machine machine;
};

TEST(Machine, StepsInARowAreAChain) {
  const Ran r({collective(shift(0, 1000_B)), compute(5_us, {0}), collective(shift(1, 2000_B), {1})});
  EXPECT_EQ(r.start(0), 0_ns);
  EXPECT_EQ(r.end(0), 1500_ns);
  EXPECT_EQ(r.start(1), 1500_ns);
  EXPECT_EQ(r.end(1), 6500_ns);
  EXPECT_EQ(r.end(2), 6500_ns + 2500_ns);
}

TEST(Machine, ComputeBesideCommunicationTakesTheLonger) {
  for (const Time busy : {1_us, 7_us}) {
    const Ran r({collective(shift(0, 3000_B)), compute(busy), compute(1_us, {0, 1})});
    EXPECT_EQ(r.start(2), std::max(busy, 3500_ns));
    EXPECT_EQ(r.end(2), std::max(busy, 3500_ns) + 1_us);
  }
}

TEST(Machine, ForkAndJoin) {
  // 0, then 1 and 2 -> 3 side by side, then 4.
  const Ran r({compute(1_us), compute(4_us, {0}), collective(shift(0, 1000_B), {0}),
               collective(shift(1, 1000_B), {2}), collective(shift(0, 1000_B), {1, 3})});
  EXPECT_EQ(r.start(2), 1_us);
  EXPECT_EQ(r.start(3), 2500_ns);
  EXPECT_EQ(r.end(3), 4_us);
  EXPECT_EQ(r.start(4), 5_us);
  EXPECT_EQ(r.end(4), 6500_ns);
}

TEST(Machine, ComputationsSideBySideShareTheUnitInOrderOfTheProgram) {
  const Ran r({compute(3_us), compute(2_us)});
  EXPECT_EQ(r.end(0), 3_us);
  EXPECT_EQ(r.end(1), 5_us);
}

TEST(Machine, CollectivesSideBySideOnOneAxisTakeTheSumOfTheirBytes) {
  const Ran r({collective(shift(0, 1000_B)), collective(shift(0, 1000_B))});
  EXPECT_EQ(r.end(0), 1500_ns);
  EXPECT_EQ(r.end(1), 2500_ns);
}

TEST(Machine, CollectivesSideBySideOnTwoAxesTakeTheLonger) {
  const Ran r({collective(shift(0, 1000_B)), collective(shift(1, 3000_B)), compute(1_us, {0, 1})});
  EXPECT_EQ(r.end(0), 1500_ns);
  EXPECT_EQ(r.end(1), 3500_ns);
  EXPECT_EQ(r.start(2), 3500_ns);
}

TEST(Machine, LaunchOverheadDelaysCollectivesOnly) {
  const Overheads launch{.step = {}, .chunk = {}, .launch = 10_us};
  const Ran r({collective(shift(0, 1000_B)), compute(1_us, {0}), collective(shift(0, 1000_B), {1})}, launch);
  EXPECT_EQ(r.start(0), 0_ns);  // the step begins with its launch
  EXPECT_EQ(r.end(0), 11'500_ns);
  EXPECT_EQ(r.end(1), 12'500_ns);
  EXPECT_EQ(r.end(2), 24_us);
  EXPECT_EQ(r.engine.totals().messages, 32u);
}

// Each chip goes on when it is done itself: on a line chip 0 hears from nobody and is ahead.
class LineShift final : public Phase {
 public:
  explicit LineShift(int n) : n_(n) {}
  int length(const Coordinates&) const override { return 1; }
  Passage passage(const Coordinates& at, int) const override {
    Passage p;
    if (at[0] > 0) p.in = {.peer = along(0, -1), .chunk = {}, .channel = 0, .times = 1};
    if (at[0] < n_ - 1) p.out = {.peer = along(0, 1), .chunk = {0, 1}, .channel = 0, .times = 1};
    return p;
  }

 private:
  int n_;
};

TEST(Machine, StepsDoNotWaitForOtherChips) {
  Schedule relay;
  relay.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
  relay.add(0, std::make_shared<LineShift>(4));
  const Ran r({collective(relay), compute(1_us, {0})}, {}, grid_shape({4}, {false}));
  EXPECT_EQ(r.end(0), 3 * 1500_ns);
  EXPECT_EQ(r.start(1), 1_us);  // on chip 0, when its one message has left
  EXPECT_EQ(r.end(1), 3 * 1500_ns + 1_us);
}

TEST(Machine, PacedMessagesWaitUntilTheLastHasLeftItsFirstLink) {
  const Passage p = sends(along(0, 2));
  Schedule paced = one_lane({p, p, p, takes(3)}, 1000_B);
  paced.lanes[0].paced = true;
  const Ran r({collective(paced)});
  // Of each chip three messages over two hops; a chip's link carries six, and its own next enters when its last is
  // out.
  EXPECT_EQ(r.engine.totals().link_hops, 16u * 6);
  EXPECT_GE(r.end(0), 6 * 1000_ns + 500_ns);
}

// A lane ends when the last it sends has left the chip; what stays on the chip has left at once.
TEST(Machine, TheLastMessageMayBeToOneself) {
  Passage token = takes(1);
  token.out = {.peer = {}, .chunk = {}, .channel = 0, .times = 1};
  const Ran r({collective(one_lane({sends(along(0, 1)), token, takes(1)}, 1000_B))});
  EXPECT_EQ(r.end(0), 1500_ns);
}

TEST(Machine, CountsTheMessagesOfEachStep) {
  const Ran r({collective(one_lane({sends(along(0, 2).with(1, -1), 3), takes(1)}, 1000_B)), compute(1_us)});
  const auto& t = r.machine.totals()[0];
  EXPECT_EQ(t.messages, 16u);
  EXPECT_EQ(t.hops, 16u * 3);
  EXPECT_EQ(t.bytes, 16 * 3000_B);
  EXPECT_EQ(r.machine.totals()[1].messages, 0u);
}

TEST(Machine, AnEmptyCollectiveTakesNoTime) {
  const Ran r({collective(Schedule{}), compute(1_us, {0}), collective(one_lane({}, 1_B), {1}), compute(1_us, {2})});
  EXPECT_EQ(r.end(0), 0_ns);
  EXPECT_EQ(r.end(3), 2_us);
}

TEST(Machine, AnEmptyProgramEndsAtOnce) {
  const Ran r{Program{}};
  EXPECT_EQ(r.engine.now(), 0_ns);
}

std::string deadlock_of(const Program& program, const Overheads& overheads = {}) {
  try {
    const Ran r(program, overheads);
  } catch (const Deadlock& e) {
    return e.what();
  }
  return "no deadlock";
}

TEST(Machine, ADeadlockNamesChipsAndWhatTheyWaitFor) {
  const std::string text =
      deadlock_of({compute(1_us), collective(one_lane({sends(along(0, 1)), takes(2)}, 1000_B), {0})});
  EXPECT_THAT(text, AllOf(HasSubstr("can never go on"),
                          HasSubstr("chip (0,0) waits in step 2 for 2 arrivals on channel 0; 1 came"),
                          HasSubstr("16 unfinished")));
}

class DeafChip final : public Phase {  // of all chips only (2,1) waits for what never comes
 public:
  int length(const Coordinates& at) const override { return at[0] == 2 && at[1] == 1 ? 1 : 0; }
  Passage passage(const Coordinates&, int) const override { return takes(1); }
};

TEST(Machine, ADeadlockOfOneChipNamesItAlone) {
  Schedule s;
  s.lanes.push_back({.phases = {}, .atom = 1_B, .sender_channel = 0});
  s.add(0, std::make_shared<DeafChip>());
  const std::string text = deadlock_of({collective(s), compute(1_us, {0})});
  EXPECT_THAT(text, HasSubstr("chip (2,1) waits in step 1 for 1 arrivals on channel 0; 0 came"));
  EXPECT_EQ(text.find("chip (", text.find("chip (") + 1), std::string::npos) << text;
}

// Counts the memory in use whenever chip 0 ends a step.
struct Memory final : Recorder {
  void hop(const HopRecord&) override {}
  void compute(ChipId, std::uint32_t, Time, Time) override {}
  void task(ChipId chip, std::uint32_t, Time, Time) override {
    if (chip != ChipId{0}) return;
    const auto info = mallinfo2();
    in_use.push_back(info.uordblks + info.hblkhd);  // on the heap, and in mappings of their own
  }
  std::vector<std::size_t> in_use = [] {
    std::vector<std::size_t> v;
    v.reserve(512);
    return v;
  }();
};

TEST(Machine, AChainOfTwoHundredTakesTwoHundredTimesOneInTheMemoryOfAFew) {
  Memory memory;
  Program chain;
  for (std::uint32_t k = 0; k < 200; ++k)
    chain.push_back(
        collective(shift(static_cast<int>(k % 2), 1000_B), k ? std::vector{k - 1} : std::vector<std::uint32_t>{}));
  const Ran r(chain, {}, grid_shape({4, 4}, {true, true}), &memory);
  EXPECT_EQ(r.end(199), 200 * 1500_ns);
  ASSERT_EQ(memory.in_use.size(), 200u);
  EXPECT_LT(memory.in_use[190], memory.in_use[10] + 4096);  // one arena block is 256 KiB
}

// Steps of many sizes take turns: what one gave back must serve the next, or a long program grows without end.
TEST(Machine, StepsOfManySizesReuseEachOthersCounters) {
  Memory memory;
  Program chain;
  for (std::uint32_t k = 0; k < 200; ++k) {
    Schedule s;
    for (std::uint32_t l = 0; l <= 199 - k; ++l) {  // from the largest to the smallest
      s.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
      s.add(l, std::make_shared<Passages>(std::vector{sends(along(0, 1)), takes(1)}));
    }
    chain.push_back(collective(s, k ? std::vector{k - 1} : std::vector<std::uint32_t>{}));
  }
  const Ran r(chain, {}, grid_shape({4, 4}, {true, true}), &memory);
  ASSERT_EQ(memory.in_use.size(), 200u);
  // The largest needs 401 counters of 16 bytes on 16 chips, 103 KB; each its own would be 10 MB.
  EXPECT_LT(memory.in_use[190], memory.in_use[10] + 3u * (1u << 20));
}

TEST(Machine, ABarrierWaitsForTheLastChip) {
  Schedule relay;
  relay.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
  relay.add(0, std::make_shared<LineShift>(4));
  const Ran r({collective(relay), {.work = BarrierTask{}, .after = {0}}, compute(1_us, {1})}, {},
              grid_shape({4}, {false}));
  EXPECT_EQ(r.start(2), r.end(0));
  EXPECT_EQ(r.end(2), r.end(0) + 1_us);
}

TEST(Machine, RunsOneProgramAfterAnother) {
  Ran r({collective(shift(0, 1000_B))});
  r.machine.run({compute(1_us), collective(shift(0, 1000_B), {0})});
  EXPECT_EQ(r.start(0), 1500_ns);
  EXPECT_EQ(r.end(1), 4_us);
}

// By hand, 1 us on a link and 500 ns of latency: in the first relay chips 0 to 3 end at 1, 2.5, 4 and 4.5 us and
// begin the second, in which they end at 2, 3.5, 5 and 5.5 us.
TEST(Machine, OnlyChipsThatTakePartTimeATask) {
  Schedule relay;
  relay.lanes.push_back({.phases = {}, .atom = 1000_B, .sender_channel = 0});
  relay.add(0, std::make_shared<LineShift>(4));
  const auto second_of = [&](bool left) {
    Task second = collective(relay, {0});
    std::get<CollectiveTask>(second.work).takes_part = [left](const Coordinates& at) { return (at[0] < 2) == left; };
    const Ran r({collective(relay), second}, {}, grid_shape({4}, {false}));
    return std::pair(r.start(1), r.end(1));
  };
  EXPECT_EQ(second_of(true), std::pair(1000_ns, 3500_ns));
  EXPECT_EQ(second_of(false), std::pair(4000_ns, 5500_ns));
}

}  // namespace
}  // namespace hopsim::testing

// An instant is a set: taking its events in another order moves nothing, down to every hop of every message.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "sim/machine.hpp"
#include "tests/sim/phases.hpp"
#include "tests/sim/posting.hpp"

namespace hopsim::testing {
namespace {

// What a hop is, without the numbers that count the order of posting.
using Hop = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                       std::uint32_t>;

struct Hops final : Recorder {
  void hop(const HopRecord& h) override {
    hops.emplace_back(h.start.ps(), h.end.ps(), index(h.link), index(h.from), h.hop, h.lane, h.passage);
  }
  void compute(ChipId, std::uint32_t, Time, Time) override {}
  void task(ChipId chip, std::uint32_t task, Time start, Time end) override {
    hops.emplace_back(start.ps(), end.ps(), index(chip), task, ~0u, 0, 0);
  }
  std::vector<Hop> hops;
};

std::vector<Hop> hops_of(const Shape& shape, const Program& program, const Overheads& overheads,
                         std::uint64_t shuffle) {
  const Fabric fabric = freeze(grid(shape, kByteANanosecond));
  Hops recorder;
  EventEngine engine(fabric, overheads, &recorder);
  if (shuffle) engine.shuffle_instants(shuffle);
  Machine machine(fabric, engine, overheads, &recorder);
  machine.run(program);
  std::sort(recorder.hops.begin(), recorder.hops.end());
  return recorder.hops;
}

// Every chip sends to every other, from several lanes with sizes of their own: all links are contended, and messages
// that came by different ways meet in the same instants.
Schedule crossfire(const Shape& shape, bool polite, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Schedule s;
  s.least_advanced_first = polite;
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    s.lanes.push_back({.phases = {}, .atom = 100_B, .sender_channel = lane});
    std::vector<Passage> passages;
    for (int x = -1; x <= 2; ++x)
      for (int y = -1; y <= 2; ++y) {
        if (x == 0 && y == 0) continue;
        Passage p = sends(along(0, x).with(1, y), static_cast<std::uint32_t>(random() % 4));
        p.order = static_cast<std::uint8_t>(random() % 2);
        passages.push_back(p);
      }
    std::shuffle(passages.begin(), passages.end(), random);
    passages.push_back(takes(static_cast<std::uint32_t>(passages.size())));
    s.add(lane, std::make_shared<Passages>(passages));
  }
  EXPECT_EQ(shape.chips(), 16u);
  return s;
}

struct Shuffled : ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(FifoAndPolite, Shuffled, ::testing::Bool());

TEST_P(Shuffled, AContendedRunIsTheSame) {
  const Shape shape = grid_shape({4, 4}, {true, true});
  for (const Overheads& overheads : {Overheads{}, Overheads{.step = 300_ns, .chunk = 100_ns, .launch = 1_us}})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Program program{collective(crossfire(shape, GetParam(), seed)), compute(3_us),
                            collective(crossfire(shape, GetParam(), seed + 100), {1})};
      const auto expected = hops_of(shape, program, overheads, 0);
      for (std::uint64_t shuffle = 1; shuffle <= 5; ++shuffle)
        ASSERT_EQ(hops_of(shape, program, overheads, shuffle), expected) << "seed " << seed << " shuffle " << shuffle;
    }
}

// Two polite messages of equal place in their senders' schedules meet from two sides in one instant.
TEST(Shuffle, EqualPoliteMessagesAreServedByThePortTheyCameInBy) {
  const Fabric fabric = freeze(grid(grid_shape({3, 3}, {false, false}), kByteANanosecond));
  Message m;
  m.polite = true;
  for (std::uint64_t shuffle = 1; shuffle <= 8; ++shuffle) {
    Posting p(fabric);
    p.engine.shuffle_instants(shuffle);
    const auto from_y = p.send(0_ns, 3, along(1, 2), 1000_B, m);
    const auto from_x = p.send(0_ns, 1, along(0, 1).with(1, 1), 1000_B, m);
    p.run();
    EXPECT_EQ(p.risen(from_x), 2000_ns);
    EXPECT_EQ(p.risen(from_y), 3000_ns);
  }
}

}  // namespace
}  // namespace hopsim::testing

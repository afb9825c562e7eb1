// The proof of rooted operations and of switches that add: chains by hand, then broken in one place each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

using ::testing::HasSubstr;

using Step = std::function<Passage(int chip, int i)>;

class Steps final : public Phase {
 public:
  Steps(int length, Step step) : length_(length), step_(std::move(step)) {}
  int length(const Coordinates&) const override { return length_; }
  int channels() const override { return 2; }
  Passage passage(const Coordinates& at, int i) const override {
    return step_(Shape::is_switch(at) ? 99 - at[0] : at[0], i);
  }

 private:
  int length_;
  Step step_;
};

End end(int way, Chunk chunk, int channel = 0) {
  return {.peer = along(0, way), .chunk = chunk, .channel = channel, .times = 1};
}

// On a line of 4, an array of `atoms` of 100 B.
struct Chain {
  Chain(Operation op, std::uint32_t atoms, int length, Step step) {
    request = {.operation = op, .row = row_along(shape, 0), .bytes = Bytes(100 * std::uint64_t{atoms})};
    const bool whole = op == Operation::broadcast || op == Operation::reduce;
    schedule.atoms = atoms;
    schedule.parts.push_back({.first = 0, .per_member = whole ? atoms : atoms / 4, .atom = AtomSize(100_B)});
    schedule.lanes.push_back({.phases = {}, .atom = AtomSize(100_B), .sender_channel = 0});
    schedule.add(0, std::make_shared<Steps>(length, std::move(step)));
  }
  std::string verdict() const {
    try {
      prove(shape, request, schedule);
    } catch (const ProofFailed& e) {
      return e.what();
    }
    return "accepted";
  }
  std::string reversed_as(Operation op) {
    request.operation = op;
    schedule = reversed(schedule);
    return verdict();
  }

  Shape shape = box({4}, false);
  Request request;
  Schedule schedule;
};

// Chip 0 to 1 to 2 to 3.
Passage hand_on(int chip, int) {
  Passage p;
  if (chip > 0) p.in = end(-1, {0, 1});
  if (chip < 3) p.out = end(1, {0, 1});
  return p;
}

TEST(ProofOfBroadcast, AcceptsAChain) { EXPECT_EQ(Chain(Operation::broadcast, 1, 1, hand_on).verdict(), "accepted"); }

TEST(ProofOfBroadcast, ReversedItIsAReduce) {
  EXPECT_EQ(Chain(Operation::broadcast, 1, 1, hand_on).reversed_as(Operation::reduce), "accepted");
}

TEST(ProofOfBroadcast, RefusesAnotherRoot) {
  Chain c(Operation::broadcast, 1, 1, hand_on);
  c.request.root = 1;
  EXPECT_THAT(c.verdict(), HasSubstr("chip (0) sends chunk 0, which it does not have"));
}

TEST(ProofOfBroadcast, RefusesAChainCutShort) {
  const Chain c(Operation::broadcast, 1, 1, [](int chip, int i) {
    Passage p = hand_on(chip, i);
    if (chip == 2) p.out = {};
    if (chip == 3) p.in = {};
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chip (3) ends without chunk 0"));
}

// Chip 1 hears from chip 0, and again from chip 2.
TEST(ProofOfBroadcast, RefusesAMessageNobodyNeeds) {
  const Chain c(Operation::broadcast, 1, 2, [](int chip, int i) {
    if (i == 0) return hand_on(chip, i);
    Passage p;
    if (chip == 2) p.out = end(-1, {0, 1}, 1);
    if (chip == 1) p.in = end(1, {0, 1}, 1);
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chip (1) gets chunk 0, which it already has"));
}

// The sum comes to chip 0; then a copy of it goes to chip 1, which did not ask.
TEST(ProofOfReduce, RefusesASumNobodyWanted) {
  const Chain c(Operation::reduce, 1, 2, [](int chip, int i) {
    Passage p;
    if (i == 0) {
      if (chip < 3) p.in = end(1, {0, 1});
      if (chip > 0) p.out = end(-1, {0, 1});
      p.op = Op::reduce;
    } else {
      if (chip == 0) p.out = end(1, {0, 1}, 1);
      if (chip == 1) p.in = end(-1, {0, 1}, 1);
    }
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chip (1) got chunk 0, which nobody wanted there"));
}

TEST(ProofOfReduce, RefusesAContributionLost) {
  const Chain c(Operation::reduce, 1, 1, [](int chip, int) {
    Passage p;
    if (chip < 2) p.in = end(1, {0, 1});
    if (chip == 1 || chip == 2) p.out = end(-1, {0, 1});
    p.op = Op::reduce;
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chip (0) ends with chunk 0 not summed once over every member"));
}

// Scatter from chip 0: what is for farther chips goes first; chip x passes on all but its own.
Passage deal(int chip, int i) {
  Passage p;
  const int target = 3 - i;
  if (chip > 0 && chip <= target) p.in = end(-1, {static_cast<std::uint32_t>(target), 1});
  if (chip < target) p.out = end(1, {static_cast<std::uint32_t>(target), 1});
  return p;
}

TEST(ProofOfScatter, AcceptsAChainAndItsReversal) {
  EXPECT_EQ(Chain(Operation::scatter, 4, 3, deal).verdict(), "accepted");
  EXPECT_EQ(Chain(Operation::scatter, 4, 3, deal).reversed_as(Operation::gather), "accepted");
}

// Chip 1 keeps chunk 3 and passes chunk 2 in its place.
TEST(ProofOfScatter, RefusesASwappedBlock) {
  const Chain c(Operation::scatter, 4, 3, [](int chip, int i) {
    Passage p = deal(chip, i);
    if (chip == 1 && i == 0) p.out.chunk.first = 2;
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chip (1) sends chunk 2, which it does not have"));
}

// What is for chip 3 stops at chip 2.
TEST(ProofOfScatter, RefusesABlockThatStrays) {
  const Chain c(Operation::scatter, 4, 3, [](int chip, int i) {
    Passage p = deal(chip, i);
    if (i == 0 && chip == 2) p.out = {};
    if (i == 0 && chip == 3) p.in = {};
    return p;
  });
  EXPECT_THAT(c.verdict(), HasSubstr("chunk 3"));
}

// Three chips send chunk 0 up to a switch, which adds and sends the sum to chip 0.
std::string through_a_switch(const Step& step, int length) {
  Shape shape = box({3}, false);
  shape.switches = 1;
  Request request{.operation = Operation::reduce, .row = row_along(shape, 0), .bytes = 100_B};
  Schedule s;
  s.atoms = 1;
  s.parts.push_back({.first = 0, .per_member = 1, .atom = AtomSize(100_B)});
  s.lanes.push_back({.phases = {}, .atom = AtomSize(100_B), .sender_channel = 0});
  s.add(0, std::make_shared<Steps>(length, step));
  try {
    prove(shape, request, s);
  } catch (const ProofFailed& e) {
    return e.what();
  }
  return "accepted";
}

Passage add_up(int chip, int i) {
  Passage p;
  if (chip == 100 && i == 0) {  // the switch
    p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = 3};
    p.out = {.peer = Offset::to_node(0), .chunk = {0, 1}, .channel = 0, .times = 1};
  } else if (chip < 3 && i == 0) {
    p.out = {.peer = Offset::to_node(3), .chunk = {0, 1}, .channel = 0, .times = 1};
    p.op = Op::reduce;
  } else if (chip == 0 && i == 1) {
    p.in = {.peer = Offset::to_node(3), .chunk = {0, 1}, .channel = 0, .times = 1};
  }
  return p;
}

TEST(ProofOfSwitches, AcceptsASumInTheSwitch) { EXPECT_EQ(through_a_switch(add_up, 2), "accepted"); }

TEST(ProofOfSwitches, RefusesASumThatStaysThere) {
  const auto kept = [](int chip, int i) {
    Passage p = add_up(chip, i);
    if (chip == 100) p.out = {};
    if (chip == 0 && i == 1) p.in = {};
    return p;
  };
  EXPECT_THAT(through_a_switch(kept, 2), HasSubstr("switch 0 keeps chunk 0, which nobody gets"));
}

TEST(ProofOfSwitches, RefusesAMissingContribution) {
  const auto early = [](int chip, int i) {
    Passage p = add_up(chip, i);
    if (chip == 100 && i == 0) p.in.times = 2;
    if (chip == 2) p = {};
    return p;
  };
  EXPECT_THAT(through_a_switch(early, 2), HasSubstr("chip (0) ends with chunk 0 not summed once over every member"));
}

TEST(ProofOfSwitches, RefusesANodeThatIsNone) {
  const auto astray = [](int chip, int i) {
    Passage p = add_up(chip, i);
    if (chip == 1) p.out.peer = Offset::to_node(9);
    return p;
  };
  EXPECT_THAT(through_a_switch(astray, 2), HasSubstr("chip (1) sends to node 9, which is none"));
}

}  // namespace
}  // namespace hopsim::testing

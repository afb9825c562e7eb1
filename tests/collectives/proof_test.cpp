// Good schedules broken in one place each: the proof must refuse them and name the chip and the chunk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Change = std::function<Passage(const Coordinates& at, int i, Passage)>;

class Broken final : public Phase {
 public:
  Broken(PhasePtr of, Change change, int longer) : of_(std::move(of)), change_(std::move(change)), longer_(longer) {}
  int length(const Coordinates& at) const override { return of_->length(at) + longer_; }
  int channels() const override { return of_->channels(); }
  Passage passage(const Coordinates& at, int i) const override {
    return change_(at, i, i < of_->length(at) ? of_->passage(at, i) : Passage{});
  }

 private:
  PhasePtr of_;
  Change change_;
  int longer_;
};

// An AllGather or ReduceScatter on a one-way ring of 5: atom a belongs to chip a. In the AllGather chip x passes on
// chunk x - i in passage i; in the ReduceScatter, its reversal, passage i takes chunk x + i - 4... see the tests.
struct Case {
  explicit Case(Operation op, const Shape& s = box({5}), std::string_view algorithm = "ring") : shape(s) {
    request = {.operation = op, .row = row_along(s, 0), .bytes = 1000_B};
    schedule = choose_algorithm(algorithm, request).schedule(request);
  }
  Case& change(Change c, int longer = 0, std::size_t lane = 0) {
    PhasePtr& phase = schedule.lanes[lane].phases[0].phase;
    phase = std::make_shared<Broken>(phase, std::move(c), longer);
    return *this;
  }
  // Only passage `i` of chip (x).
  Case& change_at(int x, int i, const std::function<void(Passage&)>& c, int longer = 0) {
    return change(
        [x, i, c](const Coordinates& at, int k, Passage p) {
          if (at[0] == x && k == i) c(p);
          return p;
        },
        longer);
  }
  std::string refusal(std::uint64_t seed = 1) const {
    try {
      prove(shape, request, schedule, seed);
    } catch (const ProofFailed& e) {
      return e.what();
    }
    return "accepted";
  }

  Shape shape;
  Request request;
  Schedule schedule;
};

TEST(Proof, AcceptsTheScheduleThatIsBrokenBelow) {
  for (const Operation op : {Operation::all_gather, Operation::reduce_scatter})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(Case(op).refusal(seed), "accepted");
}

TEST(Proof, RefusesAWrongNeighbour) {
  // Chip 2 sends its own chunk backwards: chip 1 expects 0 or 4, and nothing comes to chip 3 in time.
  const std::string text =
      Case(Operation::all_gather).change_at(2, 0, [](Passage& p) { p.out.peer = along(0, -1); }).refusal();
  EXPECT_THAT(text, HasSubstr("chip ("));
  EXPECT_THAT(text, HasSubstr("chunk 2"));
}

TEST(Proof, RefusesEverythingSentBackwards) {
  const std::string text = Case(Operation::all_gather)
                               .change([](const Coordinates&, int, Passage p) {
                                 p.out.peer = along(0, -1);
                                 return p;
                               })
                               .refusal();
  EXPECT_THAT(text, AllOf(HasSubstr("chip ("), HasSubstr("expects chunk "), HasSubstr("gets chunk ")));
}

TEST(Proof, RefusesAMissingStep) {
  // Chip 3 keeps chunk 1 to itself: chip 4 waits for it.
  const Case c = Case(Operation::all_gather).change_at(3, 2, [](Passage& p) { p.out = {}; });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip (4)"), HasSubstr("chunk 1")));
}

TEST(Proof, RefusesAStepMissingAtBothEnds) {
  // Chunk 0 neither leaves chip 3 nor is waited for by chip 4.
  const Case c =
      Case(Operation::all_gather).change_at(3, 3, [](Passage& p) { p.out = {}; }).change_at(4, 4, [](Passage& p) {
        p.in = {};
      });
  EXPECT_THAT(c.refusal(), HasSubstr("chip (4) ends without chunk 0"));
}

TEST(Proof, RefusesAMissingStepOfAReduceScatter) {
  const Case c = Case(Operation::reduce_scatter).change_at(1, 1, [](Passage& p) { p.in = {}; });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip ("), HasSubstr("chunk ")));
}

TEST(Proof, RefusesAChunkSentTwice) {
  // Chip 2 sends its own chunk again at the end, and nobody takes it.
  const Case c = Case(Operation::all_gather)
                     .change_at(
                         2, 5,
                         [](Passage& p) {
                           p.out = {.peer = along(0, 1), .chunk = {2, 1}, .channel = 0, .times = 1};
                         },
                         1);
  EXPECT_THAT(c.refusal(), HasSubstr("chip (3) gets chunk 2, which no step takes"));
}

TEST(Proof, RefusesAChunkForAChipThatHasIt) {
  // The same, but chip 3 takes it.
  const Case c = Case(Operation::all_gather)
                     .change(
                         [](const Coordinates& at, int i, Passage p) {
                           if (i == 5 && at[0] == 2)
                             p.out = {.peer = along(0, 1), .chunk = {2, 1}, .channel = 0, .times = 1};
                           if (i == 5 && at[0] == 3)
                             p.in = {.peer = along(0, -1), .chunk = {2, 1}, .channel = 0, .times = 1};
                           return p;
                         },
                         1);
  EXPECT_THAT(c.refusal(), HasSubstr("chip (3) gets chunk 2, which it already has"));
}

// Chip 2's contribution to chunk 0 comes twice: once over the ring, once directly.
TEST(Proof, RefusesAChunkReducedTwice) {
  const auto twice = [](const Coordinates& at, int i, Passage p) {
    if (i == 5 && at[0] == 1) {
      p.out = {.peer = along(0, -1), .chunk = {0, 1}, .channel = 0, .times = 1};
      p.op = Op::reduce;
    }
    if (i == 5 && at[0] == 0) p.in = {.peer = along(0, 1), .chunk = {0, 1}, .channel = 0, .times = 1};
    return p;
  };
  const Case c = Case(Operation::reduce_scatter).change(twice, 1);
  EXPECT_THAT(c.refusal(), HasSubstr("chip (0) ends with chunk 0 not summed once over every member"));
}

TEST(Proof, RefusesAReductionTurnedIntoACopy) {
  const Case c = Case(Operation::reduce_scatter).change([](const Coordinates&, int, Passage p) {
    p.op = Op::copy;
    return p;
  });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip ("), HasSubstr("not summed once over every member")));
}

TEST(Proof, RefusesACopyTurnedIntoAReduction) {
  // Chip 4's chunk is added to what chip 0 has of it: nothing. Its own again, further on, is not.
  const auto add = [](const Coordinates& at, int i, Passage p) {
    if (i == 5 && at[0] == 2) {
      p.out = {.peer = along(0, 1), .chunk = {2, 1}, .channel = 0, .times = 1};
      p.op = Op::reduce;
    }
    if (i == 5 && at[0] == 3) p.in = {.peer = along(0, -1), .chunk = {2, 1}, .channel = 0, .times = 1};
    return p;
  };
  EXPECT_THAT(Case(Operation::all_gather).change(add, 1).refusal(), HasSubstr("chip (3) ends without chunk 2"));
}

TEST(Proof, RefusesAMessageNobodyTakes) {
  const Case c = Case(Operation::all_gather).change_at(4, 4, [](Passage& p) { p.in = {}; });
  EXPECT_THAT(c.refusal(), HasSubstr("chip (4) gets chunk 0, which no step takes"));
}

TEST(Proof, RefusesSendingWhatAChipDoesNotHold) {
  // Chip 3 sends chunk 0 at the start, three hops before it comes by.
  const Case c = Case(Operation::all_gather).change_at(3, 0, [](Passage& p) { p.out.chunk = {0, 1}; });
  EXPECT_THAT(c.refusal(), HasSubstr("chip (3) sends chunk 0, which it does not have"));
}

TEST(Proof, RefusesSendingBeforeReceiving) {
  // Nobody waits before passing a chunk on.
  const Case c = Case(Operation::all_gather).change([](const Coordinates&, int, Passage p) {
    p.in = {};
    return p;
  });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("sends chunk "), HasSubstr("which it does not have")));
}

TEST(Proof, RefusesAnotherChunkThanExpected) {
  const Case c = Case(Operation::all_gather).change_at(1, 1, [](Passage& p) { p.in.chunk = {3, 1}; });
  EXPECT_THAT(c.refusal(), HasSubstr("chip (1) expects chunk 3, gets chunk 0"));
}

TEST(Proof, RefusesChunksThatDoNotExist) {
  for (const Chunk& chunk :
       {Chunk{5, 1}, Chunk{4, 2}, Chunk{0, 6}, Chunk{~0u, 1}, Chunk{~0u - 1, 2}, Chunk{1, ~0u}}) {
    const Case c = Case(Operation::all_gather).change_at(1, 0, [chunk](Passage& p) { p.out.chunk = chunk; });
    EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip (1) sends chunk "), HasSubstr("which does not exist")))
        << chunk.first << " " << chunk.count;
  }
}

TEST(Proof, RefusesToGoOverTheEdge) {
  Case c(Operation::all_gather, box({5}, false), "line");
  c.change_at(4, 1, [](Passage& p) { p.out = {.peer = along(0, 1), .chunk = {3, 1}, .channel = 0, .times = 1}; });
  EXPECT_THAT(c.refusal(), HasSubstr("chip (4) sends over the edge"));
}

TEST(Proof, RefusesAWaitThatNeverEnds) {
  const Case c = Case(Operation::all_gather).change_at(2, 4, [](Passage& p) { p.in.times = 2; });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip (2)"), HasSubstr("waits for ever"), HasSubstr("chunk 3")));
}

TEST(Proof, RefusesAMissingLane) {
  Case c(Operation::all_gather, box({6}), "bidirectional_ring");
  c.schedule.lanes.pop_back();
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip ("), HasSubstr("ends without chunk ")));
}

// Two lanes, where the second passes on what the first brings, without waiting for it.
TEST(Proof, RefusesAMissingWaitBetweenLanes) {
  Case c(Operation::all_gather, box({3}, false), "line");
  auto from_first = [](const Coordinates& at, int i, Passage p) {  // lane 1 takes over what lane 0 should do
    if (at[0] == 1 && i == 1) p.out = {};
    return p;
  };
  auto in_second = [](const Coordinates& at, int i, Passage p) {
    if (at[0] == 1 && i == 2) p.out = {.peer = along(0, 1), .chunk = {0, 1}, .channel = -1, .times = 1};
    return p;
  };
  c.change(from_first, 0, 0).change(in_second, 1, 1);
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) refused += c.refusal(seed) != "accepted";
  EXPECT_GT(refused, 0);  // by chance it comes in time now and then
  EXPECT_LT(refused, 40);
}

TEST(Proof, RefusesPartsThatDoNotHoldTheArray) {
  Case few(Operation::all_gather);
  few.schedule.parts[0].atom = 199_B;  // 5 x 199 of 1000
  EXPECT_THAT(few.refusal(), HasSubstr("995 of 1000 B"));
  Case none(Operation::reduce_scatter);
  none.schedule.parts.clear();
  EXPECT_THAT(none.refusal(), HasSubstr("0 of 1000 B"));
  Case missing(Operation::all_gather);
  missing.schedule.atoms += 5;
  EXPECT_NE(missing.refusal(), "accepted");
}

// Two parts that both name atoms 0 to 4 leave 5 to 9 to nobody: half of the array would not be summed at all.
TEST(Proof, RefusesPartsThatNameAnAtomTwice) {
  for (const Operation op : {Operation::all_gather, Operation::reduce_scatter}) {
    Case c(op);
    c.schedule.atoms = 10;
    c.schedule.parts = {{.first = 0, .per_member = 1, .atom = 100_B}, {.first = 0, .per_member = 1, .atom = 100_B}};
    EXPECT_NE(c.refusal(), "accepted") << name(op);
  }
}

// Else a schedule could move the right labels in no time.
TEST(Proof, RefusesLanesWhoseMessagesAreSmallerThanTheirData) {
  Case c(Operation::all_gather);
  c.schedule.lanes[0].atom = 199_B;
  EXPECT_NE(c.refusal(), "accepted");
}

TEST(Proof, LooksAtEveryRow) {
  const Shape s = box({5, 4});
  Case c(Operation::all_gather, s);
  ASSERT_EQ(c.refusal(), "accepted");
  c.change([](const Coordinates& at, int i, Passage p) {
    if (at == Coordinates{2, 3, 0, 0} && i == 1) p.out.peer = p.out.peer.with(1, 1);  // into the next row
    return p;
  });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip ("), HasSubstr("chunk ")));
}

TEST(Proof, TellsRowsApart) {
  // Every chip sends to the next row too: each gets chunks of the right names, from the wrong array.
  Case c(Operation::all_gather, box({5, 4}));
  c.change([](const Coordinates&, int, Passage p) {
    p.out.peer = p.out.peer.with(1, 1);
    return p;
  });
  EXPECT_THAT(c.refusal(), AllOf(HasSubstr("chip ("), HasSubstr("ends without chunk ")));
}

}  // namespace
}  // namespace hopsim::testing

// The SimGrid engine: against the event engine where the two models must agree, by formula where they cannot.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <tuple>
#include <type_traits>

#include "sim/simgrid_engine.hpp"
#include "tests/sim/phases.hpp"
#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

// What `run` returns, run in a process of its own: SimGrid starts once in each, and never in this one.
template <class Run>
auto in_child(Run run) {
  using Result = decltype(run());
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    int status = 1;
    try {
      const Result result = run();
      status = write(ends[1], &result, sizeof result) == ssize_t{sizeof result} ? 0 : 1;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "in the child: %s\n", e.what());
    }
    _exit(status);
  }
  close(ends[1]);
  Result result{};
  const bool whole = read(ends[0], &result, sizeof result) == ssize_t{sizeof result};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error("the child failed");
  return result;
}

// The name of the exception that `run` throws in a process of its own.
template <class Run>
std::string thrown_in_child(Run run) {
  const int which = in_child([&] {
    try {
      run();
      return 0;
    } catch (const Deadlock&) {
      return 1;
    } catch (const std::overflow_error&) {
      return 2;
    } catch (const std::logic_error&) {
      return 3;
    }
  });
  return std::array{"nothing", "Deadlock", "overflow_error", "logic_error"}[static_cast<std::size_t>(which)];
}

std::vector<std::tuple<std::uint32_t, Time, Time, Time, Time, std::uint64_t, std::uint32_t>> sorted(
    const std::vector<HopRecord>& hops) {
  std::vector<std::tuple<std::uint32_t, Time, Time, Time, Time, std::uint64_t, std::uint32_t>> all;
  for (const HopRecord& h : hops)
    all.emplace_back(index(h.link), h.posted, h.start, h.end, h.delivered, h.bytes.count(), h.passage);
  std::sort(all.begin(), all.end());
  return all;
}

struct Notes final : Recorder {
  void hop(const HopRecord& h) override { hops.push_back(h); }
  void compute(ChipId c, std::uint32_t task, Time start, Time end) override {
    busy.emplace_back(index(c), task, start, end);
  }
  void task(ChipId c, std::uint32_t task, Time start, Time end) override {
    tasks.emplace_back(index(c), task, start, end);
  }
  std::vector<HopRecord> hops;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, Time, Time>> busy, tasks;
};

// One program on both engines, and whether all else they tell of it is alike.
struct Both {
  Time event, simgrid;
  bool same_totals, same_busy, same_records, same_activity;

  double difference() const { return simgrid.seconds() / event.seconds() - 1; }
  bool all_alike() const { return same_totals && same_busy && same_records && same_activity; }
};

template <class E>
struct Told {
  Told(const Fabric& fabric, const Program& program, const Overheads& overheads)
      : activity(fabric.chips()),
        engine(fabric, overheads, &notes, &activity),
        machine(fabric, engine, overheads, &notes) {
    machine.run(program);
    for (const TaskTotals& t : machine.totals()) end = std::max(end, t.end);
    std::sort(notes.busy.begin(), notes.busy.end());
    std::sort(notes.tasks.begin(), notes.tasks.end());
  }
  Notes notes;
  Activity activity;
  E engine;
  Machine machine;
  Time end;
};

bool alike(const std::vector<StepStretches>& a, const std::vector<StepStretches>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StepStretches& x, const StepStretches& y) {
    return x.all().total() == y.all().total();
  });
}

Both on_both(const Fabric& fabric, const Program& program, const Overheads& overheads = {}) {
  return in_child([&] {
    const Told<EventEngine> e(fabric, program, overheads);
    const Told<SimgridEngine> s(fabric, program, overheads);
    const EngineTotals a = e.engine.totals(), b = s.engine.totals();
    return Both{.event = e.end,
                .simgrid = s.end,
                .same_totals = a.messages == b.messages && a.link_hops == b.link_hops &&
                               a.link_bytes == b.link_bytes && a.fingerprint == b.fingerprint,
                .same_busy = e.engine.link_busy() == s.engine.link_busy(),
                .same_records = sorted(e.notes.hops) == sorted(s.notes.hops) && e.notes.busy == s.notes.busy &&
                                e.notes.tasks == s.notes.tasks,
                .same_activity = alike(e.activity.communication, s.activity.communication) &&
                                 alike(e.activity.compute, s.activity.compute)};
  });
}

Request request(Operation op, const Shape& shape, Bytes bytes, int chunks = 1, int dimension = 0) {
  return {.operation = op, .row = row_along(shape, dimension), .bytes = bytes, .chunks = chunks};
}

Program one(std::shared_ptr<const Schedule> schedule) {
  return {{.work = CollectiveTask{std::move(schedule)}, .after = {}}};
}

// Posts to an engine at chosen times and notes when counters rise.
class Posts final : public CounterSink {
 public:
  explicit Posts(Engine& e) : engine(e) {}
  CounterId at(Time when, std::function<void(CounterId)> post) {
    const CounterId timer = fresh(), result = fresh();
    due_[timer] = [post = std::move(post), result] { post(result); };
    engine.count_after(when, timer);
    return result;
  }
  CounterId send(Time when, const Fabric& fabric, std::uint32_t from, Offset way, Bytes bytes, Message m = {}) {
    return at(when, [=, this, &fabric](CounterId arrived) mutable {
      m.from = ChipId{from};
      m.offset = way;
      m.to = fabric.shape.peer(fabric.shape.at(m.from), way);
      m.bytes = bytes;
      m.arrived = arrived;
      engine.send(m, {});
    });
  }
  CounterId compute(Time when, std::uint32_t chip, Time busy, std::uint32_t lane = 0) {
    return at(when, [=, this](CounterId done) {
      engine.compute(ChipId{chip}, busy, Position::fifo(0, lane, 0, 0), done, 0);
    });
  }
  CounterId fresh() { return CounterId{next_++}; }
  Time risen(CounterId c) const { return risen_.at(c); }
  void count(std::span<const CounterId> counters) override {
    for (const CounterId c : counters) {
      risen_[c] = engine.now();
      if (due_.contains(c)) due_[c]();
    }
  }
  Engine& engine;

 private:
  std::uint32_t next_ = 0;
  std::map<CounterId, Time> risen_;
  std::map<CounterId, std::function<void()>> due_;
};

// 1 GB/s: a byte takes a nanosecond.
Fabric byte_a_nanosecond(const Shape& shape) { return freeze(grid(shape, {1_GBps, 500_ns})); }

struct EveryRing : ::testing::TestWithParam<std::tuple<Operation, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Simgrid, EveryRing,
                         ::testing::Combine(::testing::Values(Operation::all_gather, Operation::reduce_scatter),
                                            ::testing::Values("ring", "bidirectional_ring", "line")));

// Within 0.1 % is what is asked; as every message crosses one link, nothing at all may differ.
TEST_P(EveryRing, TakesTheTimeOfTheEventEngine) {
  const auto& [operation, algorithm] = GetParam();
  for (const int n : {4, 5, 8, 16})
    for (const int chunks : {1, 4})
      for (const Bytes bytes : {1_MiB, 1_GiB}) {
        const Shape s = box({n}, std::string_view(algorithm) != "line");
        const auto schedule = schedule_of(algorithm, request(operation, s, bytes, chunks));
        const Both both = on_both(freeze(grid(s, kIci)), one(schedule));
        SCOPED_TRACE(std::to_string(n) + " chips, " + std::to_string(chunks) + " chunks, " +
                     std::to_string(bytes.count()) + " B");
        EXPECT_LT(std::abs(both.difference()), 1e-3);
        EXPECT_EQ(both.simgrid, both.event);
        EXPECT_TRUE(both.all_alike());
      }
}

TEST(Simgrid, OneWayRingTakesTheFormulasTime) {
  const Shape s = box({8});
  const auto schedule = schedule_of("ring", request(Operation::all_gather, s, 1_GiB));
  const Time time = on_both(freeze(grid(s, kIci)), one(schedule)).simgrid;
  EXPECT_NEAR(time.seconds(), 7 * (double(1 << 27) / 45e9 + 1e-6), 1e-11);
}

TEST(Simgrid, AllRowsOfAMeshRunAtOnce) {
  const Shape s = grid_shape({4, 6}, {true, false});
  for (const int dimension : {0, 1})
    for (const int chunks : {1, 3}) {
      const auto schedule =
          schedule_of("auto", request(Operation::reduce_scatter, s, Bytes(10'000'019), chunks, dimension));
      const Both both = on_both(freeze(grid(s, kIci)), one(schedule));
      EXPECT_EQ(both.simgrid, both.event);
      EXPECT_TRUE(both.all_alike());
    }
}

TEST(Simgrid, OverheadsAreTheEventEngines) {
  const Shape s = box({8});
  for (const char* algorithm : {"ring", "bidirectional_ring"})
    for (const Overheads& o : {Overheads{.step = 700_ns, .chunk = {}, .launch = 3_us},
                               Overheads{.step = {}, .chunk = 900_ns, .launch = {}},
                               Overheads{.step = 700_ns, .chunk = 900_ns, .launch = 3_us}}) {
      const auto schedule = schedule_of(algorithm, request(Operation::all_gather, s, 1_MiB, 4));
      const Both both = on_both(freeze(grid(s, kIci)), one(schedule), o);
      EXPECT_EQ(both.simgrid, both.event);
      EXPECT_TRUE(both.all_alike());
      EXPECT_GT(both.simgrid, on_both(freeze(grid(s, kIci)), one(schedule)).simgrid);
    }
}

// 40 us of compute beside a collective, 15 us after both.
TEST(Simgrid, ComputationsRunBesideCollectives) {
  const Shape s = box({4});
  const auto schedule = schedule_of("ring", request(Operation::all_gather, s, 1_MiB));
  Program program = one(schedule);
  program.push_back(compute(40_us));
  program.push_back(compute(15_us, {0, 1}));
  const Both both = on_both(freeze(grid(s, kIci)), program);
  EXPECT_EQ(both.simgrid, 55_us);
  EXPECT_EQ(both.event, 55_us);
  EXPECT_TRUE(both.all_alike());
}

TEST(Simgrid, ACollectiveFeedsAProductAndIsFedByOne) {
  using Feed = CollectiveMatmulTask::Feed;
  Overheads loops;
  loops.loop = 300_ns;
  for (const char* algorithm : {"ring", "bidirectional_ring"})
    for (const auto& [operation, feed] : {std::pair(Operation::all_gather, Feed::from_arrivals),
                                          std::pair(Operation::reduce_scatter, Feed::to_departures)})
      for (const Time product : {10_us, 40_us}) {
        const auto schedule = schedule_of(algorithm, request(operation, box({8}), 1_MiB, 2));
        const Both both = on_both(freeze(grid(box({8}), kIci)),
                                  {{CollectiveMatmulTask{{schedule}, feed, {product, {}, {}}, 1_MiB}, {}}}, loops);
        EXPECT_NEAR(both.simgrid.seconds() / both.event.seconds(), 1, 1e-6) << algorithm;
      }
}

TEST(Simgrid, CommunicationTakesItsShareOfTheComputeUnit) {
  const auto schedule = schedule_of("ring", request(Operation::all_gather, box({4}), 1_MiB));
  Program program = one(schedule);
  program.push_back(compute(40_us));
  Overheads shares;
  shares.compute_share = {1, 5};
  const Both both = on_both(freeze(grid(box({4}), kIci)), program, shares);
  EXPECT_GT(both.event, 43_us);  // the ring takes more than 15 us
  EXPECT_NEAR(both.simgrid.seconds() / both.event.seconds(), 1, 1e-6);
}

TEST(Simgrid, AComputeUnitTakesTasksOneByOneInOrder) {
  const Fabric fabric = byte_a_nanosecond(box({2}, false));
  const auto ends = in_child([&] {
    SimgridEngine engine(fabric, {});
    Posts p(engine);
    const auto third = p.compute(0_ns, 0, 300_ns, 2), first = p.compute(0_ns, 0, 100_ns, 0);
    const auto second = p.compute(0_ns, 0, 0_ns, 1), last = p.compute(50_ns, 0, 1_ps, 0);
    const auto other = p.compute(80_ns, 1, 20_ns + 2_ps);  // not the same instant as `first`
    engine.run(p);
    return std::array{p.risen(first), p.risen(second), p.risen(third), p.risen(last), p.risen(other)};
  });
  EXPECT_EQ(ends, (std::array{100_ns, 100_ns, 400_ns, 400_ns + 1_ps, 100_ns + 2_ps}));
}

TEST(Simgrid, OneMessageOverSixHopsPaysOneSerialisation) {
  const Fabric fabric = freeze(grid(box({7}, false), kIci));
  const auto times = in_child([&] {
    SimgridEngine engine(fabric, {});
    Posts p(engine);
    Message m;
    m.sent = p.fresh();
    const auto arrived = p.send(0_ns, fabric, 0, along(0, 6), 16_MiB, m);
    engine.run(p);
    return std::array{p.risen(m.sent), p.risen(arrived)};
  });
  EXPECT_NEAR(times[0].seconds(), double(16 << 20) / 45e9, 1e-12);
  EXPECT_EQ(times[1], times[0] + 6_us);
}

TEST(Simgrid, MessagesOfOneChipTakeTheirLinkInOrderOfPosition) {
  const Fabric fabric = byte_a_nanosecond(box({2}, false));
  const auto times = in_child([&] {
    SimgridEngine engine(fabric, {});
    Posts p(engine);
    const auto at = [](std::uint32_t lane, bool polite = false) {
      Message m;
      m.position = Position::fifo(0, lane, 0, 0);
      m.polite = polite;
      return m;
    };
    const auto polite = p.send(0_ns, fabric, 0, along(0, 1), 1000_B, at(0, true));
    const auto second = p.send(0_ns, fabric, 0, along(0, 1), 1000_B, at(2));
    const auto first = p.send(0_ns, fabric, 0, along(0, 1), 1000_B, at(1));
    const auto empty = p.send(10_ns, fabric, 0, along(0, 1), 0_B, at(1));
    const auto itself = p.send(10_ns, fabric, 0, {}, 1000_B, at(1));
    engine.run(p);
    return std::array{p.risen(first), p.risen(second), p.risen(empty), p.risen(polite), p.risen(itself)};
  });
  EXPECT_EQ(times, (std::array{1500_ns, 2500_ns, 2500_ns, 3500_ns, 10_ns}));
}

// 0 to 2 and 1 to 2 meet on the second link. The near one has it from 500 ns, and had sent half when the far one
// comes at 1000; each then goes at half speed until the near one is through, at 2000; the far one has half left.
TEST(Simgrid, MessagesThatMeetOnALaterLinkShareIt) {
  const Fabric fabric = byte_a_nanosecond(box({3}, false));
  const auto times = in_child([&] {
    SimgridEngine engine(fabric, {});
    Posts p(engine);
    const auto far = p.send(0_ns, fabric, 0, along(0, 2), 1000_B),
               near = p.send(0_ns, fabric, 1, along(0, 1), 1000_B);
    engine.run(p);
    return std::array{p.risen(far), p.risen(near)};
  });
  EXPECT_EQ(times, (std::array{2500_ns, 2000_ns}));
}

TEST(Simgrid, RoutesFollowTheMessagesOrderOfDimensions) {
  const Fabric fabric = byte_a_nanosecond(grid_shape({4, 4, 4}, {true, true, false}));
  const auto same = in_child([&] {
    const auto busy = [&](Engine& engine) {
      Posts p(engine);
      for (const std::uint8_t order : {0, 1, 2}) {
        Message m;
        m.order = order;
        p.send(0_ns, fabric, 5, along(0, 2).with(1, -1).with(2, 1), Bytes(1000u + order), m);
      }
      engine.run(p);
      return engine.link_busy();
    };
    EventEngine event(fabric, {});
    SimgridEngine simgrid(fabric, {});
    return busy(event) == busy(simgrid);
  });
  EXPECT_TRUE(same);
}

// Three chips around a switch: the table leads from chip to switch to chip. Both senders share the link to chip 2.
TEST(Simgrid, NetworksAreRoutedByTheirTable) {
  Fabric fabric;
  fabric.shape.size[0] = 3;
  fabric.nodes = 4;
  for (std::uint32_t c = 0; c < 3; ++c) fabric.links.push_back({c, 3, 1_GBps, 100_ns});
  for (std::uint32_t c = 0; c < 3; ++c) fabric.links.push_back({3, c, 1_GBps, 100_ns});
  for (std::uint32_t node = 0; node < 4; ++node)
    for (std::uint32_t to = 0; to < 3; ++to) fabric.towards.push_back(LinkId(node < 3 ? node : 3 + to));
  const auto times = in_child([&] {
    SimgridEngine engine(fabric, {});
    Posts p(engine);
    const auto a = p.send(0_ns, fabric, 0, along(0, 2), 1000_B), b = p.send(0_ns, fabric, 1, along(0, 1), 1000_B);
    const auto alone = p.send(0_ns, fabric, 2, along(0, -1), 1000_B);
    engine.run(p);
    return std::array{p.risen(a), p.risen(b), p.risen(alone)};
  });
  EXPECT_EQ(times, (std::array{2200_ns, 2200_ns, 1200_ns}));
}

// Every chip to every other within `reach` of it along each dimension, far ones first.
Both all_to_all(const Shape& shape, int reach, Bytes block) {
  std::vector<Passage> passages;
  for (int far = 2 * reach; far > 0; --far)
    for (int x = -reach; x <= reach; ++x)
      for (int y = shape.dimensions > 1 ? -reach : 0; y <= (shape.dimensions > 1 ? reach : 0); ++y)
        if (std::abs(x) + std::abs(y) == far) {
          passages.push_back(sends(along(0, x).with(1, y)));
          passages.back().order = static_cast<std::uint8_t>((x + y) & 1);
        }
  passages.push_back(takes(static_cast<std::uint32_t>(passages.size())));
  return on_both(freeze(grid(shape, kIci)), {collective(one_lane(passages, block))});
}

// On a ring all links are loaded alike, so side by side and one after the other end together, but for latency that
// waits would have hidden: at most that of the longest route.
TEST(Simgrid, ContentionOnARingCostsAtMostTheLongestRoutesLatency) {
  for (const Bytes block : {4_KiB, 64_KiB, 1_MiB}) {
    const Both both = all_to_all(box({9}), 4, block);
    EXPECT_GE(both.simgrid, both.event);
    EXPECT_LE(both.simgrid, both.event + 4_us);
    EXPECT_TRUE(both.same_busy);
  }
}

TEST(Simgrid, ContentionOverTwoDimensionsAgreesWithinTenPercentWhereBandwidthBinds) {
  const Both both = all_to_all(box({5, 5}), 2, 1_MiB);
  EXPECT_LT(std::abs(both.difference()), 0.1) << both.difference();
  EXPECT_TRUE(both.same_busy);
}

TEST(Simgrid, ASecondEngineInAProcessIsRefused) {
  const Fabric fabric = byte_a_nanosecond(box({2}, false));
  EXPECT_EQ(thrown_in_child([&] {
              const SimgridEngine first(fabric, {});
              const SimgridEngine second(fabric, {});
            }),
            "logic_error");
  EXPECT_EQ(thrown_in_child([&] {
              { const SimgridEngine first(fabric, {}); }
              const SimgridEngine second(fabric, {});
            }),
            "logic_error");
}

TEST(Simgrid, FailuresOfProgramsComeThrough) {
  const Fabric fabric = byte_a_nanosecond(box({3}, false));
  const auto run = [&](const Program& program) {
    return thrown_in_child([&] {
      SimgridEngine engine(fabric, {});
      Machine(fabric, engine, {}).run(program);
    });
  };
  EXPECT_EQ(run({compute(1_us)}), "nothing");
  EXPECT_EQ(run({compute(1_us), collective(shift(0, 1000_B), {0})}), "logic_error");  // off the edge
  EXPECT_EQ(run({collective(one_lane({takes(1)}, 1_B))}), "Deadlock");
  EXPECT_EQ(run({compute(Time::picoseconds(1ull << 53)), compute(1_us, {0})}), "overflow_error");
}

TEST(Simgrid, SignalsStayTheProgramsOwn) {
  const Fabric fabric = byte_a_nanosecond(box({2}, false));
  const bool kept = in_child([&] {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGSEGV, SIG_DFL);
    const SimgridEngine engine(fabric, {});
    return std::signal(SIGINT, SIG_DFL) == SIG_IGN && std::signal(SIGSEGV, SIG_DFL) == SIG_DFL;
  });
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace hopsim::testing

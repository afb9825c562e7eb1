// The SimGrid engine: against the event engine where the two models must agree, by formula where they cannot.
#include <csignal>

#include "tests/sim/both_engines.hpp"

namespace hopsim::testing {
namespace {

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

// Computations on SimGrid: beside collectives, fed by them and feeding them, one by one.
#include "tests/sim/both_engines.hpp"

namespace hopsim::testing {
namespace {

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

}  // namespace
}  // namespace hopsim::testing

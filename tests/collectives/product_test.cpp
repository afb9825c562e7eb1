// Products that a collective feeds, or that feed one: against recurrences written out here, and against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "topologies/grid.hpp"

namespace hopsim::testing {
namespace {

using namespace literals;
using Feed = CollectiveMatmulTask::Feed;

const LinkModel kLink{1_GBps, 1_ns};  // a byte takes 1 ns

struct Case {
  std::string_view algorithm;
  Operation operation;
  int n;
  int chunks;
  Bytes bytes;
  Time product;  // of one chip
};

Time run(const Case& c, const Overheads& overheads = {}, bool folds = false, const LinkModel& link = kLink) {
  const Shape shape = grid_shape({c.n}, {c.algorithm != "line"});
  const Request request{.operation = c.operation, .row = row_along(shape, 0), .bytes = c.bytes, .chunks = c.chunks};
  const Algorithm& algorithm = choose_algorithm(c.algorithm, request);
  const CollectiveMatmulTask task{{std::make_shared<const Schedule>(algorithm.schedule(request))},
                                  c.operation == Operation::all_gather ? Feed::from_arrivals : Feed::to_departures,
                                  {c.product, {}, {}},
                                  c.bytes};
  const Fabric whole = freeze(grid(shape, link));
  const Fabric fabric = folds ? *folded(whole) : whole;
  EventEngine engine(fabric, overheads);
  Machine machine(fabric, engine, overheads);
  machine.run({{.work = task, .after = {}}});
  return machine.totals()[0].end;
}

// An odd or even ring both ways, or one way: the chunks of the shard k hops away come in, chunk after chunk, while
// links are never idle; what has come is multiplied in that order. Nanoseconds; latency left out.
double recurrence(int n, int chunks, bool both_ways, double bytes, double product) {
  const double piece = bytes / n / chunks, multiply = product / n / chunks;
  double link = 0, free = product / n;  // own shard first
  const auto arrive = [&](double size, double work, int times) {
    link += size;
    for (int i = 0; i < times; ++i) free = std::max(free, link) + work;
  };
  const int whole = both_ways ? (n - 1) / 2 : n - 1;
  for (int k = 0; k < whole * chunks; ++k) arrive(piece, multiply, both_ways ? 2 : 1);
  if (both_ways && n % 2 == 0)
    for (int c = 0; c < chunks; ++c) arrive(piece / 2, multiply / 2, 2);  // half from either side
  return free;
}

TEST(CollectiveMatmul, WhatHasComeIsMultipliedWhileTheRestTravels) {
  for (const int n : {4, 5, 8})
    for (const int chunks : {1, 2, 4, 16})
      for (const bool both : {false, true})
        for (const std::uint64_t product : {1'000'000, 4'000'000, 30'000'000}) {
          const auto bytes = static_cast<std::uint64_t>(n) * 640'000;
          const Time time = run({both ? "bidirectional_ring" : "ring", Operation::all_gather, n, chunks, Bytes(bytes),
                                 Time::picoseconds(product * 1000)});
          const double expected =
              recurrence(n, chunks, both, static_cast<double>(bytes), static_cast<double>(product));
          // Hops of 1 ns, n at most one behind the other, and a picosecond a chunk.
          EXPECT_NEAR(static_cast<double>(time.ps()) / 1000, expected, n + 1)
              << n << " chips, " << chunks << " chunks, " << both << ", " << product;
        }
}

// T_math = T_comms on a ring of 8, as shares of it. One way what comes last is multiplied behind the communication,
// 1 + 1/(8 k). Both ways the last two whole chunks are there at 6/7, done 2/(8 k) later, and 2 k halves of 1/(16 k)
// follow: 55/56 + 1/(4 k), up to 7 chunks; then they wait for one another, 1 + 1/(8 k).
TEST(CollectiveMatmul, OverlapInShareOfTheLargerTime) {
  const double both_ways[] = {55. / 56 + 1. / 4, 55. / 56 + 1. / 8, 55. / 56 + 1. / 16, 1 + 1. / 128},
               one_way[] = {1.125, 1.0625, 1.03125, 1.0078};
  const int chunks[] = {1, 2, 4, 16};
  for (int k = 0; k < 4; ++k) {
    const Bytes bytes(8 * 7 * 64'000);
    const Time comms = Time::picoseconds(bytes.count() / 8 * 7 * 1000);  // one way; half of it both ways
    const auto ratio = [&](std::string_view algorithm, Time t) {
      return run({algorithm, Operation::all_gather, 8, chunks[k], bytes, t}).seconds() / t.seconds();
    };
    EXPECT_NEAR(ratio("bidirectional_ring", Time::picoseconds(comms.ps() / 2)), both_ways[k], 0.0005) << chunks[k];
    EXPECT_NEAR(ratio("ring", comms), one_way[k], 0.0005) << chunks[k];
  }
}

// Backwards in time a product that feeds a ReduceScatter is one that an AllGather feeds.
TEST(CollectiveMatmul, AReduceScatterTakesTheTimeOfItsDual) {
  for (const char* algorithm : {"ring", "bidirectional_ring", "line"})
    for (const int n : {3, 4, 6})
      for (const int chunks : {1, 2, 5})
        for (const std::uint64_t product : {300, 1700, 9000}) {
          const auto time = [&](Operation o) {
            return run({algorithm, o, n, chunks, Bytes(static_cast<std::uint64_t>(60 * n)),
                        Time::picoseconds(product * 60'000 / static_cast<std::uint64_t>(n))},
                       {}, false, {1_GBps, 0_ns});
          };
          const double a = time(Operation::all_gather).seconds(), b = time(Operation::reduce_scatter).seconds();
          EXPECT_NEAR(a / b, 1, 1e-3) << algorithm << " " << n << " " << chunks << " " << product;
        }
}

TEST(CollectiveMatmul, ALoopStepCostsTheComputeUnit) {
  Overheads overheads;
  overheads.loop = 6_us;
  for (const int n : {4, 8})  // 43 us a shard: 43 n + 6 (n - 1); 8 us a hop are hidden
    EXPECT_EQ(run({"ring", Operation::all_gather, n, 1, Bytes(static_cast<std::uint64_t>(n) * 8000),
                   static_cast<std::uint64_t>(n) * 43_us},
                  overheads),
              static_cast<std::uint64_t>(n) * 43_us + static_cast<std::uint64_t>(n - 1) * 6_us);
}

// 4 chunks of 1 us of FLOPs or 0.5 us of memory, and 3 us of memory again for each.
TEST(CollectiveMatmul, WhatIsNotCutIsReadForEveryChunk) {
  const ChunkedProduct product{4_us, 2_us, 3_us};
  EXPECT_EQ(product.of_chunk(1, 4, ChipId{0}), 3500_ns);
  EXPECT_EQ(ChunkedProduct({16_us, 2_us, 3_us}).of_chunk(1, 4, ChipId{0}), 4_us);
  const ChunkedProduct slow{4_us, 2_us, 3_us, std::make_shared<const std::vector<Ratio>>(std::vector<Ratio>{{1, 2}})};
  EXPECT_EQ(slow.of_chunk(1, 4, ChipId{0}), 7_us);
}

TEST(CollectiveMatmul, FoldedItTakesTheSameTime) {
  for (const Operation o : {Operation::all_gather, Operation::reduce_scatter})
    for (const char* algorithm : {"ring", "bidirectional_ring"}) {
      const Case c{algorithm, o, 8, 3, 24_KiB, 17_us};
      EXPECT_EQ(run(c), run(c, {}, true)) << algorithm;
    }
}

TEST(CollectiveMatmul, TheLaunchHoldsUpMessagesNotTheOwnShard) {
  Overheads overheads;
  overheads.launch = 30_us;
  // 10 us for the own shard, 30 us of launch, 1 us of transfer and 1 ns: then the other one.
  EXPECT_EQ(run({"bidirectional_ring", Operation::all_gather, 2, 1, 2000_B, 20_us}, overheads), 41_us + 1_ns);
}

// A collective on links of its own takes its share of the compute unit from its first message to its last.
TEST(CollectiveMatmul, CommunicationTakesItsShareOfTheComputeUnit) {
  const Shape shape = grid_shape({4}, {true});
  const Request request{.operation = Operation::all_gather, .row = row_along(shape, 0), .bytes = 4000_B};
  const auto schedule =
      std::make_shared<const Schedule>(choose_algorithm("ring", request).schedule(request));  // 3 x 1001 ns
  Overheads overheads;
  overheads.compute_share = {1, 4};
  const auto time = [&](const Program& program, std::uint32_t task) {
    const Fabric fabric = freeze(grid(shape, kLink));
    EventEngine engine(fabric, overheads);
    Machine machine(fabric, engine, overheads);
    machine.run(program);
    return machine.totals()[task].end;
  };
  const Task collective{.work = CollectiveTask{schedule}, .after = {}};
  // Beside it from the start: in 3003 ns it does 2252.25 ns of its work.
  EXPECT_EQ(time({collective, {ComputeTask{10'000_ns}, {}}}, 1), 10'750_ns + 750_ps);
  // It begins 1 us into the product, and ends before it.
  EXPECT_EQ(time({{ComputeTask{1000_ns}, {}},
                  {HostLoadTask{500_ns}, {}},
                  {CollectiveTask{schedule}, {1}},
                  {ComputeTask{9000_ns}, {0}}},
                 3),
            10'750_ns + 751_ps);  // two products, each rounded up
  // Fed by a collective, on many chips: n products of n-1 us of which all but the last are slowed.
  overheads.compute_share = {1, 2};
  EXPECT_EQ(run({"ring", Operation::all_gather, 16, 1, 16'000_B, 16_us}, overheads, false, {1_GBps, 0_ns}),
            15_us + (16_us - 7'500_ns));
  overheads.compute_share = {1, 4};
  // Two at once take no more than one; nothing is taken without any.
  EXPECT_EQ(time({collective, collective, {ComputeTask{4000_ns}, {}}}, 2), 5333_ns + 334_ps);
  EXPECT_EQ(time({collective, {ComputeTask{4000_ns}, {0}}}, 1), 7003_ns);
}

}  // namespace
}  // namespace hopsim::testing

// AllGather and ReduceScatter along one axis. Expected times are the Scaling Book's formulas, computed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;  // one way
constexpr double kHop = 1e-6;

Request request(Operation op, const Shape& shape, Bytes bytes, int chunks = 1, bool book = false, int dimension = 0) {
  return {.operation = op, .row = row_along(shape, dimension), .bytes = bytes, .chunks = chunks, .book = book};
}

void expect_close(double value, double expected, double relative = 1e-3) {
  EXPECT_NEAR(value / expected, 1, relative) << value << " against " << expected;
}

struct BothOperations : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(Rings, BothOperations, ::testing::Values(Operation::all_gather, Operation::reduce_scatter));

struct EveryOperation : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(Rings, EveryOperation,
                         ::testing::Values(Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce,
                                           Operation::all_to_all));

TEST_P(BothOperations, LineOfFourTakesThreeHopsOfAShard) {
  const Shape s = box({8, 4}, false);
  const double v = 2.0 * 2048 * 8192;
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 25), 1, false, 1)), 3 * (v / 4 / kW + kHop));
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 17), 1, false, 1)),
               3 * (131072.0 / 4 / kW + kHop));
}

TEST_P(BothOperations, EvenRingHalvesTheAntipodalShardUnlessByTheBook) {
  const Shape s = box({4, 4, 4});
  const double v = 2.0 * 1024 * 4096 / 4;
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 21))), v * 3 / 4 / (2 * kW) + 2 * kHop);
  expect_close(seconds(s, "auto", request(GetParam(), s, Bytes(1 << 21), 1, true)), v / (2 * kW) + 2 * kHop);
}

TEST_P(BothOperations, OddRings) {
  for (const int n : {3, 5, 7, 9, 13}) {
    const Shape s = box({n});
    const double v = 1 << 30;
    expect_close(seconds(s, "bidirectional_ring", request(GetParam(), s, 1_GiB)),
                 v * (n - 1) / n / (2 * kW) + (n - 1) / 2 * kHop);
  }
}

TEST_P(BothOperations, OneWayTakesTwiceAsLong) {
  for (const int n : {3, 4, 7, 16}) {
    const Shape s = box({n});
    expect_close(seconds(s, "ring", request(GetParam(), s, 1_GiB)),
                 double(1 << 30) * (n - 1) / n / kW + (n - 1) * kHop);
  }
}

// Fine chunks hide all latency but one hop's where bandwidth binds, and all bandwidth where latency binds: both laws
// emerge, neither is coded.
TEST_P(BothOperations, ChunksTurnTheSumIntoTheMaximum) {
  const Shape s = box({16});
  const LinkModel slow{45_GBps, 20_us};
  const double v = 1 << 30;
  expect_close(seconds(s, "auto", request(GetParam(), s, 1_GiB, 64), slow), v * 15 / 16 / (2 * kW) + 20e-6, 5e-3);
  expect_close(seconds(s, "auto", request(GetParam(), s, 64_KiB, 64)), 8 * kHop, 0.1);
}

TEST_P(BothOperations, TwoChipsUseTheirOneLinkEachWay) {
  for (const char* algorithm : {"auto", "line", "ring", "bidirectional_ring"}) {
    const Shape s = box({2});
    expect_close(seconds(s, algorithm, request(GetParam(), s, 1_GiB)), double(1 << 29) / kW + kHop);
  }
}

// Every algorithm, size and chunk count: proven, never below the bound, no slower when an instant's events are
// shuffled.
TEST_P(EveryOperation, IsProvenOnEverySize) {
  for (const bool wrap : {true, false})
    for (int n = 2; n <= 17; ++n)
      for (const int chunks : {1, 2, 3, 4})
        for (const bool book : {false, true})
          for (const Algorithm& a : algorithms()) {
            const Shape s = box({n}, wrap);
            const Request r = request(GetParam(), s, Bytes(1'000'003), chunks, book);
            if (!a.obstacle(r).empty()) continue;
            SCOPED_TRACE(std::string(a.name) + " n " + std::to_string(n) + " chunks " + std::to_string(chunks));
            const auto schedule = schedule_of(a.name, r);
            ASSERT_NO_THROW(prove(s, r, *schedule));
            const Ran ran = run_schedule(s, schedule);
            EXPECT_GE(ran.time, lower_bound(freeze(grid(s, kIci)), r));
            EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 7).time, ran.time);
          }
}

// Every AllGather's moves reversed are a ReduceScatter, in the same time to the picosecond; but where messages meet
// on links, as those of recursive doubling do: the first to come is served first both ways.
TEST(Rings, ReversedAnAllGatherTakesTheSameTime) {
  for (const bool wrap : {true, false})
    for (int n = 2; n <= 12; ++n)
      for (const int chunks : {1, 2, 3, 5, 8})
        for (const Bytes bytes : {64_KiB, Bytes(1'000'003), 1_GiB})
          for (const bool book : {false, true})
            for (const Algorithm& a : algorithms()) {
              const Shape s = box({n}, wrap);
              Request r = request(Operation::all_gather, s, bytes, chunks, book);
              if (a.name == "recursive_doubling" || a.name == "halving_doubling") continue;
              if (!a.obstacle(r).empty()) continue;
              const Time gather = run_schedule(s, schedule_of(a.name, r)).time;
              r.operation = Operation::reduce_scatter;
              EXPECT_EQ(run_schedule(s, schedule_of(a.name, r)).time, gather)
                  << a.name << " n " << n << " chunks " << chunks << " bytes " << bytes.count();
            }
}

TEST(Rings, RowsOfABoxRunAtOnceAndAreProven) {
  const Shape s = grid_shape({4, 3, 5}, {true, false, true});
  for (int d = 0; d < 3; ++d)
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter}) {
      const Request r = request(op, s, 1_MiB, 2, false, d);
      const auto schedule = schedule_of("auto", r);
      EXPECT_NO_THROW(prove(s, r, *schedule));
    }
}

TEST(Rings, AllReduceIsAReduceScatterThenAnAllGather) {
  const Shape s = box({4, 4, 4});
  const double v = 512 * 1024;
  expect_close(seconds(s, "auto", request(Operation::all_reduce, s, 512_KiB, 1, false, 2)),
               2 * v * 3 / 4 / (2 * kW) + 4 * kHop);
  expect_close(seconds(s, "auto", request(Operation::all_reduce, s, 512_KiB, 1, true, 2)),
               2 * v / (2 * kW) + 4 * kHop);
  expect_close(seconds(box({4}, false), "auto", request(Operation::all_reduce, box({4}, false), 1_GiB)),
               2 * double(1 << 30) * 3 / 4 / kW, 1e-3);
  expect_close(seconds(box({5}), "ring", request(Operation::all_reduce, box({5}), 1_GiB)),
               2 * double(1 << 30) * 4 / 5 / kW, 1e-3);
}

// Scaling Book ch. 3: V/(4W) on a ring; on a line the middle link carries floor(n^2/4) blocks of V/n^2.
TEST(Rings, AllToAllLoadsTheBusiestLinkAsTheBookCounts) {
  const double v = 1 << 30;
  for (const int n : {4, 8, 16})
    expect_close(seconds(box({n}), "auto", request(Operation::all_to_all, box({n}), 1_GiB)), v / (8 * kW), 5e-3);
  for (const int n : {5, 7})
    expect_close(seconds(box({n}), "auto", request(Operation::all_to_all, box({n}), 1_GiB)),
                 v * (1 - 1.0 / n / n) / (8 * kW), 5e-3);
  for (const int n : {2, 4, 5, 8, 16}) {
    const Shape line = box({n}, false);
    expect_close(seconds(line, "auto", request(Operation::all_to_all, line, 1_GiB)), v * (n * n / 4) / n / n / kW,
                 5e-3);
  }
  for (const int n : {4, 7})
    expect_close(seconds(box({n}), "ring", request(Operation::all_to_all, box({n}), 1_GiB)),
                 v * (n - 1) / (2 * n) / kW, 5e-3);
}

TEST(Rings, MessagesAreCutThroughAlongALine) {
  const Shape line = box({7}, false);
  Request r = request(Operation::send_recv, line, 16_MiB);
  r.pairs = {{0, 6}};
  const auto schedule = schedule_of("auto", r);
  EXPECT_NO_THROW(prove(line, r, *schedule));
  expect_close(run_schedule(line, schedule).time.seconds(), double(1 << 24) / kW + 6 * kHop);
}

TEST(Rings, PermutationsShareLinks) {
  for (const bool wrap : {true, false})
    for (const int n : {2, 3, 6, 8})
      for (int shift = -n; shift <= n; ++shift) {
        const Shape s = box({n}, wrap);
        Request r = request(Operation::collective_permute, s, Bytes(1'000'001), 2);
        for (int p = 0; p < n; ++p) r.pairs.emplace_back(p, ((p + shift) % n + n) % n);
        SCOPED_TRACE(std::to_string(n) + (wrap ? " ring " : " line ") + std::to_string(shift));
        const auto schedule = schedule_of("auto", r);
        ASSERT_NO_THROW(prove(s, r, *schedule));
        EXPECT_GE(run_schedule(s, schedule).time, lower_bound(freeze(grid(s, kIci)), r));
      }
  // Three steps round a ring of 8: every link carries three messages.
  const Shape ring = box({8});
  Request r = request(Operation::collective_permute, ring, 1_GiB);
  for (int p = 0; p < 8; ++p) r.pairs.emplace_back(p, (p + 3) % 8);
  expect_close(seconds(ring, "auto", r), 3 * double(1 << 30) / kW);
  // Four steps: half either way, two messages' worth on each link.
  for (auto& [from, to] : r.pairs) to = (from + 4) % 8;
  expect_close(seconds(ring, "auto", r), 2 * double(1 << 30) / kW);
}

// A 4-chip axis on a 2x2 block is a ring of one-hop edges. Row by row its edges (0,1)-(1,0) and (1,1)-(0,0) are two
// hops, x then y: both ways round, link (1,0)->(1,1) then carries its own edge's shards and those of (0,0)->(1,1).
TEST(Rings, AnAxisOverABlockRunsAsARing) {
  const Shape block = box({2, 2}, false);
  Request r{.operation = Operation::all_gather, .row = row_over(block, {0, 1}, RowOrder::ring), .bytes = 1_GiB};
  const std::vector<std::pair<int, int>> around{{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  for (int p = 0; p < 4; ++p) {
    EXPECT_EQ(r.row->at(p)[0], around[static_cast<std::size_t>(p)].first);
    EXPECT_EQ(r.row->at(p)[1], around[static_cast<std::size_t>(p)].second);
    EXPECT_EQ(r.row->way(r.row->at(p), 1).hops(), 1);
  }
  const double v = 1 << 30;
  expect_close(seconds(block, "auto", r), v * 3 / 4 / (2 * kW) + 2 * kHop);
  EXPECT_NO_THROW(prove(block, r, *schedule_of("auto", r)));
  r.row = row_over(block, {0, 1}, RowOrder::rows);
  EXPECT_NO_THROW(prove(block, r, *schedule_of("auto", r)));
  expect_close(seconds(block, "auto", r), 2 * v * 3 / 4 / (2 * kW), 0.01);
}

TEST(Rings, RowsOverBoxesVisitEveryChipByOneHop) {
  for (const std::vector<int>& size : std::vector<std::vector<int>>{
           {2, 2}, {2, 3}, {3, 2}, {4, 4}, {4, 5}, {3, 3}, {2, 3, 3}, {3, 3, 2}, {4, 4, 4}}) {
    const Shape s = box(size, false);
    std::vector<int> dims;
    for (int d = 0; d < s.dimensions; ++d) dims.push_back(d);
    const RowPtr row = row_over(s, dims, RowOrder::ring);
    const bool even = s.chips() % 2 == 0;
    EXPECT_EQ(row->wraps(), even);
    for (int p = 0; p + (even ? 0 : 1) < row->size(); ++p) {
      EXPECT_EQ(row->way(row->at(p), 1).hops(), 1) << p;
      EXPECT_EQ(row->position(row->at(p)), p);
    }
  }
}

TEST(Rings, RefuseWhatTheyCannotDo) {
  const Shape line = box({6}, false);
  EXPECT_THROW(choose_algorithm("ring", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("bidirectional_ring", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("tree_of_life", request(Operation::all_gather, line, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("line", request(Operation::all_gather, line, Bytes(12), 3)), InputError);
}

}  // namespace
}  // namespace hopsim::testing

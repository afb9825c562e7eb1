// Broadcast, reduce, gather and scatter along chains and through trees. Expected times are pipelines' laws, computed
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "collectives/tree.hpp"
#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9, kHop = 1e-6;

Request over(Operation op, const Shape& s, Bytes bytes, int root = 0, int chunks = 1) {
  std::vector<int> dims(static_cast<std::size_t>(s.dimensions));
  std::iota(dims.begin(), dims.end(), 0);
  const RowPtr row = s.dimensions == 1 ? row_along(s, 0) : row_over(s, dims, RowOrder::ring);
  return {.operation = op, .row = row, .bytes = bytes, .chunks = chunks, .root = root};
}

struct CastOrReduce : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(Rooted, CastOrReduce, ::testing::Values(Operation::broadcast, Operation::reduce));

// k pieces over n - 1 hops: the first takes (n - 1) of V/(kW) + latency, the others follow one by one.
TEST_P(CastOrReduce, ARingIsAPipeline) {
  const double v = 1 << 24;
  for (const int n : {3, 4, 8})
    for (const int k : {1, 4, 64})
      EXPECT_NEAR(seconds(box({n}), "ring", over(GetParam(), box({n}), 16_MiB, n / 2, k)),
                  (n - 1) * (v / k / kW + kHop) + (k - 1) * v / k / kW, 1e-9);
}

TEST_P(CastOrReduce, BothWaysRoundEachHalf) {
  const double v = 1 << 24;
  for (const int n : {3, 4, 8})
    for (const int k : {1, 4, 64})
      EXPECT_NEAR(seconds(box({n}), "bidirectional_ring", over(GetParam(), box({n}), 16_MiB, 1, k)),
                  (n - 1) * (v / 2 / k / kW + kHop) + (k - 1) * v / 2 / k / kW, 1e-9);
}

TEST_P(CastOrReduce, ALineGoesBothWaysFromTheRoot) {
  const double v = 1 << 24;
  for (const bool wrap : {false, true})
    for (const int root : {0, 2, 7}) {
      const Shape s = box({8}, wrap);
      const int reach = std::max(root, 7 - root), k = 16;
      EXPECT_NEAR(seconds(s, "line", over(GetParam(), s, 16_MiB, root, k)),
                  reach * (v / k / kW + kHop) + (k - 1) * v / k / kW, 1e-9);
    }
}

// By their own chunks they come near what the root's links can send.
TEST_P(CastOrReduce, OwnChunksHideTheFilling) {
  const Shape ring = box({16});
  EXPECT_NEAR(seconds(ring, "bidirectional_ring", over(GetParam(), ring, 1_GiB, 3, 0)) / (double(1 << 30) / (2 * kW)),
              1, 0.02);
  Switched node(switched(grid_shape({8}, {false}), kIci, false));
  node.wiring.kind = Wiring::Kind::switched;
  node.wiring.link = kIci;
  EXPECT_NEAR(node.seconds("double_binary_tree", node.over_all(GetParam(), 1_GiB)) / (double(1 << 30) / kW), 1, 0.03);
  EXPECT_NEAR(node.seconds("ring", node.over_all(GetParam(), 1_GiB)) / (double(1 << 30) / kW), 1, 0.03);
}

// Over a switch: ceil(log2 n) arrays over the root's link, and two hops a level.
TEST_P(CastOrReduce, ABinomialTreeTakesLogRounds) {
  for (const auto& [n, rounds, deep] : {std::tuple{2, 1, 1}, {3, 2, 1}, {4, 2, 2}, {8, 3, 3}, {16, 4, 4}}) {
    Switched node(switched(grid_shape({n}, {false}), kIci, false));
    node.wiring.kind = Wiring::Kind::switched;
    Request r = node.over_all(GetParam(), 64_B, 1);
    EXPECT_NEAR(node.seconds("binomial_tree", r), deep * 2e-6, 0.02e-6 * rounds) << n;
    r.bytes = 16_MiB;
    EXPECT_NEAR(node.seconds("binomial_tree", r) / (rounds * (double(1 << 24) / kW)), 1, 0.02) << n;
  }
}

TEST(Trees, ADoubleBinaryAllReduceSendsTheArrayTwice) {
  for (const int n : {2, 3, 4, 7, 8}) {
    Switched node(switched(grid_shape({n}, {false}), kIci, false));
    node.wiring.kind = Wiring::Kind::switched;
    node.wiring.link = kIci;
    const double t = node.seconds("double_binary_tree", node.over_all(Operation::all_reduce, 1_GiB));
    EXPECT_LT(t / (2 * double(1 << 30) / kW), 1.06) << n;
  }
}

struct DealOrCollect : ::testing::TestWithParam<Operation> {};
INSTANTIATE_TEST_SUITE_P(Rooted, DealOrCollect, ::testing::Values(Operation::scatter, Operation::gather));

// The root's link carries n - 1 blocks one way round, or half of them. A block d hops away is the (n - d)-th to
// leave, and is passed on d - 1 times: (n - 1) blocks and d hops.
TEST_P(DealOrCollect, ChainsKeepTheRootsLinksBusy) {
  const double v = 1 << 26;
  for (const int n : {3, 4, 8}) {
    const Shape s = box({n});
    EXPECT_NEAR(seconds(s, "ring", over(GetParam(), s, 64_MiB, 1)), v * (n - 1) / n / kW + (n - 1) * kHop, 1e-9);
    EXPECT_NEAR(seconds(s, "bidirectional_ring", over(GetParam(), s, 64_MiB, 1)) / (v * (n - 1) / n / 2 / kW), 1,
                0.02);
    const Shape line = box({n}, false);
    EXPECT_NEAR(seconds(line, "line", over(GetParam(), line, 64_MiB, 0)), v * (n - 1) / n / kW + (n - 1) * kHop,
                1e-9);
  }
}

TEST_P(DealOrCollect, ABinomialTreeHalvesWhatIsLeft) {
  Switched node(switched(grid_shape({8}, {false}), kIci, false));
  node.wiring.kind = Wiring::Kind::switched;
  // 4, 2 and 1 blocks one after another, to the far end: 7/8 of V, and three messages' hops.
  EXPECT_NEAR(node.seconds("binomial_tree", node.over_all(GetParam(), 64_MiB, 1)),
              double(1 << 26) * 7 / 8 / kW + 6e-6, 1e-9);
}

TEST(Rooted, EveryAlgorithmIsProvenFromEveryRoot) {
  const std::vector<Shape> shapes{box({2}),        box({3}),    box({4}),          box({7}),
                                  box({8}, false), box({4, 4}), box({3, 3}, false)};
  for (const Shape& s : shapes) {
    const Fabric fabric = freeze(grid(s, kIci));
    for (const Algorithm& a : algorithms())
      for (const Operation op : {Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter})
        for (const int root : {0, 1, static_cast<int>(s.chips()) - 1})
          for (const int chunks : {1, 3}) {
            const Request r = over(op, s, Bytes(10'007), root, chunks);
            if (!a.obstacle(r).empty()) continue;
            SCOPED_TRACE(std::string(a.name) + " " + std::string(title(op)) + " root " + std::to_string(root));
            const auto schedule = schedule_of(a.name, r);
            for (std::uint64_t seed = 1; seed <= 2; ++seed) ASSERT_NO_THROW(prove(s, r, *schedule, seed));
            const Ran ran = run_schedule(s, schedule);
            EXPECT_GE(ran.time, lower_bound(fabric, r));
            EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 5).time, ran.time);
          }
  }
}

TEST(Rooted, AllReduceByTreesIsProven) {
  for (int n = 1; n <= 17; ++n)
    for (const char* name : {"binomial_tree", "double_binary_tree"})
      for (const int chunks : {1, 2, 5}) {
        const Shape s = box({n}, false);
        const Request r = over(Operation::all_reduce, s, Bytes(10'007), 0, chunks);
        if (n < 2 && std::string_view(name) != "binomial_tree") continue;
        const auto schedule = schedule_of(name, r);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) ASSERT_NO_THROW(prove(s, r, *schedule, seed)) << name << n;
        EXPECT_GE(run_schedule(s, schedule).time, lower_bound(freeze(grid(s, kIci)), r));
      }
}

// Reversed, a broadcast's moves are a reduce and a scatter's a gather: proven as such, and in the same picoseconds
// along chains and for direct messages, on every row; through a binomial tree, in one piece, over a switch or links
// of their own. (Elsewhere messages of a tree meet on links, where the first to come is served first, both ways.)
Schedule mirrored(const Request& r, std::string_view name) {
  const Request forwards = over(r.operation == Operation::reduce ? Operation::broadcast : Operation::scatter,
                                r.row->shape(), r.bytes, r.root, r.chunks);
  const Schedule s = choose_algorithm(name, forwards).schedule(forwards);
  return r.operation == Operation::reduce ? reversed(s) : gather_of(s);
}

TEST(Reversal, ChainsAndDirectMessagesTakeTheSameTime) {
  for (const Shape& s : {box({2}), box({5}), box({8}), box({7}, false), box({4, 4}), box({3, 5}, false)})
    for (const char* name : {"ring", "bidirectional_ring", "line", "direct"})
      for (const Operation op : {Operation::reduce, Operation::gather})
        for (const int root : {0, 1})
          for (const int chunks : {1, 4}) {
            Request r = over(op, s, Bytes(1'000'003), root, chunks);
            const auto all = algorithms();
            const auto a = std::find_if(all.begin(), all.end(), [&](const Algorithm& x) { return x.name == name; });
            if (!a->obstacle(r).empty()) continue;
            SCOPED_TRACE(std::string(name) + " " + std::string(title(op)));
            const auto backwards = std::make_shared<const Schedule>(mirrored(r, name));
            ASSERT_NO_THROW(prove(s, r, *backwards));
            r.operation = op == Operation::reduce ? Operation::broadcast : Operation::scatter;
            EXPECT_EQ(run_schedule(s, backwards).time, run_schedule(s, schedule_of(name, r)).time);
          }
}

TEST(Reversal, BinomialTreesOverASwitchTakeTheSameTime) {
  for (int n = 2; n <= 17; ++n)
    for (const bool direct : {false, true}) {
      const Shape line = grid_shape({n}, {false});
      Switched node(direct ? fully_connected(line, kIci) : switched(line, kIci, false));
      node.wiring.kind = direct ? Wiring::Kind::direct : Wiring::Kind::switched;
      for (const Bytes bytes : {100_B, 1_MiB})
        for (const auto& [there, back] :
             {std::pair{Operation::broadcast, Operation::reduce}, std::pair{Operation::scatter, Operation::gather}})
          EXPECT_EQ(node.run(schedule_of("binomial_tree", node.over_all(there, bytes, 1))).time,
                    node.run(schedule_of("binomial_tree", node.over_all(back, bytes, 1))).time)
              << n << title(there);
    }
}

TEST(Trees, NoChipButTheRootHasChildrenInBoth) {
  for (int n = 2; n <= 70; ++n) {
    const auto trees = double_binary(n);
    ASSERT_EQ(trees.size(), 2u);
    int depth = 0;
    for (int m = n - 1; m > 0; m /= 2) ++depth;  // levels below the root
    for (const Tree& t : trees) {
      EXPECT_LE(t.depth(), depth) << n;
      EXPECT_EQ(t.children[0].size(), 1u);
      for (const auto& below : t.children) EXPECT_LE(below.size(), 2u);
      EXPECT_EQ(std::count(t.parent.begin(), t.parent.end(), -1), 1);
    }
    for (std::size_t v = 1; v < static_cast<std::size_t>(n); ++v)
      EXPECT_TRUE(trees[0].children[v].empty() || trees[1].children[v].empty()) << n << " " << v;
  }
}

TEST(Trees, RefuseWhatTheyCannotDo) {
  const Shape s = box({8});
  EXPECT_THROW(choose_algorithm("double_binary_tree", over(Operation::gather, s, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("binomial_tree", over(Operation::all_gather, s, 1_MiB)), InputError);
  EXPECT_THROW(choose_algorithm("binomial_tree", over(Operation::scatter, s, 1_MiB, 0, 2)), InputError);
  EXPECT_THROW(choose_algorithm("ring", over(Operation::broadcast, s, 16_B, 0, 17)), InputError);
}

}  // namespace
}  // namespace hopsim::testing

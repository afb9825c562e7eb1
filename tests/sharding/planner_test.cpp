// What the planner offers, against ways and costs worked out by hand.
#include "sharding/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/error.hpp"

namespace hopsim {
namespace {

// The book's rings at a byte a picosecond: V over the number of axes, twice that for an AllReduce, a quarter for an
// AllToAll. A multiplication and an addition take `flop` picoseconds together.
struct BookCosts : StepCosts {
  std::uint64_t flop = 0;
  Time collective(const ResolvedCollective& c) const override {
    const std::uint64_t v = c.bytes.count() / c.axes.size();
    const std::uint64_t quarters = c.kind == CollectiveKind::all_reduce   ? 8
                                   : c.kind == CollectiveKind::all_to_all ? 1
                                                                          : 4;
    return Time::picoseconds(v * quarters / 4);
  }
  Time product(const LocalProduct& p) const override {
    return Time::picoseconds(static_cast<std::uint64_t>(p.flops.value()) / 2 * flop);
  }
};

Product product(const std::string& line, const Mesh& mesh, const Sizes& sizes) {
  return resolve_product(std::get<Matmul>(parse(line, mesh.names())), {mesh, sizes, DType::bf16, {}});
}

const Strategy* find(const Strategies& s, const std::string& name) {
  const auto found = std::find_if(s.list.begin(), s.list.end(), [&](const Strategy& x) { return x.name == name; });
  return found == s.list.end() ? nullptr : &*found;
}

std::vector<std::string> lines(const Strategy& s) {
  std::vector<std::string> lines;
  for (const StrategyStep& step : s.steps) lines.push_back(line(step));
  return lines;
}

std::vector<std::string> plain_names(const Strategies& s, bool as_asked) {
  std::vector<std::string> names;
  for (const Strategy& x : s.list)
    if (x.plain && x.as_asked == as_asked) names.push_back(x.name);
  return names;
}

const Sizes kSizes{{"I", 8}, {"J", 16}, {"K", 4}};

// A[I, J] is 8 x 16 x 2 = 256 B, C[I, K] is 64 B: gathering A costs 256, adding up C twice 64.
TEST(Planner, CaseTwoBothWays) {
  const Mesh mesh({{"X", 4}});
  const Strategies s = product_strategies(product("C[I, K] = A[I, J_X] * B[J, K]", mesh, kSizes), mesh, BookCosts());
  EXPECT_THAT(plain_names(s, true),
              ::testing::ElementsAre("slice B over X along J, partial sums, AllReduce over X", "gather A over X"));
  EXPECT_THAT(plain_names(s, false),
              ::testing::UnorderedElementsAre("slice B over X along J, partial sums, ReduceScatter over X along I",
                                              "slice B over X along J, partial sums, ReduceScatter over X along K"));
  const Strategy* gather = find(s, "gather A over X");
  ASSERT_NE(gather, nullptr);
  EXPECT_EQ(gather->estimate.ps(), 256u);
  EXPECT_FALSE(gather->partial);
  // A's quarter, B, the gathered A, C
  EXPECT_EQ(gather->bytes_per_chip.count(), 64u + 128 + 256 + 64);
  const Strategy* partial = find(s, "slice B over X along J, partial sums, AllReduce over X");
  ASSERT_NE(partial, nullptr);
  EXPECT_EQ(partial->estimate.ps(), 128u);
  EXPECT_TRUE(partial->partial);
  EXPECT_THAT(lines(*partial),
              ::testing::ElementsAre("B[J_X, K] = Slice_X,J(B[J, K])", "C[I, K]{U_X} = A[I, J_X] * B[J_X, K]",
                                     "C[I, K] = AllReduce_X(C[I, K]{U_X})"));
  const Strategy* scatter = find(s, "slice B over X along J, partial sums, ReduceScatter over X along I");
  EXPECT_EQ(scatter->estimate.ps(), 64u);
  EXPECT_EQ(sharding_text(scatter->output), "C[I_X, K]");
}

TEST(Planner, AnArrayThatIsBothOperandsIsHeldOnce) {
  const Mesh mesh({{"X", 4}});
  const ArrayRef a = with_sizes(parse_array("bf16 A[I_X=64, J=32]", mesh.names()), {});
  EXPECT_EQ(held_bytes({}, {a, a}, mesh).count(), 16u * 32 * 2);
}

TEST(Planner, CaseFourIsRepairedByGatheringEither) {
  const Mesh mesh({{"X", 4}});
  const Strategies s = product_strategies(product("A[I_X, J] * B[J, K_X]", mesh, kSizes), mesh, BookCosts());
  const Strategy *a = find(s, "gather A over X"), *b = find(s, "gather B over X");
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(sharding_text(a->output), "C[I, K_X]");
  EXPECT_EQ(a->estimate.ps(), 256u);
  EXPECT_EQ(sharding_text(b->output), "C[I_X, K]");
  EXPECT_EQ(b->estimate.ps(), 128u);  // 16 x 4 x 2
  EXPECT_TRUE(a->plain && b->plain && a->as_asked && b->as_asked);
}

// FSDP: the weights are gathered; no plain way splits what was not.
TEST(Planner, CaseOneNeedsNothing) {
  const Mesh mesh({{"X", 2}, {"Y", 2}});
  const Strategies s = product_strategies(product("A[I_X, J] * B[J, K_Y]", mesh, kSizes), mesh, BookCosts());
  EXPECT_EQ(s.list.front().name, "as it stands");
  EXPECT_EQ(sharding_text(s.list.front().output), "C[I_X, K_Y]");
  EXPECT_EQ(s.list.front().steps.size(), 1u);
}

// "How to Scale Your Model", chapter 3, question 2: an axis over which the array is replicated helps to gather it.
TEST(Planner, AnIdleAxisHelpsToGather) {
  const Mesh mesh({{"X", 4}, {"Y", 4}, {"Z", 4}});
  const Sizes sizes{{"B", 1024}, {"D", 4096}};
  const auto sized = [&](const char* text) {
    ArrayRef a = with_sizes(parse_array(text, mesh.names()), sizes);
    a.dtype = DType::bf16;
    return a;
  };
  const Strategies s = resharding_strategies(sized("A[B_X, D_Y]"), sized("A[B, D_Y]"), mesh, BookCosts());
  ASSERT_EQ(s.list.size(), 2u);
  // V = 2 x 1024 x 4096 / 4, over two axes
  EXPECT_THAT(lines(s.list[0]), ::testing::ElementsAre("A[B_XZ, D_Y] = Slice_Z,B(A[B_X, D_Y])",
                                                       "A[B, D_Y] = AllGather_XZ(A[B_XZ, D_Y])"));
  EXPECT_EQ(s.list[0].estimate.ps(), 2u * 1024 * 4096 / 4 / 2);
  EXPECT_FALSE(s.list[0].plain);
  EXPECT_THAT(lines(s.list[1]), ::testing::ElementsAre("A[B, D_Y] = AllGather_X(A[B_X, D_Y])"));
  EXPECT_EQ(s.list[1].estimate.ps(), 2u * 1024 * 4096 / 4);
  EXPECT_TRUE(s.list[1].plain);
}

// 5 elements over 2 x 2: blocks of 2, 2, 1, 0 over XY, but of 3 and 2 over X. So Y cannot be gathered by itself.
TEST(Planner, BlocksThatDoNotLineUpAreGatheredWhole) {
  const Mesh mesh({{"X", 2}, {"Y", 2}});
  const auto sized = [&](const char* text) {
    ArrayRef a = with_sizes(parse_array(text, mesh.names()), {{"I", 5}});
    a.dtype = DType::bf16;
    return a;
  };
  const Strategies s = resharding_strategies(sized("A[I_XY]"), sized("A[I_X]"), mesh, BookCosts());
  for (const Strategy& way : s.list)
    EXPECT_THAT(lines(way), ::testing::ElementsAre("A[I] = AllGather_XY(A[I_XY])", "A[I_X] = Slice_X,I(A[I])"));
}

// Chapter 3's fastest product with a whole result: the output sharded over everything, then gathered over three axes.
// Sharded over the contraction instead, the sums cost twice as much; not at all, all the work.
TEST(Planner, LayoutsForAWholeResult) {
  const Mesh mesh({{"X", 4}, {"Y", 4}, {"Z", 4}});
  BookCosts costs;
  costs.flop = 1;
  const Sizes sizes{{"I", 256}, {"J", 256}, {"K", 256}};
  const Strategies s = layout_strategies(product("C[I, K] = A[I, J] * B[J, K]", mesh, sizes), mesh, costs);
  const std::uint64_t work = 256ull * 256 * 256 / 64, gather = 2ull * 256 * 256 / 3;
  EXPECT_EQ(s.list.front().estimate.ps(), work + gather);
  EXPECT_FALSE(s.list.front().partial);
  EXPECT_EQ(std::get<LocalProduct>(s.list.front().steps.front()).flops.value(), 2.0 * work);
  EXPECT_EQ(sharding_text(s.list.front().output), "C[I, K]");
}

// With J split, a chip holds 64 B of A, 32 of B, 64 of partial sums and 16 of C: 176 in all. It costs an exchange;
// the ways that need none hold all of A or of B, and 208 or more.
TEST(Planner, TheShortlistHoldsWhatFits) {
  const Mesh mesh({{"X", 4}});
  const Strategies s = layout_strategies(product("C[I, ?] = A[I, J] * B[J, K]", mesh, kSizes), mesh, BookCosts(),
                                         {.most = 1, .memory = Bytes(176)});
  EXPECT_TRUE(
      std::any_of(s.list.begin(), s.list.end(), [](const Strategy& x) { return x.bytes_per_chip == Bytes(176); }));
}

TEST(Planner, NoWayMakesPartialSumsOfAWholeArray) {
  const Mesh mesh({{"X", 4}});
  ArrayRef whole = with_sizes(parse_array("A[I]", mesh.names()), kSizes);
  whole.dtype = DType::bf16;
  ArrayRef sums = whole;
  sums.unreduced = {"X"};
  EXPECT_THROW(resharding_strategies(whole, sums, mesh, BookCosts()), InputError);
}

}  // namespace
}  // namespace hopsim

// Which steps of two programs pair up, by hand.
#include "tools/compare/align.hpp"

#include <gmock/gmock.h>

namespace hopsim {
namespace {

using testing::SizeIs;

// A program a word: each letter a step whose text it is, on a line of its own; small ones are collectives, large ones
// products, '|' is a barrier.
std::vector<StepName> program(const std::string& word) {
  std::vector<StepName> steps;
  for (const char c : word)
    steps.push_back({static_cast<int>(steps.size()) + 1, std::string(1, c),
                     c == '|'               ? "barrier"
                     : c >= 'a' && c <= 'z' ? "all_gather"
                                            : "matmul"});
  return steps;
}

// "aa -b c-": the steps of A and B that pair up, '-' for none.
std::string aligned(const std::string& a, const std::string& b) {
  std::string text;
  for (const AlignedStep& row : align(program(a), program(b)))
    text += (text.empty() ? "" : " ") + std::string{row.a ? a[*row.a] : '-', row.b ? b[*row.b] : '-'};
  return text;
}

TEST(CompareAlign, WhatIsTheSamePairsUp) {
  EXPECT_EQ(aligned("a|M|b", "a|M|b"), "aa || MM || bb");
  EXPECT_EQ(aligned("", ""), "");
}

TEST(CompareAlign, WhatOnlyOneHasStandsAlone) {
  EXPECT_EQ(aligned("aMb", "aM"), "aa MM b-");
  EXPECT_EQ(aligned("M", "aM"), "-a MM");
  EXPECT_EQ(aligned("aM", ""), "a- M-");
  EXPECT_EQ(aligned("", "M"), "-M");
}

TEST(CompareAlign, StepsThatMovedToAnotherLineStillPairUp) {
  EXPECT_EQ(aligned("M|N|O", "M|P|N|O"), "MM || -P -| NN || OO");
}

// No step of another kind stands for one, and no text is given up for a kind.
TEST(CompareAlign, BetweenThemTheSameOperationWillDo) {
  EXPECT_EQ(aligned("MaN", "MbN"), "MM ab NN");
  EXPECT_EQ(aligned("MaN", "MPN"), "MM a- -P NN");
  EXPECT_EQ(aligned("abM", "Mab"), "-M aa bb M-");
}

// Which of the two products is the same does not depend on the barriers around them.
TEST(CompareAlign, BarriersWeighLittle) { EXPECT_EQ(aligned("|||M", "M|||"), "|- |- |- MM -| -| -|"); }

TEST(CompareAlign, OfEqualsThoseOfOneLine) {
  const auto at = [](int line) { return StepName{line, "a", "all_gather"}; };
  const std::vector<AlignedStep> rows = align({at(7)}, {at(6), at(7), at(8)});
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_FALSE(rows[0].a);
  EXPECT_EQ(rows[1].a, 0u);
  EXPECT_EQ(rows[1].b, 1u);
  EXPECT_FALSE(rows[2].a);
}

// 8000 x 8000 cells are too many: all pair up by their texts, in whatever order.
TEST(CompareAlign, LongProgramsPairUpByTheirTexts) {
  std::vector<StepName> a, b;
  for (int i = 0; i < 8000; ++i) a.push_back({1, std::to_string(i), "matmul"});
  b.assign(a.rbegin(), a.rend());
  const std::vector<AlignedStep> rows = align(a, b);
  ASSERT_THAT(rows, SizeIs(8000));
  for (const AlignedStep& row : rows) {
    ASSERT_TRUE(row.a && row.b);
    EXPECT_EQ(a[*row.a].text, b[*row.b].text);
  }
}

}  // namespace
}  // namespace hopsim

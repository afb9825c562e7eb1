#include "tools/size_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hopsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint64_t> sizes(std::string_view text) {
  std::vector<std::uint64_t> counts;
  for (const auto& bytes : parse_sizes(text, "--bytes")) counts.push_back(bytes.value.count());
  return counts;
}

TEST(SizeList, OneSize) {
  EXPECT_THAT(sizes("4096"), ElementsAre(4096));
  EXPECT_THAT(sizes("1 MiB"), ElementsAre(1 << 20));
  EXPECT_THAT(sizes("0"), ElementsAre(0));
}

TEST(SizeList, AListKeepsItsOrder) { EXPECT_THAT(sizes("1MB, 1KiB,7"), ElementsAre(1000000, 1024, 7)); }

TEST(SizeList, ARangeIncludesItsEndWhereAStepHitsIt) {
  EXPECT_THAT(sizes("1KiB..8KiB*2"), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(sizes("1KiB..8191*2"), ElementsAre(1024, 2048, 4096));
  EXPECT_THAT(sizes("0 .. 3kB + 1 kB"), ElementsAre(0, 1000, 2000, 3000));
  EXPECT_THAT(sizes("0..2999+1kB"), ElementsAre(0, 1000, 2000));
  EXPECT_THAT(sizes("5..5*2"), ElementsAre(5));
}

TEST(SizeList, RangesStandInLists) { EXPECT_THAT(sizes("1,10..100*10,3"), ElementsAre(1, 10, 100, 3)); }

// 2^60 bytes is the largest size there is: the step beyond it must not overflow.
TEST(SizeList, TheLargestRangeEnds) {
  EXPECT_EQ(sizes("1..1024PiB*2").size(), 61u);
  EXPECT_EQ(sizes("1..1024PiB*1152921504606846976").size(), 2u);
}

TEST(SizeList, PlacesCountWithinTheText) {
  const auto list = parse_sizes("1KiB, 2KiB..4KiB*2", "--bytes");
  EXPECT_EQ(list[0].place.str(), "--bytes:1:1");
  EXPECT_EQ(list[2].place.str(), "--bytes:1:7");
}

struct Bad {
  const char* text;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class BadSizeList : public testing::TestWithParam<Bad> {};

TEST_P(BadSizeList, SaysWhatIsWrong) {
  try {
    parse_sizes(GetParam().text, "--bytes");
    FAIL() << "accepted";
  } catch (const PlacedError& e) {
    EXPECT_THAT(e.what(), HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSizeList,
    testing::Values(Bad{"", "--bytes:1:1: no size"}, Bad{"  ", "no size"},
                    Bad{"1KiB,", "--bytes:1:6: an empty place in the list"},
                    Bad{",1KiB", "--bytes:1:1: an empty place"}, Bad{"1KiB,,2KiB", "--bytes:1:6: an empty place"},
                    Bad{"2KiB..1KiB*2", "runs backwards"}, Bad{"2KiB..1KiB+1", "runs backwards"},
                    Bad{"1KiB..2KiB*1", "--bytes:1:12: the range never ends: *1"},
                    Bad{"1KiB..2KiB*0", "never ends: *0"}, Bad{"1KiB..2KiB+0", "never ends: +0"},
                    Bad{"0..1KiB*2", "never ends: it multiplies 0"}, Bad{"1KiB..2KiB", "a range without a step"},
                    Bad{"1KiB..2KiB*", "--bytes:1:12"}, Bad{"1KiB..2KiB*1.5", "--bytes:1:12"},
                    Bad{"..2KiB*2", "--bytes:1:1"}, Bad{"1KiB..*2", "--bytes:1:7"},
                    Bad{"1KiB..2KiB*-2", "--bytes:1:12"}, Bad{"-1", "--bytes:1:1"}, Bad{"12 parsecs", "--bytes:1:1"},
                    Bad{"1..1GiB+1", "more than 10000 sizes"}, Bad{"1..2..3*2", "--bytes:1:4"}));

}  // namespace
}  // namespace hopsim

#include "scenarios/sweep_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::StartsWith;

std::vector<YamlValue> values(const std::string& text) { return sweep_values(test::yaml("k: " + text).items.at(0)); }

std::vector<std::string> texts(const std::string& text) {
  std::vector<std::string> all;
  for (const YamlValue& value : values(text)) all.push_back(flow_text(value));
  return all;
}

TEST(SweepValues, ListsHoldAnything) {
  EXPECT_THAT(texts("[4x4x4, 4x4x8]"), ElementsAre("4x4x4", "4x4x8"));
  EXPECT_THAT(texts("[{X: 4, Y: 8}, [1, 2], true]"), ElementsAre("{X: 4, Y: 8}", "[1, 2]", "true"));
  EXPECT_THAT(texts("['1 .. 3', ../a.graphml]"), ElementsAre("1 .. 3", "../a.graphml"));
}

TEST(SweepValues, RangesTakeTheirEndWhereAStepHitsIt) {
  EXPECT_THAT(texts("1 .. 4"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(texts("1..16+5"), ElementsAre("1", "6", "11", "16"));
  EXPECT_THAT(texts("1 .. 15 + 5"), ElementsAre("1", "6", "11"));
  EXPECT_THAT(texts("-2 .. 1"), ElementsAre("-2", "-1", "0", "1"));
  EXPECT_THAT(texts("7 .. 7"), ElementsAre("7"));
  EXPECT_THAT(texts("512 B .. 4 KiB * 2"), ElementsAre("512 B", "1 KiB", "2 KiB", "4 KiB"));
  EXPECT_EQ(values("1 KiB .. 100 MiB * 2").size(), 17u);  // 2^10 to 2^26
  EXPECT_EQ(values("1 KiB .. 100 MiB * 2").back().text, "64 MiB");
}

// Of a quantity nothing is lost on the way to text and back.
TEST(SweepValues, RangesCountExactly) {
  EXPECT_THAT(texts("1 MB .. 3 MB + 700 kB"), ElementsAre("1 MB", "1700 kB", "2400 kB"));
  EXPECT_THAT(texts("0 B .. 3 B + 1 B"), ElementsAre("0 B", "1 B", "2 B", "3 B"));
  EXPECT_THAT(texts("1 us .. 2 us + 500 ns"), ElementsAre("1 us", "1500 ns", "2 us"));
  EXPECT_THAT(texts("0.5 us .. 8 us * 4"), ElementsAre("500 ns", "2 us", "8 us"));
  EXPECT_THAT(texts("100 Gbit/s .. 400 Gbit/s * 2"), ElementsAre("12500 MB/s", "25 GB/s", "50 GB/s"));
  EXPECT_THAT(texts("100 TFLOP/s .. 200 TFLOP/s * 2"), ElementsAre("100 TFLOP/s", "200 TFLOP/s"));
  EXPECT_THAT(texts("0.1 .. 0.3 + 0.1"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(texts("80% .. 100% + 7.5%"), ElementsAre("80%", "87.5%", "95%"));
  EXPECT_THAT(texts("0.5 .. 2 * 2"), ElementsAre("0.5", "1", "2"));
  EXPECT_THAT(texts("1000000000000 .. 1000000000002"),
              ElementsAre("1000000000000", "1000000000001", "1000000000002"));
}

TEST(SweepValues, RangesStandInLists) {
  EXPECT_THAT(texts("[1 .. 3, 8, 16 .. 64 * 2]"), ElementsAre("1", "2", "3", "8", "16", "32", "64"));
}

// 64 = 2^6: the partitions of 6 into at most three parts.
TEST(SweepValues, AllShapesOfSoManyChips) {
  EXPECT_THAT(texts("all 3-D shapes of 64 chips"),
              ElementsAre("1x1x64", "1x2x32", "1x4x16", "1x8x8", "2x2x16", "2x4x8", "4x4x4"));
  EXPECT_THAT(texts("all 2-D shapes of 12 chips"), ElementsAre("1x12", "2x6", "3x4"));
  EXPECT_THAT(texts("all 1-D shapes of 8 chips"), ElementsAre("8"));
  EXPECT_EQ(values("all 3-D shapes of 512 chips").size(), 12u);
  EXPECT_EQ(values("all 4-D shapes of 1 chips").size(), 1u);
}

TEST(SweepValues, KnowWhereTheyStand) {
  EXPECT_EQ(values("[4x4, 8x8]").at(1).place.str(), "f.yaml:1:10");
  EXPECT_EQ(values("1 .. 8").at(3).place.str(), "f.yaml:1:4");
}

TEST(SweepValues, BadOnesAreRefusedWithTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"4x4", "f.yaml:1:4: k needs a list or a range; got 4x4; valid: a list [4x4x4, 4x4x8], a range"},
      {"{a: 1}", "f.yaml:1:4: k needs a list or a range; got {a: 1}"},
      {"", "f.yaml:1:1: k needs a list or a range; got nothing"},
      {"[]", "f.yaml:1:4: k has no values; got []"},
      {"[1, ~]", "f.yaml:1:8: an empty place in the list"},
      {"8 .. 1", "f.yaml:1:4: the range runs backwards; got 8 .. 1"},
      {"1 KiB .. 1 MiB", "f.yaml:1:4: a range of sizes needs a step; got 1 KiB .. 1 MiB; valid: FIRST .. LAST * 2"},
      {"0.5 .. 1", "f.yaml:1:4: a range of fractions needs a step"},
      {"1 KiB .. 1 us * 2", "f.yaml:1:13: "},
      {"1 KiB .. 1 MiB + 1 us", "f.yaml:1:21: "},
      {"1 KiB .. 1 MiB * 1", "f.yaml:1:21: the range never ends: * 1; got 1; valid: a factor of 2 or more"},
      {"1 KiB .. 1 MiB * x", "f.yaml:1:21: "},
      {"1 KiB .. 1 MiB * 1.5", "f.yaml:1:21: "},
      {"0 .. 8 * 2", "f.yaml:1:4: the range never ends: it multiplies 0"},
      {"0 .. 8 + 0", "f.yaml:1:13: the range never ends: + 0; got 0; valid: a step above 0"},
      {"1 .. ", "f.yaml:1:"},
      {"1 .. 200000",
       "f.yaml:1:4: more than 100000 values of one key; got 1 .. 200000; valid: a larger step, or * 2"},
      {"1 furlong .. 8 furlong * 2", "f.yaml:1:4: unknown unit"},
      {"all 5-D shapes of 64 chips", "f.yaml:1:4: not a family of shapes; got all 5-D"},
      {"all 3-D shapes of many chips", "f.yaml:1:4: not a family of shapes"},
      {"all 3-D shapes of 0 chips", "f.yaml:1:4: "},
      {"all 1-D shapes of 40000 chips", "f.yaml:1:4: no such shape; got all 1-D shapes of 40000 chips"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(error_of([&] { values(text); }), StartsWith(message)) << text;
}

TEST(SweepValues, ThatSayTheSameAreTheSame) {
  const auto same = [](const std::string& a, const std::string& b) {
    return same_value(test::yaml("k: " + a).items.at(0), test::yaml("k: " + b).items.at(0));
  };
  EXPECT_TRUE(same("1 MiB", "1024KiB"));
  EXPECT_TRUE(same("{X: 4}", "{X: 4}"));
  EXPECT_FALSE(same("{X: 4}", "{Y: 4}"));
  EXPECT_FALSE(same("4", "4 B"));
  EXPECT_FALSE(same("ring", "line"));
  EXPECT_FALSE(same("[4]", "4"));
}

}  // namespace
}  // namespace hopsim

// Interval sets against a bitmap of unit steps.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sim/activity.hpp"

namespace hopsim {
namespace {

using namespace literals;

constexpr std::uint64_t kSteps = 300;

struct Bitmap {
  std::vector<bool> busy = std::vector<bool>(kSteps);
  void add(std::uint64_t start, std::uint64_t end) {
    for (std::uint64_t t = start; t < end; ++t) busy[t] = true;
  }
  std::uint64_t without(const Bitmap& other) const {
    std::uint64_t n = 0;
    for (std::uint64_t t = 0; t < kSteps; ++t) n += busy[t] && !other.busy[t];
    return n;
  }
};

void expect_in_order_and_apart(const IntervalSet& set) {
  for (std::size_t k = 1; k < set.intervals().size(); ++k)
    EXPECT_LT(set.intervals()[k - 1].end, set.intervals()[k].start);
}

TEST(IntervalSet, AgreesWithABitmapInAnyOrderOfAdding) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    IntervalSet sets[2];
    Bitmap maps[2];
    const bool roughly_in_order = round % 2;
    for (std::uint64_t k = 0, n = 1 + random() % 40; k < n; ++k) {
      const std::uint64_t start = roughly_in_order ? k * 5 + random() % 40 : random() % (kSteps - 50);
      const std::uint64_t end = start + random() % 12;
      const int which = static_cast<int>(random() % 2);
      sets[which].add(Time::picoseconds(start), Time::picoseconds(end));
      maps[which].add(start, end);
    }
    ASSERT_EQ(sets[0].total().ps(), maps[0].without({}));
    ASSERT_EQ(sets[0].without(sets[1]).ps(), maps[0].without(maps[1]));
    ASSERT_EQ(sets[1].without(sets[0]).ps(), maps[1].without(maps[0]));
    expect_in_order_and_apart(sets[0]);
    expect_in_order_and_apart(sets[1]);
  }
}

TEST(IntervalSet, JoinsWhatTouchesAndSwallowsWhatItCovers) {
  IntervalSet s;
  s.add(2_us, 3_us);
  s.add(5_us, 6_us);
  s.add(3_us, 5_us);
  ASSERT_EQ(s.intervals().size(), 1u);
  EXPECT_EQ(s.total(), 4_us);
  s.add(0_us, 9_us);
  ASSERT_EQ(s.intervals().size(), 1u);
  EXPECT_EQ(s.total(), 9_us);
}

TEST(StepStretches, StepsThatTakeTurnsGrowAndWhatIsApartStaysApart) {
  StepStretches s;
  for (const std::uint64_t k : {0, 1, 2, 3}) {
    s.add(7, Time::picoseconds(10 * k), Time::picoseconds(10 * k + 10));
    s.add(8, Time::picoseconds(10 * k + 5), Time::picoseconds(10 * k + 8));
  }
  EXPECT_EQ(s.of(7).total(), Time::picoseconds(40));
  EXPECT_EQ(s.of(8).total(), Time::picoseconds(12));
  EXPECT_EQ(s.all().total(), Time::picoseconds(40));
  EXPECT_EQ(s.stretches().size(), 1u + 4u);
}

TEST(Activity, AMessageKeepsBothItsChipsBusy) {
  Activity a(3);
  a.message(ChipId{0}, ChipId{2}, 0, 1_us, 4_us);
  a.message(ChipId{1}, ChipId{2}, 1, 3_us, 6_us);
  EXPECT_EQ(a.communication[0].all().total(), 3_us);
  EXPECT_EQ(a.communication[1].all().total(), 3_us);
  EXPECT_EQ(a.communication[2].all().total(), 5_us);
  EXPECT_EQ(a.communication[2].of(0).total(), 3_us);
  EXPECT_EQ(a.communication[2].of(1).total(), 3_us);
}

TEST(Activity, ExposedCommunicationIsThePartWithoutCompute) {
  Activity a(1);
  a.communication[0].add(0, 0_us, 10_us);
  a.communication[0].add(0, 20_us, 30_us);
  a.compute[0].add(1, 5_us, 22_us);
  a.compute[0].add(2, 25_us, 26_us);
  EXPECT_EQ(a.communication[0].all().without(a.compute[0].all()), 5_us + 3_us + 4_us);
}

}  // namespace
}  // namespace hopsim

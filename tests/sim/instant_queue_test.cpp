// InstantQueue against a multimap: the same instants, in the same order, each holding the same events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "sim/instant_queue.hpp"

namespace hopsim {
namespace {

using namespace literals;
using ::testing::UnorderedElementsAre;

struct Checked {
  void push(std::uint64_t time, std::uint64_t what) {
    queue.push(Time::picoseconds(time), what);
    reference.emplace(time, what);
  }
  // Takes one instant of each and compares; false when both are empty.
  bool step() {
    std::vector<std::uint64_t> got{99};
    Time time;
    const bool any = queue.next_instant(time, got, [](std::uint64_t, bool) {});
    EXPECT_EQ(any, !reference.empty());
    if (!any || reference.empty()) return false;
    now = reference.begin()->first;
    EXPECT_EQ(time.ps(), now);
    std::vector<std::uint64_t> expected;
    for (auto [e, end] = reference.equal_range(now); e != end; ++e) expected.push_back(e->second);
    reference.erase(now);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected) << "at " << now;
    return !::testing::Test::HasFailure();
  }

  InstantQueue queue;
  std::multimap<std::uint64_t, std::uint64_t> reference;
  std::uint64_t now = 0;
};

// Few distinct times make groups; a span far beyond the 1024 remembered times makes them be forgotten and split.
TEST(InstantQueue, AgreesWithAMultimapOnRandomMonotonePushes) {
  for (const std::uint64_t span : {1u, 7u, 5'000u, 4'000'000'000u}) {
    std::mt19937_64 random(span);
    Checked q;
    std::uint64_t what = 0;
    for (int k = 0; k < 3'000; ++k) q.push(random() % span, what++);
    for (int left = 40'000; q.step();)
      for (std::uint64_t k = random() % 3; k-- > 0 && left > 0; --left) q.push(q.now + random() % span, what++);
    EXPECT_TRUE(q.reference.empty());
    if (HasFailure()) FAIL() << "span " << span;
  }
}

// Two times with one slot evict each other at every push: each gets entries and groups in plenty, none may be lost.
TEST(InstantQueue, TimesThatShareASlotKeepTheirEvents) {
  const auto slot = [](std::uint64_t time) { return (time * 0x9e3779b97f4a7c15u) >> 54; };
  std::uint64_t a = 1'000, b = a + 1;
  while (slot(b) != slot(a)) ++b;
  Checked q;
  for (std::uint64_t k = 0; k < 60; ++k) q.push(k % 3 ? a : b, k);
  for (std::uint64_t k = 60; k < 120; ++k) q.push(k % 2 ? a : b, k);
  while (q.step()) {
  }
  EXPECT_TRUE(q.reference.empty());
}

TEST(InstantQueue, TakesEventsForThePresentInstantAsANewInstant) {
  InstantQueue q;
  Time now;
  std::vector<std::uint64_t> out;
  for (const std::uint64_t what : {1, 2, 3}) q.push(5_us, what);
  ASSERT_TRUE(q.next_instant(now, out, [](std::uint64_t, bool) {}));
  EXPECT_THAT(out, UnorderedElementsAre(1, 2, 3));
  q.push(6_us, 7);
  q.push(5_us, 4);
  q.push(5_us, 5);
  ASSERT_TRUE(q.next_instant(now, out, [](std::uint64_t, bool) {}));
  EXPECT_EQ(now, 5_us);
  EXPECT_THAT(out, UnorderedElementsAre(4, 5));
  ASSERT_TRUE(q.next_instant(now, out, [](std::uint64_t, bool) {}));
  EXPECT_EQ(now, 6_us);
  EXPECT_THAT(out, UnorderedElementsAre(7));
  EXPECT_FALSE(q.next_instant(now, out, [](std::uint64_t, bool) {}));
  EXPECT_TRUE(out.empty());
}

TEST(InstantQueue, ReachesFromTimeZeroToTheEndOfTheClock) {
  Checked q;
  q.push(Time::max().ps(), 1);
  q.push(0, 2);
  q.push(Time::max().ps(), 3);
  q.push(0, (std::uint64_t{1} << 63) - 1);
  q.push(Time::max().ps() - 1, 4);
  while (q.step()) {
  }
  EXPECT_TRUE(q.reference.empty());
}

}  // namespace
}  // namespace hopsim

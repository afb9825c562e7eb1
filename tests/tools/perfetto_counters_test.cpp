#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/perfetto_fixture.hpp"
#include "tools/perfetto/step_function.hpp"

namespace hopsim::perfetto {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using P = std::pair<std::uint64_t, double>;

std::vector<P> values(const StepFunction& f) {
  std::vector<P> found;
  f.each([&](std::uint64_t time, double value) { found.emplace_back(time, value); });
  return found;
}

struct Box {
  std::uint64_t begin, end;
  double height;
};

// The mean over [begin, end) of a sum of boxes.
double mean(const std::vector<Box>& boxes, std::uint64_t begin, std::uint64_t end) {
  double area = 0;
  for (const Box& b : boxes) {
    const std::uint64_t from = std::max(b.begin, begin), to = std::min(b.end, end);
    if (from < to) area += b.height * static_cast<double>(to - from);
  }
  return area / static_cast<double>(end - begin);
}

std::vector<Box> random_boxes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Box> boxes(n);
  for (Box& b : boxes) {
    b.begin = random() % 1'000'000;
    b.end = b.begin + random() % 5'000;
    b.height = static_cast<double>(random() % (1 << 20));
  }
  return boxes;
}

void put(StepFunction& f, const std::vector<Box>& boxes) {
  for (const Box& b : boxes) {
    f.change(b.end, -b.height);
    f.change(b.begin, b.height);
  }
}

TEST(StepFunction, TakesChangesInAnyOrder) {
  StepFunction f(8);
  f.change(20, -3);
  f.change(5, 3);
  f.change(10, 2);
  f.change(10, 1);
  f.change(30, -3);
  f.change(7, 0);
  EXPECT_EQ(f.stretch(), 1u);
  EXPECT_THAT(values(f), ElementsAre(P{5, 3}, P{10, 6}, P{20, 3}, P{30, 0}));
}

TEST(StepFunction, StaysExactWhereChangesCancel) {
  StepFunction f(8);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    f.change(100 * i, 1);
    f.change(100 * (i + 1), -1);
  }
  EXPECT_EQ(f.stretch(), 1u);
  std::vector<P> changes;
  for (const P& p : values(f))
    if (changes.empty() || changes.back().second != p.second) changes.push_back(p);
  EXPECT_THAT(changes, ElementsAre(P{0, 1}, P{1'000'000, 0}));
}

TEST(StepFunction, IsExactUpToItsCapacity) {
  StepFunction f(100);
  for (std::uint64_t i = 0; i < 100; ++i) f.change(1001 * i, 1);
  EXPECT_EQ(f.stretch(), 1u);
}

TEST(StepFunction, BeyondItsCapacityTellsTheMeanOfEachStretch) {
  const std::vector<Box> boxes = random_boxes(3000, 1);
  StepFunction f(64);
  put(f, boxes);
  // 1 ms in at most 128 stretches, and at least in 32: twice as many must have been too many.
  EXPECT_GE(f.stretch(), 1'000'000u / 128);
  EXPECT_LE(f.stretch(), 1'000'000u / 32);
  EXPECT_THAT(values(f), Not(IsEmpty()));
  for (const auto& [time, value] : values(f)) EXPECT_NEAR(value, mean(boxes, time, time + f.stretch()), 1e-3) << time;
  EXPECT_NEAR(values(f).back().second, 0, 1e-3);
}

TEST(StepFunction, AddsOnesOfDifferentStretch) {
  const std::vector<Box> many = random_boxes(3000, 2), few = random_boxes(3, 3);
  std::vector<Box> all = many;
  all.insert(all.end(), few.begin(), few.end());
  StepFunction coarse(64), fine(64), sum(64);
  put(coarse, many);
  put(fine, few);
  ASSERT_EQ(fine.stretch(), 1u);
  sum.add(fine);
  sum.add(coarse);
  ASSERT_GE(sum.stretch(), coarse.stretch());
  for (const auto& [time, value] : values(sum))
    EXPECT_NEAR(value, mean(all, time, time + sum.stretch()), 1e-3) << time;
}

TEST_F(PerfettoWriter, CountsLinksBusyAndBytesInFlight) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    HopRecord queued = with_bytes(one_hop(1, 0, fabric, 3_us, 5_us), 2000_B);
    queued.posted = 1_us;
    w.hop(queued);
    w.hop(with_bytes(one_hop(0, 0, fabric, 1_us, 3_us), 1000_B));
    w.hop(with_bytes(one_hop(2, 4, fabric, 2_us, 4_us), 500_B));
    w.hop(with_bytes(one_hop(3, 3, fabric, 0_us, 6_us), 0_B));
  });
  EXPECT_THAT(trace.samples("fabric 4/chip 0 (0)/link utilisation"),
              ElementsAre(P{1000, 50}, P{2000, 100}, P{4000, 50}, P{5000, 0}));
  // From posting to delivery, one hop's 1 us after the tail has left.
  EXPECT_THAT(trace.samples("fabric 4/chip 0 (0)/bytes in flight"),
              ElementsAre(P{1000, 3000}, P{2000, 3500}, P{4000, 2500}, P{5000, 2000}, P{6000, 0}));
  EXPECT_THAT(trace.samples("fabric 4/chip 3 (3)/link utilisation"), ElementsAre(P{0, 50}, P{6000, 0}));
  EXPECT_THAT(trace.samples("fabric 4/chip 3 (3)/bytes in flight"), IsEmpty());
  EXPECT_THAT(trace.samples("fabric 4/link utilisation"),
              ElementsAre(P{0, 12.5}, P{1000, 25}, P{2000, 37.5}, P{4000, 25}, P{5000, 12.5}, P{6000, 0}));
  EXPECT_THAT(trace.samples("fabric 4/bytes in flight"),
              ElementsAre(P{1000, 3000}, P{2000, 3500}, P{4000, 2500}, P{5000, 2000}, P{6000, 0}));
  EXPECT_EQ(counts_.counters, 4 + 5 + 2 + 6 + 5u);
}

TEST_F(PerfettoWriter, AMessageIsInFlightOnceOverAllItsHops) {
  const Fabric fabric = ring(8);
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    for (std::uint32_t hop = 0; hop < 3; ++hop) {
      HopRecord h = with_bytes(one_hop(0, hop, fabric, (hop + 1) * 1_us, (hop + 5) * 1_us), 1000_B);
      h.from = ChipId(0);
      h.posted = 0_us;
      h.hop = hop;
      h.last = hop == 2;
      w.hop(h);
    }
  });
  EXPECT_THAT(trace.samples("fabric 8/chip 0 (0)/bytes in flight"), ElementsAre(P{0, 1000}, P{8000, 0}));
  EXPECT_THAT(trace.samples("fabric 8/bytes in flight"), ElementsAre(P{0, 1000}, P{8000, 0}));
  EXPECT_THAT(trace.samples("fabric 8/chip 2 (2)/link utilisation"), ElementsAre(P{3000, 50}, P{7000, 0}));
  EXPECT_THAT(trace.samples("fabric 8/link utilisation"),
              ElementsAre(P{1000, 6.25}, P{2000, 12.5}, P{3000, 18.75}, P{5000, 12.5}, P{6000, 6.25}, P{7000, 0}));
}

TEST_F(PerfettoWriter, LongRunsGetMeansOverAStretchThatTheTrackNames) {
  const Fabric fabric = ring(4);
  constexpr std::uint64_t kMessages = 10'000;
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    for (std::uint64_t i = 0; i < kMessages; ++i)  // half the time busy
      w.hop(with_bytes(one_hop(i, 0, fabric, i * 2_us, i * 2_us + 1_us), 1_KiB));
  });
  const auto samples = trace.samples("fabric 4/chip 0 (0)/link utilisation");
  EXPECT_LE(samples.size(), 2 * 1024u);
  double area = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i)
    area += samples[i].second * static_cast<double>(samples[i + 1].first - samples[i].first);
  EXPECT_EQ(samples.back().second, 0);
  EXPECT_NEAR(area / (kMessages * 2000.0), 25, 0.01);  // one of two links, half the time
  const auto track = std::find_if(trace.tracks.begin(), trace.tracks.end(), [&](const auto& t) {
    return trace.path(t.first) == "fabric 4/chip 0 (0)/link utilisation";
  });
  EXPECT_THAT(track->second.about, HasSubstr("each value is the mean over "));
}

}  // namespace
}  // namespace hopsim::perfetto

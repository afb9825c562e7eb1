#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "tests/support/scratch.hpp"
#include "tools/sweep/identity.hpp"
#include "tools/sweep/jobs.hpp"
#include "tools/sweep/memory_shares.hpp"
#include "tools/sweep/output.hpp"
#include "tools/sweep/record.hpp"

namespace hopsim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

FinishedPoint some_point() {
  FinishedPoint f;
  f.point = 4'000'000'000;
  f.kept.time = Time::picoseconds((std::uint64_t{1} << 62) + 1);  // no double has it
  f.kept.peak_bytes_per_chip = Bytes((std::uint64_t{1} << 60) + 1);
  f.kept.metric = 0.1 + 0.2;
  f.kept.overlap = std::nextafter(1.0, 0.0);
  f.kept.mfu = 1.0 / 3;
  f.kept.algorithms = "ring \"line\"\n";
  f.kept.fingerprint = "0123456789abcdef";
  f.kept.expected = {"one\n", "two\n"};
  f.kept.failed = true;
  f.warnings = {"mind"};
  f.text = "    {\n      \"a\": 1\n    }";
  return f;
}

TEST(SweepRecord, IsExact) {
  const FinishedPoint f = some_point();
  const std::string bytes = encode(f), two = bytes + bytes;
  const auto d = decode(two);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->size, bytes.size());
  EXPECT_EQ(d->text, f.text);
  const SweepPoint &kept = d->finished.kept, &was = f.kept;
  EXPECT_EQ(d->finished.point, f.point);
  EXPECT_EQ(kept.time, was.time);
  EXPECT_EQ(kept.peak_bytes_per_chip, was.peak_bytes_per_chip);
  EXPECT_EQ(kept.metric, was.metric);
  EXPECT_EQ(kept.overlap, was.overlap);
  EXPECT_EQ(kept.mfu, was.mfu);
  EXPECT_EQ(kept.algorithms, was.algorithms);
  EXPECT_EQ(kept.fingerprint, was.fingerprint);
  EXPECT_EQ(kept.expected, was.expected);
  EXPECT_TRUE(kept.failed && kept.ran() && kept.ranked());
  EXPECT_EQ(d->finished.warnings, f.warnings);
}

TEST(SweepRecord, NoPartOfOneIsTakenForIt) {
  const std::string bytes = encode(some_point());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode(std::string(100, '\0') + "\n"));
}

TEST(SweepRecord, OfAPointWithAnErrorAndOfOneThatEndedTheSweep) {
  FinishedPoint f;
  f.point = 3;
  f.kept.error = "r.yaml:5:6: no";
  f.kept.error_place = 10;
  f.lacked_memory = true;
  auto d = decode(encode(f));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->finished.kept.error, f.kept.error);
  EXPECT_EQ(d->finished.kept.error_place, 10u);
  EXPECT_TRUE(d->finished.lacked_memory);
  EXPECT_EQ(d->text, "");
  f.thrown = "what";
  f.bad_input = true;
  d = decode(encode(f));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->finished.thrown, "what");
  EXPECT_TRUE(d->finished.bad_input);
}

TEST(SweepOutput, IndentsPointsAsTheWholeWould) {
  const nlohmann::ordered_json point{{"a", {1, 2}}, {"b", nlohmann::ordered_json::object()}};
  const std::string whole = nlohmann::ordered_json{{"points", {point}}}.dump(2);
  EXPECT_EQ("{\n  \"points\": [\n" + SweepOutput::point_text(point) + "\n  ]\n}", whole);
}

TEST(SweepIdentity, IsOfWhatAFileSaysAndNotOfItsFolder) {
  const auto of = [](const char* text, const char* name) { return digest(parse_document(text, name)); };
  const std::string a = of("a: [1, 2]\n", "x/f.yaml");
  EXPECT_EQ(of("a: [1, 2]\n", "y/z/f.yaml"), a);
  EXPECT_NE(of("a: [1, 3]\n", "x/f.yaml"), a);
  EXPECT_NE(of("a: [1,  2]\n", "x/f.yaml"), a);  // errors say where
  EXPECT_NE(of("a: [1, '2']\n", "x/f.yaml"), a);
  EXPECT_NE(of("a: [1, 2]\n", "x/g.yaml"), a);
}

TEST(SweepJobs, RunsAsManyAtOnceAsItSays) {
  std::atomic<int> running = 0;
  std::promise<void> all;
  const std::shared_future<void> go = all.get_future().share();
  SweepJobs jobs(3, [&](std::size_t point) {
    if (++running == 3) all.set_value();
    go.wait();  // for ever, were there fewer at once
    FinishedPoint f;
    f.point = point;
    return f;
  });
  EXPECT_EQ(jobs.room(), 3u);
  for (std::size_t p = 0; p < 3; ++p) jobs.start(p);
  EXPECT_EQ(jobs.room(), 0u);
  std::vector<bool> seen(3);
  for (int n = 0; n < 3; ++n) {
    std::optional<std::string> record;
    while (!record) record = jobs.take(1s);
    seen[decode(*record)->finished.point] = true;
  }
  EXPECT_THAT(seen, ElementsAre(true, true, true));
  EXPECT_EQ(jobs.held(), 0u);
  EXPECT_FALSE(jobs.take(0s));
}

TEST(MemoryShares, WhatDoesNotFitBesideOthersWaitsForThem) {
  MemoryShares memory(100);
  auto first = std::make_unique<MemoryShares::Share>(memory);
  first->take(60);
  MemoryShares::Share small(memory);
  small.take(40);
  std::atomic<bool> has = false;
  std::thread other([&] {
    MemoryShares::Share large(memory);
    large.take(60);
    has = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(has);
  first.reset();
  other.join();
  EXPECT_TRUE(has);
}

TEST(MemoryShares, AloneAnythingGoes) {
  MemoryShares memory(100);
  MemoryShares::Share large(memory);
  large.take(1000);
}

}  // namespace
}  // namespace hopsim

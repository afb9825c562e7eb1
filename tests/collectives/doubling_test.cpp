// Recursive doubling, halving-doubling, Swing and bucket. Expected times are the Swing paper's laws, computed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

using ::testing::HasSubstr;

// The paper's links: 400 Gbit/s, 0.4 us a hop; 0.5 us before each message.
const LinkModel kPaper{50_GBps, 400_ns};
constexpr double kHop = 0.4, kStep = 0.5;

Overheads step_overhead() {
  Overheads o;
  o.step = 500_ns;
  return o;
}

Request over(Operation op, const Shape& s, Bytes bytes, const LinkModel& link = kPaper) {
  std::vector<int> dims(static_cast<std::size_t>(s.dimensions));
  std::iota(dims.begin(), dims.end(), 0);
  Request r{.operation = op, .row = row_over(s, dims, RowOrder::ring), .bytes = bytes};
  r.wiring.link = link;
  r.wiring.overheads.step = 500_ns;
  return r;
}

double microseconds(const Shape& s, std::string_view algorithm, Bytes bytes) {
  const auto schedule = schedule_of(algorithm, over(Operation::all_reduce, s, bytes));
  return run_schedule(s, schedule, kPaper, step_overhead()).time.seconds() * 1e6;
}

// (2^(s+1) - (-1)^(s+1)) / 3, of the steps along a dimension.
int swing_hops(int n) {
  int sum = 0, sign = -1;
  for (int two = 2; two <= n; two *= 2, sign = -sign) sum += (two - sign) / 3;
  return sum;
}

int steps_along(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

TEST(SmallAllReduce, TakesHopsAndStepsAsThePaperHasThem) {
  for (const std::vector<int>& size :
       std::vector<std::vector<int>>{{8, 8}, {8, 8, 8}, {64, 16}, {4, 4}, {16, 8}, {16}, {2, 8}, {2, 2, 4}}) {
    const Shape s = box(size);
    int swing = 0, doubling = 0, steps = 0, longest = 0;
    for (const int n : size) {
      swing += swing_hops(n);
      doubling += n - 1;
      steps += steps_along(n);
      longest = std::max(longest, n);
    }
    const int round = 2 * s.dimensions * (longest - 1);
    EXPECT_NEAR(microseconds(s, "swing", 32_B) / (kHop * swing + kStep * steps), 1, 0.01) << size[0];
    EXPECT_NEAR(microseconds(s, "swing_latency", 32_B) / (kHop * swing + kStep * steps), 1, 0.01) << size[0];
    EXPECT_NEAR(microseconds(s, "swing_bandwidth", 32_B) / 2 / (kHop * swing + kStep * steps), 1, 0.01) << size[0];
    EXPECT_NEAR(microseconds(s, "recursive_doubling", 32_B) / (kHop * doubling + kStep * steps), 1, 0.01) << size[0];
    EXPECT_NEAR(microseconds(s, "halving_doubling", 32_B) / 2 / (kHop * doubling + kStep * steps), 1, 0.01)
        << size[0];
    EXPECT_NEAR(microseconds(s, "bucket", 32_B) / ((kHop + kStep) * round), 1, 0.01) << size[0];
  }
}

// Annotated in the paper's figures, within its rounding.
TEST(SmallAllReduce, ReproducesThePapersTable) {
  struct Row {
    std::vector<int> size;
    double bucket, doubling, swing;
  };
  for (const Row& row :
       {Row{{64, 16}, 226.8, 36.2, 25.8}, Row{{8, 8}, 25.2, 8.6, 7.0}, Row{{8, 8, 8}, 37.8, 12.9, 10.5}}) {
    const Shape s = box(row.size);
    EXPECT_NEAR(microseconds(s, "bucket", 32_B), row.bucket, 0.03 * row.bucket);
    EXPECT_NEAR(microseconds(s, "recursive_doubling", 32_B), row.doubling, 0.03 * row.doubling);
    EXPECT_NEAR(microseconds(s, "swing", 32_B), row.swing, 0.03 * row.swing);
  }
}

// The congestion deficiency of Swing on two dimensions is 1.19 on large tori, that of bucket 1: Swing wins while
// steps matter, bucket once bytes do.
TEST(Swing, WinsAgainstBucketUntilBytesMatterMost) {
  const Shape s = box({16, 16});
  const auto gain = [&](Bytes bytes) { return microseconds(s, "bucket", bytes) / microseconds(s, "swing", bytes); };
  EXPECT_GT(gain(32_B), 2.5);
  EXPECT_GT(gain(64_KiB), 1.8);
  EXPECT_LT(gain(64_MiB), 1);
  EXPECT_GT(gain(64_MiB), 1 / 1.25);
}

// On 4x4 every step of Swing is one hop and no two messages share a link: V(1 - 1/16) over two directions of two
// axes.
TEST(Swing, IsOptimalWhereAllPeersAreNeighbours) {
  const Shape s = box({4, 4});
  Request r = over(Operation::all_gather, s, 64_MiB, kIci);
  const double v = 1 << 26;
  EXPECT_NEAR(seconds(s, "swing_bandwidth", r), v * 15 / 16 / (4 * 45e9) + 4e-6, 1e-8);
  r.operation = Operation::all_reduce;
  EXPECT_NEAR(seconds(s, "swing_bandwidth", r), 2 * (v * 15 / 16 / (4 * 45e9) + 4e-6), 2e-8);
  EXPECT_NEAR(seconds(s, "swing_latency", r), 4 * (v / 4 / 45e9 + 1e-6), 1e-8);
}

TEST(Swing, PicksByWhatShouldTakeLess) {
  const Shape s = box({8, 8});
  for (const Bytes bytes : {32_B, 4_KiB, 1_MiB, 64_MiB}) {
    const double few_steps = microseconds(s, "swing_latency", bytes),
                 few_bytes = microseconds(s, "swing_bandwidth", bytes);
    EXPECT_NEAR(microseconds(s, "swing", bytes), std::min(few_steps, few_bytes), 1e-9) << bytes.count();
  }
  Request unknown = over(Operation::all_reduce, s, 32_KiB, {});
  EXPECT_EQ(schedule_of("swing", unknown)->lanes[0].phases.size(), 1u);  // one pass: swing_latency
  unknown.bytes = 64_KiB;
  EXPECT_EQ(schedule_of("swing", unknown)->lanes[0].phases.size(), 2u);
}

using Places = ::testing::TestWithParam<std::pair<std::vector<int>, bool>>;
struct PowersOfTwo : Places {};
INSTANTIATE_TEST_SUITE_P(
    Doubling, PowersOfTwo,
    ::testing::Values(std::pair{std::vector<int>{2}, true}, std::pair{std::vector<int>{8}, true},
                      std::pair{std::vector<int>{8}, false}, std::pair{std::vector<int>{4, 4}, true},
                      std::pair{std::vector<int>{4, 4}, false}, std::pair{std::vector<int>{2, 8}, true},
                      std::pair{std::vector<int>{4, 2, 4}, true}, std::pair{std::vector<int>{2, 2, 2}, false}));

TEST_P(PowersOfTwo, AreProvenAndAboveTheirBound) {
  const Shape s = box(GetParam().first, GetParam().second);
  const Fabric fabric = freeze(grid(s, kPaper));
  int done = 0;
  for (const char* name :
       {"recursive_doubling", "halving_doubling", "swing", "swing_latency", "swing_bandwidth", "bucket"})
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce})
      for (const Bytes bytes : {Bytes(77), Bytes(1'000'003)}) {
        const Request r = over(op, s, bytes);
        const auto all = algorithms();
        const auto a = std::find_if(all.begin(), all.end(), [&](const Algorithm& x) { return x.name == name; });
        if (!a->obstacle(r).empty()) continue;
        SCOPED_TRACE(std::string(name) + " " + std::string(title(op)));
        const auto schedule = schedule_of(name, r);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) ASSERT_NO_THROW(prove(s, r, *schedule, seed));
        const Ran ran = run_schedule(s, schedule, kPaper);
        EXPECT_GE(ran.time, lower_bound(fabric, r));
        EXPECT_EQ(run_schedule(s, schedule, kPaper, {}, 11).time, ran.time);
        ++done;
      }
  EXPECT_GE(done, 12);
}

TEST(Doubling, WorksOverASwitchAndOverAnyGroups) {
  Switched node(switched(grid_shape({8}, {false}), kIci, false));
  node.wiring.kind = Wiring::Kind::switched;
  node.wiring.link = kIci;
  for (const char* name : {"recursive_doubling", "halving_doubling", "swing_bandwidth"})
    for (const Operation op : {Operation::all_gather, Operation::all_reduce}) {
      const Request r = node.over_all(op, 8_MiB, 1);
      const auto schedule = schedule_of(name, r);
      ASSERT_NO_THROW(prove(node.shape, r, *schedule)) << name;
      // A switch has room for all: the bytes of log2(8) exchanges, and two hops each.
      const double v = 8 << 20;
      const bool whole = op == Operation::all_reduce && std::string_view(name) == "recursive_doubling";
      const double bytes = whole ? 3 * v : v * 7 / 8 * (op == Operation::all_reduce ? 2 : 1);
      const int steps = whole || op == Operation::all_gather ? 3 : 6;
      EXPECT_NEAR(node.run(schedule).time.seconds(), bytes / 45e9 + steps * 2e-6, 1e-9) << name;
    }
  const Shape s = box({4, 4}, false);
  const std::vector<std::vector<ChipId>> groups{{ChipId{0}, ChipId{5}, ChipId{10}, ChipId{15}},
                                                {ChipId{3}, ChipId{6}, ChipId{9}, ChipId{12}}};
  const Request r{.operation = Operation::all_reduce, .row = row_of_groups(s, groups), .bytes = 1_MiB};
  for (const char* name : {"recursive_doubling", "halving_doubling", "swing_bandwidth", "swing_latency"})
    EXPECT_NO_THROW(prove(s, r, *schedule_of(name, r))) << name;
}

std::string refusal(std::string_view name, const Request& r) {
  try {
    choose_algorithm(name, r);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Doubling, SaysWhichSizesWork) {
  for (const char* name : {"recursive_doubling", "halving_doubling", "swing", "swing_latency", "swing_bandwidth"}) {
    EXPECT_THAT(refusal(name, over(Operation::all_reduce, box({6}), 1_MiB)), HasSubstr("power of two")) << name;
    EXPECT_THAT(refusal(name, over(Operation::all_reduce, box({4, 12}), 1_MiB)), HasSubstr("4x12")) << name;
  }
  EXPECT_THAT(refusal("swing", over(Operation::all_reduce, box({8}, false), 1_MiB)), HasSubstr("wrap around"));
  EXPECT_THAT(refusal("bucket", over(Operation::all_reduce, box({8, 8}, false), 1_MiB)), HasSubstr("wrap around"));
  EXPECT_THAT(refusal("swing_latency", over(Operation::all_gather, box({8}), 1_MiB)), HasSubstr("all_reduce"));
  Request chunked = over(Operation::all_reduce, box({8}), 1_MiB);
  chunked.chunks = 2;
  EXPECT_THAT(refusal("swing", chunked), HasSubstr("chunks"));
}

// All parts wait for the longest axis: on 8x4 a stage along 8 chips and one along 4 at once take as long as the
// former.
TEST(Bucket, StagesEndTogether) {
  const Shape s = box({8, 4});
  const double part = double(1 << 20) / 4;
  const Request r = over(Operation::all_gather, s, 1_MiB, kIci);
  // Gathered to begin with: parts 0 along 4, parts 1 along 8; then the other way, with what they have by then.
  const double first = 7 * (part / 32 / 45e9 + 1e-6),
               second = std::max(7 * (part / 8 / 45e9 + 1e-6), 3 * (part / 4 / 45e9 + 1e-6));
  EXPECT_NEAR(seconds(s, "bucket", r), first + second, 1e-8);
  EXPECT_EQ(run_schedule(s.fold(), schedule_of("bucket", r)).time, run_schedule(s, schedule_of("bucket", r)).time);
}

TEST(Bucket, AnySizesInChunks) {
  for (const std::vector<int>& size : std::vector<std::vector<int>>{{5}, {3, 5}, {2, 6}, {3, 4, 3}, {2, 2}})
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce})
      for (const int chunks : {1, 3}) {
        const Shape s = box(size);
        Request r = over(op, s, Bytes(100'003), kIci);
        r.chunks = chunks;
        const auto schedule = schedule_of("bucket", r);
        ASSERT_NO_THROW(prove(s, r, *schedule)) << size[0];
        EXPECT_GE(run_schedule(s, schedule).time, lower_bound(freeze(grid(s, kIci)), r));
      }
}

}  // namespace
}  // namespace hopsim::testing

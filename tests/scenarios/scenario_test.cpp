#include "scenarios/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::scenario;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kQuiz = R"(name: ch3-quiz2-allgather
machine:
  chip: tpu_v5e              # a catalogue name
  slice: 8x4
  mesh: {X: 8, Y: 4}
  ideal: true
dims: {E: 2048, F: 8192}
dtype: int8
program:
  - A[E, F] = AllGather_Y(A[E_Y, F])
expect:
  - {step: 1, time: 559.24 us + 3 us, within: 1%, source: "Scaling Book ch. 3, pop quiz 2"}
  - {step: 1, measured: 680 us, source: "same, measured"}
sweep: {machine.slice: [4x4, 8x4]}
)";

TEST(Scenario, ReadsEverySection) {
  const Scenario s = scenario(kQuiz);
  EXPECT_EQ(s.name, "ch3-quiz2-allgather");
  EXPECT_EQ(s.machine.chip->value, "tpu_v5e");
  EXPECT_TRUE(s.machine.ideal);
  ASSERT_EQ(s.dims.size(), 2u);
  EXPECT_EQ(s.dims[1].name, "F");
  EXPECT_EQ(s.dims[1].size, 8192u);
  EXPECT_EQ(s.dtype.value, DType::int8);
  EXPECT_EQ(s.program.size(), 1u);
  EXPECT_EQ(s.expect.size(), 2u);
  EXPECT_EQ(s.sweep->items.at(0).key, "machine.slice");
}

constexpr const char* kLeast = "machine: {chip: a, slice: 4}\nprogram: [A = B]\n";

TEST(Scenario, Defaults) {
  const Scenario s = scenario(kLeast);
  EXPECT_EQ(s.name, "f");
  EXPECT_EQ(s.dtype.value, DType::bf16);
  EXPECT_TRUE(s.dims.empty());
  EXPECT_FALSE(s.machine.ideal);
}

TEST(Scenario, RefusesWithThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"5\n", "f.yaml:1:1: a scenario must be a map; got 5"},
      {"- a\n", "f.yaml:1:1: a scenario must be a map; got a list"},
      {"machine: {chip: a, slice: 4}\n", "f.yaml:1:1: a scenario needs the key program"},
      {"program: [A = B]\n", "f.yaml:1:1: a scenario needs the key machine"},
      {"machine: {chip: a, slice: 4}\nprogam: [A = B]\n",
       "f.yaml:2:1: unknown key in a scenario (did you mean program?); got progam; valid: name, machine, dims, "
       "dtype, program, expect, sweep"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\ndims: {E: 0}\n",
       "f.yaml:3:11: E: a count is too small; got 0"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\ndims: {E: 1e30}\n", "f.yaml:3:11: E: a count is too large"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\ndims: {E: 0x10}\n", "f.yaml:3:11: E: unknown unit \"x10\""},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\ndims: {E F: 1}\n",
       "f.yaml:3:8: not a name for a dimension; got E F"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\ndtype: bf17\n",
       "f.yaml:3:8: unknown dtype; got bf17; valid: int4"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\nexpect: {time: 1 us}\n",
       "f.yaml:3:9: expect must be a list; got a map"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\nname:\n", "f.yaml:3:1: name has no value"},
      {"machine: {chip: a, slice: 4}\nprogram: [A = B]\nname: ''\n", "f.yaml:3:7: name is empty"},
      {"machine: {chip: a, slice: 4}\nmachine: {chip: a, slice: 4}\n",
       "f.yaml:2:1: a key given twice, first at line 1"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT(error_of([&] { scenario(text); }), StartsWith(message)) << text;
}

// Whatever character changes, the text is read or refused with a place.
TEST(Scenario, SurvivesMutation) {
  const std::string good = kQuiz, signs = "{[]}:,'\"*&!#-|>%@ \n\t0x\xff";
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const char c = signs[(3 * i + k) % signs.size()];
      std::string text = good;
      text[i] = c;
      const std::string error = error_of([&] { scenario(text); });
      if (error != "no error") {
        ASSERT_THAT(error, StartsWith("f.yaml:")) << text;
      }
    }
  }
}

}  // namespace
}  // namespace hopsim

#include "scenarios/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::yaml;
using ::testing::StartsWith;

Expectation expectation(const std::string& text) { return load_expectations(yaml("- " + text + "\n"), 3).at(0); }

TEST(Expectation, SumsTimes) {
  const Expectation e =
      expectation("{step: 1, time: 559.24 us + 3 us, within: 0.1%, source: \"Scaling Book ch. 3\"}");
  EXPECT_EQ(e.step->value, 1);
  EXPECT_EQ(e.time->value.ps(), 562'240'000u);
  EXPECT_EQ(e.within, (Ratio{1, 1000}));
  EXPECT_EQ(e.source, "Scaling Book ch. 3");
  EXPECT_EQ(expectation("time: 1e+3 ns+2us").time->value.ps(), 3'000'000u);
  EXPECT_FALSE(expectation("time: 1 us").step);
  EXPECT_EQ(expectation("time: 1 us").within, (Ratio{1, 100}));
}

TEST(Expectation, ValuesOfTheResult) {
  const Expectation e = expectation("{value: steps.0.time_s / bound_s, is: 1.02, within: 2%}");
  EXPECT_EQ(e.value->of.path.value, "steps.0.time_s");
  EXPECT_EQ(e.value->of.divisor->value, "bound_s");
  EXPECT_EQ(e.value->of.divisor->place.column, 28);
  EXPECT_DOUBLE_EQ(e.value->is->value, 1.02);
  EXPECT_EQ(expectation("{value: a.b, is: 16 KiB + 1 B}").value->is->kind, QuantityKind::bytes);
  EXPECT_DOUBLE_EQ(expectation("{value: a.b, is: 16 KiB + 1 B}").value->is->value, 16385);
  const Expectation word = expectation("{value: steps.0.algorithm, is: ring}");
  EXPECT_FALSE(word.value->is);
  EXPECT_EQ(word.value->text, "ring");
}

TEST(Expectation, MeasuredAloneOrBeside) {
  EXPECT_DOUBLE_EQ(expectation("{step: 1, measured: 680 us}").measured->value.value, 680e-6);
  EXPECT_TRUE(expectation("{step: 1, time: 5 us, measured: 680 us}").time);
}

TEST(Expectation, RefusesWithThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"{step: 1}", "f.yaml:1:3: an expectation expects nothing"},
      {"{step: 0, time: 1 us}", "f.yaml:1:10: step: a count is too small; got 0; valid: a whole number from 1 to 3"},
      {"{step: 4, time: 1 us}", "f.yaml:1:10: step: a count is too large; got 4"},
      {"{time: 1 us, value: a, is: 1}", "f.yaml:1:16: an expectation cannot have both time and value"},
      {"{value: a}", "f.yaml:1:3: an expectation needs the key is"},
      {"{is: 1}", "f.yaml:1:3: an expectation needs the key value"},
      {"{time: 559.24 us + 3 uss}", "f.yaml:1:22: time: unknown unit \"uss\" of a time; got 3 uss"},
      {"{time: 559.24 us +}", "f.yaml:1:21: time: a time must begin with a number; got nothing"},
      {"{time: 559}", "f.yaml:1:10: time: a time needs a unit"},
      {"{time: 100 min + 200000 min}", "f.yaml:1:20: time: a time is too large"},
      {"{time: 100000 min + 100000 min}", "f.yaml:1:23: a time is too large"},
      {"{value: a..b, is: 1}", "f.yaml:1:11: not a path into the result; got a..b"},
      {"{value: a / b / c, is: 1}", "f.yaml:1:19: a quotient of more than two; got c"},
      {"{value: a /, is: 1}", "f.yaml:1:14: not a path into the result; got nothing"},
      {"{value: a, is: 1 us + 1 B}", "f.yaml:1:25: a size added to a time; got 1 B"},
      {"{value: a, is: .nan}", "f.yaml:1:18: is: a quantity must begin with a number; got .nan"},
      {"{value: a, is: inf}", "f.yaml:1:18: is: a quantity must be finite; got inf"},
      {"{value: a, is: 5 apples}", "f.yaml:1:18: is: unknown unit \"apples\""},
      {"{measured: 5 GB}", "f.yaml:1:14: measured must be a time"},
      {"{time: 1 us, within: -1%}", "f.yaml:1:24: within: a ratio must not be negative"},
      {"{tme: 1 us}", "f.yaml:1:4: unknown key in an expectation (did you mean time?); got tme; valid: step, time"},
      {"5 us", "f.yaml:1:3: an expectation must be a map; got 5 us"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT(error_of([&] { expectation(text); }), StartsWith(message)) << text;
}

}  // namespace
}  // namespace hopsim

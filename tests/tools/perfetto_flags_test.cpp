#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "tools/perfetto/trace_choice.hpp"
#include "tools/perfetto/trace_flags.hpp"

namespace hopsim {
namespace {

using namespace literals;
using perfetto::Detail;
using perfetto::Window;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Numbers = std::vector<std::uint32_t>;

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

Shape grid(int x, int y) {
  Shape s;
  s.dimensions = 2;
  s.size = {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), 1, 1};
  return s;
}

Numbers numbers(const std::vector<bool>& chips) {
  Numbers found;
  for (std::uint32_t c = 0; c < chips.size(); ++c)
    if (chips[c]) found.push_back(c);
  return found;
}

TEST(PerfettoChips, AreNumbersRangesAndCoordinates) {
  const auto chips = [](const char* text) { return numbers(parse_trace_chips(text, grid(3, 4))); };
  EXPECT_EQ(chips("5"), (Numbers{5}));
  EXPECT_EQ(chips("0-2, 4"), (Numbers{0, 1, 2, 4}));
  EXPECT_EQ(chips("(1,0),(2, 3)"), (Numbers{4, 11}));  // row-major: 1 x 4, 2 x 4 + 3
  EXPECT_EQ(chips("0-11").size(), 12u);
  EXPECT_EQ(chips("3,2-4,3"), (Numbers{2, 3, 4}));
}

TEST(PerfettoChips, AreRefusedWithWhatIsWrong) {
  const auto of = [](const char* text) { return refusal([&] { parse_trace_chips(text, grid(3, 4)); }); };
  EXPECT_EQ(of("12"), "no such chip; got 12; valid: 0 to 11");
  EXPECT_EQ(of("3-99999999999999999999"), "no such chip; got 3-99999999999999999999; valid: 0 to 11");
  EXPECT_EQ(of("5-2"), "a range of chips runs backwards; got 5-2; valid: 2-5");
  EXPECT_EQ(of("(3,0)"), "no such chip; got (3,0); valid: (0,0) to (2,3)");
  EXPECT_EQ(of("(1)"), "a chip has a coordinate a dimension; got (1); valid: (0,0) to (2,3)");
  for (const char* text : {"", "1,", "x", "-1", "1-", "(1,0", "1.5", "(1,a)", "1 2"})
    EXPECT_THAT(of(text), HasSubstr("no chip, range or coordinates")) << text;
}

TEST(PerfettoWindow, HasABeginOrAnEndOrBoth) {
  const auto is = [](const char* text, Time begin, Time end) {
    const Window w = parse_trace_window(text);
    return w.begin == begin && w.end == end;
  };
  EXPECT_TRUE(is("1ms..2ms", 1_ms, 2_ms));
  EXPECT_TRUE(is(" 1.5 us .. 2 us ", 1500_ns, 2_us));
  EXPECT_TRUE(is("..2ms", 0_ps, 2_ms));
  EXPECT_TRUE(is("1ms..", 1_ms, Time::max()));
  const auto of = [](const char* text) { return refusal([&] { parse_trace_window(text); }); };
  EXPECT_THAT(of("2ms..1ms"), HasSubstr("runs backwards"));
  EXPECT_THAT(of("1ms..1ms"), HasSubstr("no length"));
  EXPECT_THAT(of("..0s"), HasSubstr("no length"));
  EXPECT_THAT(of(".."), HasSubstr("a begin or an end"));
  EXPECT_THAT(of("1ms-2ms"), HasSubstr("two dots; got 1ms-2ms"));
  EXPECT_THAT(of("1..2"), HasSubstr("unit"));
}

TEST(PerfettoWindow, IsHalfOpen) {
  const Window w{1_us, 2_us};
  EXPECT_TRUE(w.has(1_us));
  EXPECT_FALSE(w.has(2_us));
  EXPECT_FALSE(w.touches(0_us, 1_us));
  EXPECT_FALSE(w.touches(2_us, 3_us));
  EXPECT_TRUE(w.touches(0_us, 3_us));
  EXPECT_TRUE(w.touches(1_us, 1_us));
  EXPECT_EQ(w.cut(0_us, 1500_ns).begin, 1000u);
  EXPECT_EQ(w.cut(0_us, 1500_ns).end, 1500u);
}

TEST(PerfettoLimit, IsANumberOfSlicesOrNone) {
  EXPECT_EQ(parse_trace_limit("200000"), 200'000u);
  EXPECT_EQ(parse_trace_limit("5M"), 5'000'000u);
  EXPECT_EQ(parse_trace_limit("1.5k"), 1500u);
  EXPECT_EQ(parse_trace_limit("2G"), 2'000'000'000u);
  EXPECT_EQ(parse_trace_limit("none"), std::nullopt);
  for (const char* text : {"0", "", "M", "5x", "-1", "0.5", "1.5", "all", "99999999999999999999", "9999999999G"})
    EXPECT_THAT(refusal([&] { parse_trace_limit(text); }), HasSubstr("no number of slices; got ")) << text;
}

// ---- choosing

// A chip: 10 slices of steps, 110 with messages, 210 with hops.
const TraceSizes kSizes{.steps = 100, .messages = 1100, .hops = 2100, .chips = 10, .time = 10_ms};

TraceRequest within(std::uint64_t limit) {
  TraceRequest r;
  r.limit = limit;
  return r;
}

TEST(PerfettoChoice, TakesTheFinestDetailThatFits) {
  const auto detail = [](std::uint64_t limit) { return choose_trace(within(limit), kSizes).scope.detail; };
  EXPECT_EQ(detail(2100), Detail::hops);
  EXPECT_EQ(detail(2099), Detail::messages);
  EXPECT_EQ(detail(1100), Detail::messages);
  EXPECT_EQ(detail(1099), Detail::steps);
  EXPECT_THAT(choose_trace(within(2100), kSizes).left_out, IsEmpty());
  EXPECT_THAT(choose_trace(within(2099), kSizes).left_out,
              AllOf(HasSubstr("hops (2100 slices)"), HasSubstr("--trace-limit none")));
  EXPECT_EQ(choose_trace(within(2099), kSizes).slices, 1100u);
}

TEST(PerfettoChoice, TakesTheFirstChipsWhereNotEvenStepsOfAllFit) {
  const TraceChoice c = choose_trace(within(39), kSizes);
  EXPECT_EQ(c.scope.detail, Detail::steps);
  EXPECT_EQ(numbers(c.scope.chips), (Numbers{0, 1, 2}));
  EXPECT_EQ(c.chips, 3u);
  EXPECT_EQ(c.slices, 30u);
  EXPECT_THAT(c.left_out, AllOf(HasSubstr("7 other chips"), HasSubstr("--trace-chips")));
  EXPECT_THAT(refusal([] { choose_trace(within(9), kSizes); }), HasSubstr("--trace-limit none"));
}

TEST(PerfettoChoice, CountsTheShareOfChipsAndOfAWindow) {
  TraceRequest r = within(420);
  r.chips = parse_trace_chips("0,9", grid(2, 5));
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::hops);
  r.limit = 419;
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::messages);
  r.limit = 19;
  EXPECT_THAT(refusal([&] { choose_trace(r, kSizes); }), HasSubstr("the steps of 2 chips"));
  // A tenth of the run, thought to be half as dense again: 315, and 4 slices a chip that the window cuts.
  r = within(355);
  r.window = {1_ms, 2_ms};
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::hops);
  r.limit = 354;
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::messages);
  r.window = {};
  r.limit.reset();
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::hops);
}

TEST(PerfettoChoice, RefusesAnExplicitDetailWithWhatWouldFit) {
  TraceRequest r = within(1100);
  r.detail = Detail::hops;
  // Chips: 1100 / 210; a window: 1089 without the 40 that it cuts, of 2100, at 1.5 as many a time: 3.330 of 10 ms.
  EXPECT_EQ(refusal([&] { choose_trace(r, kSizes); }),
            "a trace of all hops of 10 chips would be too large, 2100 slices; got --trace-limit 1100; valid: "
            "--trace-detail messages (1100 slices), --trace-detail steps (100 slices), --trace-chips 0-4, "
            "--trace-window ..3.3302ms, --trace-limit none");
  r.window.begin = 7_ms;  // 1.5 x 630 and 40
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::hops);
  r.window.begin = 1_ms;
  EXPECT_THAT(refusal([&] { choose_trace(r, kSizes); }), HasSubstr("--trace-window 1ms..4.3302ms"));
}

TEST(PerfettoChoice, SuggestsOnlyWindowsThatItAccepts) {
  // What is suggested for a limit, where anything is.
  const auto suggestion = [](TraceRequest r) {
    const std::string text = refusal([&] { choose_trace(r, kSizes); }), flag = "--trace-window ";
    const auto at = text.find(flag);
    return at == std::string::npos ? "" : text.substr(at + flag.size(), text.find(',', at) - at - flag.size());
  };
  int suggested = 0;
  for (std::uint64_t limit = 1; limit < 2100; ++limit)
    for (const Time begin : {0_ps, 1'234'567'891_ps}) {
      TraceRequest r = within(limit);
      r.detail = Detail::hops;
      r.window.begin = begin;
      if (refusal([&] { choose_trace(r, kSizes); }) == "accepted") continue;
      const std::string window = suggestion(r);
      if (window.empty()) continue;
      ++suggested;
      r.window = parse_trace_window(window);
      EXPECT_EQ(refusal([&] { choose_trace(r, kSizes); }), "accepted") << limit << ' ' << window;
    }
  EXPECT_GT(suggested, 3000);
  TraceRequest r = within(40);  // that many slices a window cuts
  r.detail = Detail::hops;
  EXPECT_EQ(suggestion(r), "");
}

TEST(PerfettoChoice, CountsNothingBehindWhereTheRunStops) {
  TraceRequest r = within(356);  // one more: that instant counts, too
  r.last = 1_ms;                 // a tenth, as of a window
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::hops);
  EXPECT_TRUE(choose_trace(r, kSizes).scope.window.whole());
  r.limit = 354;
  EXPECT_EQ(choose_trace(r, kSizes).scope.detail, Detail::messages);
}

TEST(PerfettoChoice, SpeaksOfOneChip) {
  EXPECT_THAT(choose_trace(within(99), kSizes).left_out, HasSubstr("all of the other chip, are left out"));
}

TEST(PerfettoChoice, EndsMessagesFarBeyondTheLimit) {
  EXPECT_EQ(choose_trace(within(3000), kSizes).scope.most, 6000u);
  TraceRequest none;
  none.limit.reset();
  EXPECT_EQ(choose_trace(none, kSizes).scope.most, ~std::uint64_t{0});
}

}  // namespace
}  // namespace hopsim

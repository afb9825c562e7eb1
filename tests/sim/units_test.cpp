#include "sim/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::uint64_t bytes(std::string_view text) { return parse_bytes(text).count(); }

TEST(ParseBytes, TakesPowersOf1000AndOf1024) {
  EXPECT_EQ(bytes("7 B"), 7u);
  EXPECT_EQ(bytes("1kB"), 1000u);
  EXPECT_EQ(bytes("1 KB"), 1000u);
  EXPECT_EQ(bytes("2 MB"), 2'000'000u);
  EXPECT_EQ(bytes("1 GB"), 1'000'000'000u);
  EXPECT_EQ(bytes("1TB"), 1'000'000'000'000u);
  EXPECT_EQ(bytes("1 KiB"), 1024u);
  EXPECT_EQ(bytes("32 MiB"), 33'554'432u);
  EXPECT_EQ(bytes("1 GiB"), 1'073'741'824u);
  EXPECT_EQ(bytes("  1024 PiB  "), std::uint64_t{1} << 60);
}

TEST(ParseBytes, IsExact) {
  EXPECT_EQ(bytes("1.5 KiB"), 1536u);
  EXPECT_EQ(bytes("0.1 kB"), 100u);
  EXPECT_EQ(bytes("1e3 B"), 1000u);
  EXPECT_EQ(bytes("1.25e+2 kB"), 125'000u);
  EXPECT_EQ(bytes("5000e-1 B"), 500u);
  EXPECT_EQ(bytes("010 B"), 10u);                                           // decimal, whatever it looks like
  EXPECT_EQ(bytes("0.0009765625 KiB"), 1u);                                 // 2^-10
  EXPECT_EQ(bytes("1152921504606846975 B"), (std::uint64_t{1} << 60) - 1);  // a double has no such number
  EXPECT_EQ(bytes("1e-3 kB"), 1u);
}

TEST(ParseBytes, BareNumbersOnlyWhereAllowed) {
  EXPECT_EQ(parse_bytes("1024", Bare::allowed).count(), 1024u);
  EXPECT_EQ(parse_bytes("1e6", Bare::allowed).count(), 1'000'000u);
  EXPECT_EQ(parse_bytes("1KiB", Bare::allowed).count(), 1024u);
  EXPECT_THAT(error_of([] { parse_bytes("1024"); }), AllOf(HasSubstr("needs a unit"), HasSubstr("valid: B, kB")));
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"32 MX", "unknown unit \"MX\" of a size; got 32 MX; valid: B, kB, MB"},
      {"1 mib", "unknown unit \"mib\""},
      {"0x10 B", "unknown unit \"x10 B\""},
      {"1,024 B", "unknown unit \",024 B\""},
      {"-5 MiB", "a size must not be negative; got -5 MiB"},
      {"0 B", "a size must not be zero"},
      {"0.000 GiB", "a size must not be zero"},
      {"nan", "must begin with a number; got nan"},
      {".nan", "must begin with a number"},
      {"inf B", "must be finite; got inf B"},
      {"-inf B", "must be finite"},
      {".inf", "must be finite"},
      {"Infinity", "must be finite"},
      {"1e30 GiB", "a size is too large; got 1e30 GiB; valid: at most 1024 PiB"},
      {"1e999999999999999999 B", "a size is too large"},
      {"1152921504606846977 B", "a size is too large"},  // 2^60 + 1
      {"0.3 B", "a size must come out whole; got 0.3 B"},
      {"1.0001 kB", "must come out whole"},
      {"1e-999999999 B", "must come out whole"},
      {"", "got nothing"},
      {"MiB", "must begin with a number"},
      {".", "must begin with a number"},
      {std::string(100'000, '9') + " B", "too many digits"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(error_of([&] { parse_bytes(text); }), HasSubstr(expected)) << text.substr(0, 50);
  }
  EXPECT_EQ(parse_bytes("0 B", Bare::refused, Zero::allowed).count(), 0u);
}

TEST(ParseTime, RoundsUpToPicoseconds) {
  EXPECT_EQ(parse_time("1 ps").ps(), 1u);
  EXPECT_EQ(parse_time("728 ns").ps(), 728'000u);
  EXPECT_EQ(parse_time("1us").ps(), 1'000'000u);
  EXPECT_EQ(parse_time("559.24 us").ps(), 559'240'000u);
  EXPECT_EQ(parse_time("1 \u00b5s").ps(), 1'000'000u);
  EXPECT_EQ(parse_time("1 \u03bcs").ps(), 1'000'000u);
  EXPECT_EQ(parse_time("2 ms").ps(), 2'000'000'000u);
  EXPECT_EQ(parse_time("1 s").ps(), 1'000'000'000'000u);
  EXPECT_EQ(parse_time("1 min").ps(), 60'000'000'000'000u);
  EXPECT_EQ(parse_time("0.0001 ps").ps(), 1u);
  EXPECT_EQ(parse_time("1.0000001 us").ps(), 1'000'001u);
  EXPECT_EQ(parse_time("0 us").ps(), 0u);
  EXPECT_THAT(error_of([] { parse_time("0 us", Zero::refused); }), HasSubstr("a time must not be zero"));
  EXPECT_THAT(error_of([] { parse_time("3"); }), HasSubstr("a time needs a unit; got 3; valid: ps, ns, us"));
  EXPECT_THAT(error_of([] { parse_time("3 uss"); }), HasSubstr("unknown unit \"uss\" of a time"));
  EXPECT_THAT(error_of([] { parse_time("1e9 s"); }), HasSubstr("a time is too large"));
  EXPECT_THAT(error_of([] { parse_time("-1 us"); }), HasSubstr("negative"));
}

TEST(ParseBandwidth, TakesBytesAndBits) {
  EXPECT_EQ(parse_bandwidth("45 GB/s").bytes_per_second(), 45'000'000'000u);
  EXPECT_EQ(parse_bandwidth("45GBps").bytes_per_second(), 45'000'000'000u);
  EXPECT_EQ(parse_bandwidth("400 Gbit/s").bytes_per_second(), 50'000'000'000u);
  EXPECT_EQ(parse_bandwidth("400Gbps").bytes_per_second(), 50'000'000'000u);
  EXPECT_EQ(parse_bandwidth("400 Gb/s").bytes_per_second(), 50'000'000'000u);
  EXPECT_EQ(parse_bandwidth("1 GiB/s").bytes_per_second(), 1'073'741'824u);
  EXPECT_EQ(parse_bandwidth("9 bit/s").bytes_per_second(), 1u);  // rounded down
  EXPECT_THAT(error_of([] { parse_bandwidth("7 bit/s"); }), HasSubstr("at least a byte a second"));
  EXPECT_THAT(error_of([] { parse_bandwidth("0 GB/s"); }), HasSubstr("zero"));
  EXPECT_THAT(error_of([] { parse_bandwidth("45 GB"); }), HasSubstr("unknown unit \"GB\" of a bandwidth"));
  EXPECT_THAT(error_of([] { parse_bandwidth("45"); }), HasSubstr("needs a unit"));
  EXPECT_THAT(error_of([] { parse_bandwidth("1e30 GB/s"); }), HasSubstr("too large"));
}

TEST(ParseFlops, RatesAndCounts) {
  EXPECT_EQ(parse_flop_rate("459 TFLOP/s").flops_per_second(), 459'000'000'000'000u);
  EXPECT_EQ(parse_flop_rate("197 TFLOPS").flops_per_second(), 197'000'000'000'000u);
  EXPECT_EQ(parse_flop_rate("394 TOPS").flops_per_second(), 394'000'000'000'000u);
  EXPECT_EQ(parse_flop_rate("1.5e3 GFLOPs/s").flops_per_second(), 1'500'000'000'000u);
  EXPECT_THAT(error_of([] { parse_flop_rate("459 TFLOP"); }), HasSubstr("unknown unit \"TFLOP\" of a FLOP rate"));
  EXPECT_THAT(error_of([] { parse_flop_rate("459e12"); }), HasSubstr("needs a unit"));
  EXPECT_EQ(parse_flops("1e12").value(), 1e12);
  EXPECT_EQ(parse_flops("2 TFLOP").value(), 2e12);
  EXPECT_THAT(error_of([] { parse_flops("1e31"); }), HasSubstr("too large"));
}

TEST(ParseRatio, PercentAndFraction) {
  EXPECT_EQ(parse_ratio("50%"), (Ratio{1, 2}));
  EXPECT_EQ(parse_ratio("0.94"), (Ratio{94, 100}));
  EXPECT_EQ(parse_ratio("1 %"), (Ratio{1, 100}));
  EXPECT_EQ(parse_ratio("1"), (Ratio{1, 1}));
  EXPECT_EQ(scaled(Bandwidth(1000), parse_ratio("0.333")).bytes_per_second(), 333u);
  EXPECT_EQ(scaled(Bandwidth(10), parse_ratio("0.99")).bytes_per_second(), 9u);  // down
  EXPECT_THAT(error_of([] { parse_ratio("0"); }), HasSubstr("zero"));
  EXPECT_THAT(error_of([] { parse_ratio("1e-13"); }), HasSubstr("too small"));
  EXPECT_THAT(error_of([] { parse_ratio("50 us"); }), HasSubstr("unknown unit \"us\" of a ratio"));
  EXPECT_THAT(error_of([] { parse_ratio("1e7"); }), HasSubstr("too large"));
  EXPECT_EQ(parse_ratio("0%", Zero::allowed).value(), 0);
}

TEST(ParseCount, WholeNumbersInARange) {
  EXPECT_EQ(parse_count("8", 1, 10), 8u);
  EXPECT_EQ(parse_count("1e3"), 1000u);
  EXPECT_EQ(parse_count("2.0"), 2u);
  EXPECT_THAT(error_of([] { parse_count("0", 1, 10); }),
              HasSubstr("too small; got 0; valid: a whole number from 1 to 10"));
  EXPECT_THAT(error_of([] { parse_count("-3", 0, 10); }), HasSubstr("too small"));
  EXPECT_THAT(error_of([] { parse_count("11", 1, 10); }), HasSubstr("too large"));
  EXPECT_THAT(error_of([] { parse_count("2.5"); }), HasSubstr("must be whole"));
  EXPECT_THAT(error_of([] { parse_count("3 B"); }), HasSubstr("unknown unit \"B\" of a count"));
  EXPECT_THAT(error_of([] { parse_count("eight"); }), HasSubstr("must begin with a number"));
}

TEST(ParseQuantity, KnowsItsKind) {
  EXPECT_EQ(parse_quantity("680 us").kind, QuantityKind::time);
  EXPECT_DOUBLE_EQ(parse_quantity("680 us").value, 680e-6);
  EXPECT_EQ(parse_quantity("16 KiB").kind, QuantityKind::bytes);
  EXPECT_DOUBLE_EQ(parse_quantity("16 KiB").value, 16384);
  EXPECT_DOUBLE_EQ(parse_quantity("45 GB/s").value, 45e9);
  EXPECT_EQ(parse_quantity("1 TFLOP/s").kind, QuantityKind::flop_rate);
  EXPECT_DOUBLE_EQ(parse_quantity("50%").value, 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("-0.25").value, -0.25);
  EXPECT_THAT(error_of([] { parse_quantity("3 apples"); }), HasSubstr("unknown unit \"apples\""));
}

TEST(Format, ForPeople) {
  EXPECT_EQ(format_time(Time::picoseconds(562'240'533)), "562.24 us");
  EXPECT_EQ(format_time(Time::picoseconds(3'000'000)), "3 us");
  EXPECT_EQ(format_time(Time::picoseconds(19'476'000)), "19.476 us");
  EXPECT_EQ(format_time(Time::picoseconds(999'999'999)), "1 ms");
  EXPECT_EQ(format_time(Time::picoseconds(0)), "0 s");
  EXPECT_EQ(format_time(Time::picoseconds(7)), "7 ps");
  EXPECT_EQ(format_seconds(123456), "123456 s");
  EXPECT_EQ(format_bytes(Bytes(33'554'432)), "32 MiB");
  EXPECT_EQ(format_bytes(Bytes(1'000'000'000)), "1 GB");
  EXPECT_EQ(format_bytes(Bytes(1536)), "1.5 KiB");
  EXPECT_EQ(format_bytes(Bytes(0)), "0 B");
  EXPECT_EQ(format_bytes(Bytes(999)), "999 B");
  EXPECT_EQ(format_bytes(Bytes(1'048'577)), "1 MiB");
  EXPECT_EQ(format_bandwidth(Bandwidth(45'000'000'000)), "45 GB/s");
  EXPECT_EQ(format_flop_rate(FlopRate(459'000'000'000'000)), "459 TFLOP/s");
}

}  // namespace
}  // namespace hopsim

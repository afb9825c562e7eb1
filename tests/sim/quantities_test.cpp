#include <gtest/gtest.h>

#include "sim/quantities.hpp"

namespace hopsim {
namespace {

using namespace literals;

TEST(Quantities, DurationsAreRoundedUp) {
  EXPECT_EQ(Bandwidth(3).duration(1_B).ps(), 333'333'333'334u);
  EXPECT_EQ(Bandwidth(1'000'000'000'000).duration(7_B), 7_ps);
  EXPECT_EQ(Bandwidth(1'000'000'000'001).duration(1_B), 1_ps);  // a little less than a picosecond
  EXPECT_EQ(Bandwidth(999'999'999'999).duration(1_B), 2_ps);    // a little more
  EXPECT_EQ((45_GBps).duration(1_GiB).ps(), 23'860'929'423u);   // 2^30 / 45e9 s = 23 860 929 422.2 ps
  EXPECT_EQ(Bandwidth(1).duration(Bytes{}), Time{});
}

TEST(Quantities, TheLongestDurationIsAcceptedAndTheNextRefused) {
  // 2^63 ps at 10^12 bytes a second are 2^63 bytes.
  const Bandwidth byte_a_picosecond(1'000'000'000'000);
  EXPECT_EQ(byte_a_picosecond.duration(Bytes(std::uint64_t{1} << 63)), Time::max());
  EXPECT_THROW(byte_a_picosecond.duration(Bytes((std::uint64_t{1} << 63) + 1)), std::overflow_error);
  EXPECT_THROW(Bandwidth(1).duration(Bytes(~std::uint64_t{0})), std::overflow_error);
  EXPECT_NO_THROW(Bandwidth(~std::uint64_t{0}).duration(Bytes(~std::uint64_t{0})));
}

TEST(Quantities, NothingIsDoneAtRateZero) {
  EXPECT_THROW(Bandwidth().duration(1_B), std::overflow_error);
  EXPECT_THROW(FlopRate().duration(Flops(1)), std::overflow_error);
}

TEST(Quantities, FlopsCountBeyondSixtyFourBits) {
  const Uint128 yotta = Uint128{1'000'000'000'000} * 1'000'000'000'000;
  const FlopRate exa(1'000'000'000'000'000'000);
  EXPECT_EQ(exa.duration(Flops(yotta)).ps(), 1'000'000'000'000'000'000u);  // a million seconds
  EXPECT_EQ(exa.duration(Flops(yotta + 1)).ps(), 1'000'000'000'000'000'001u);
  EXPECT_THROW(exa.duration(Flops(100 * yotta)), std::overflow_error);
  EXPECT_THROW(exa.duration(Flops(Uint128{1} << 90)), std::overflow_error);
  EXPECT_THROW(exa.duration(Flops(Uint128{1} << 127)), std::overflow_error);
  EXPECT_EQ(Flops(yotta).value(), 1e24);
}

TEST(Quantities, LiteralsMeanWhatTheySay) {
  EXPECT_EQ((3_ns).ps(), 3'000u);
  EXPECT_EQ((3_us).ps(), 3'000'000u);
  EXPECT_EQ((3_ms).ps(), 3'000'000'000u);
  EXPECT_EQ((2_KiB).count(), 2'048u);
  EXPECT_EQ((1_GiB).count(), 1'073'741'824u);
  EXPECT_EQ((45_GBps).bytes_per_second(), 45'000'000'000u);
  EXPECT_DOUBLE_EQ((250_ms).seconds(), 0.25);
  EXPECT_EQ(2 * 3_us + 1_us, 7_us);
  EXPECT_EQ(3_us - 1_us, 2_us);
}

}  // namespace
}  // namespace hopsim

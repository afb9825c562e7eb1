#include "tools/measured_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/place.hpp"

namespace hopsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace hopsim::literals;

MeasuredTimes parsed(const std::string& text) { return MeasuredTimes::parse(text, "m.csv"); }

TEST(MeasuredTimes, UnitsInTheCells) {
  const auto m = parsed("bytes,time\n1 KiB, 8 us\n4096,1.5 ms\n");
  EXPECT_EQ(m.find(Operation::all_gather, 1_KiB), 8_us);
  EXPECT_EQ(m.find(Operation::broadcast, 4_KiB), 1500_us);
  EXPECT_EQ(m.find(Operation::all_gather, 2_KiB), std::nullopt);
  EXPECT_THAT(m.sizes(), ElementsAre(1_KiB, 4_KiB));
}

TEST(MeasuredTimes, TheUnitInTheHeaderAndAnyOrder) {
  EXPECT_EQ(parsed("# taken on a Friday\n\ntime_us,bytes\r\n12.5,64\r\n").find(Operation::reduce, 64_B), 12500_ns);
}

TEST(MeasuredTimes, ByOperation) {
  const auto m = parsed("op,bytes,time_ns\nall_gather,1,5\npsum,1,7\n");
  EXPECT_EQ(m.find(Operation::all_gather, 1_B), 5_ns);
  EXPECT_EQ(m.find(Operation::all_reduce, 1_B), 7_ns);
  EXPECT_EQ(m.find(Operation::all_to_all, 1_B), std::nullopt);
}

struct Bad {
  const char* text;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class BadMeasuredTimes : public testing::TestWithParam<Bad> {};

TEST_P(BadMeasuredTimes, SaysWhereAndWhat) {
  try {
    parsed(GetParam().text);
    FAIL() << "accepted";
  } catch (const PlacedError& e) {
    EXPECT_THAT(e.what(), HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMeasuredTimes,
    testing::Values(
        Bad{"", "m.csv:1:1: no measured times"}, Bad{"bytes,time\n", "m.csv:2:1: no measured times"},
        Bad{"bytes,tme\n1,1 us\n", "m.csv:1:7: unknown column (did you mean time?)"},
        Bad{"bytes\n1\n", "no column time"}, Bad{"time\n1 us\n", "no column bytes"},
        Bad{"1,2\n", "m.csv:1:1: unknown column"}, Bad{"bytes,time,time_us\n", "m.csv:1:12: a column given twice"},
        Bad{"bytes,time\n1\n", "m.csv:2:1: a line of 1 fields"},
        Bad{"bytes,time\n1,2 us,3\n", "m.csv:2:1: a line of 3 fields"}, Bad{"bytes,time\n1,2\n", "m.csv:2:3"},
        Bad{"bytes,time_us\n1,2 us\n", "m.csv:2:3"}, Bad{"bytes,time_us\n1,0\n", "m.csv:2:3"},
        Bad{"bytes,time_us\n,5\n", "m.csv:2:1"}, Bad{"bytes,time_us\nx,5\n", "m.csv:2:1"},
        Bad{"bytes,time_us\n1,5\n1 B,6\n", "m.csv:3:1: a size given twice"},
        Bad{"op,bytes,time_us\nall_gathr,1,5\n", "m.csv:2:1: unknown operation (did you mean all_gather?)"}));

TEST(MeasuredTimes, AFileThatIsNotThere) { EXPECT_THROW(MeasuredTimes::read("/nonexistent.csv"), InputError); }

}  // namespace
}  // namespace hopsim

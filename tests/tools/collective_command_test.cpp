// The real program: hopsim collective.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr double kLink = 45e9, kHop = 1e-6;

std::vector<std::string> gather(std::vector<std::string> more) {
  std::vector<std::string> all{"collective", "all_gather", "--machine", "tpu_v5e:16x16", "--axis", "X", "--ideal"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// An axis of 16 that wraps, both ways: 8 hops of 1 us and 15/16 of V over two links of 45 GB/s. The terms are equal
// at V = 16/15 x 8 us x 90 GB/s = 768 kB: 45 kB a hop and link.
TEST(CollectiveCommand, ASweepOverSizesMatchesTheFormulaAndTellsTheRegime) {
  const Json result = hopsim(gather({"--bytes", "1KiB..100MiB*2", "--json", "-"})).json();
  EXPECT_EQ(result["schema"], "hopsim.collective/1");
  EXPECT_EQ(result["machine"]["chips"], 256);
  ASSERT_EQ(result["rows"].size(), 17u);
  double bytes = 1024;
  for (const Json& row : result["rows"]) {
    const double seconds = bytes * 15 / 16 / (2 * kLink) + 8 * kHop;
    EXPECT_EQ(row["bytes"], bytes);
    EXPECT_EQ(row["nccl_bytes"], bytes);
    EXPECT_NEAR(row["time_s"].get<double>(), seconds, seconds * 1e-3);
    EXPECT_NEAR(row["closed_form_s"].get<double>(), seconds, seconds * 1e-3);
    EXPECT_LE(row["lower_bound_s"], row["time_s"]);
    EXPECT_NEAR(row["algbw_Bps"].get<double>(), bytes / seconds, bytes / seconds * 1e-3);
    EXPECT_NEAR(row["busbw_Bps"].get<double>(), bytes / seconds * 15 / 16, bytes / seconds * 1e-3);
    EXPECT_EQ(row["regime"], bytes < 768e3 ? "latency-bound" : "bandwidth-bound") << bytes;
    EXPECT_NEAR(row["link_share"].get<double>(), 1 - 8 * kHop / seconds, 1e-3);
    EXPECT_EQ(row["op"], "all_gather");
    EXPECT_EQ(row["axis"], "X");
    EXPECT_EQ(row["algorithm"], "bidirectional_ring");
    EXPECT_EQ(row["verified"], false);
    bytes *= 2;
  }
  EXPECT_GE(result["rows"].back()["link_share"], 0.94);
}

TEST(CollectiveCommand, TheTableHasALineARow) {
  const Finished f = hopsim(gather({"--bytes", "1KiB,100MiB"}));
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.err, "");  // no progress where there is no terminal
  EXPECT_THAT(f.out, HasSubstr("latency-bound below 768 kB (45 kB a hop)"));
  EXPECT_THAT(f.out, HasSubstr("  1 KiB"));
  EXPECT_THAT(f.out, HasSubstr("100 MiB"));
  EXPECT_THAT(f.out, EndsWith("bandwidth-bound        99.3 %\n"));
}

TEST(CollectiveCommand, ManyOperationsAndJaxNames) {
  const Json rows = hopsim({"collective", "psum_scatter", "all_gather", "--machine", "ring:4,bw=1GB/s,lat=1us",
                            "--bytes", "4,8", "--json", "-", "--verify"})
                        .json()["rows"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["op"], "reduce_scatter");
  EXPECT_EQ(rows[1]["bytes"], 8);
  EXPECT_EQ(rows[2]["op"], "all_gather");
  EXPECT_EQ(rows[3]["verified"], true);
}

TEST(CollectiveCommand, AsAFileWouldSay) {
  const Scratch folder;
  const auto file = write(folder / "same.yaml",
                          "machine: {chip: tpu_v5e, slice: 4x8, overrides: {hop_latency: 3 us}}\n"
                          "program: [{all_gather: {axis: Y, bytes: 1 MiB}, algorithm: line, chunks: 4}]\n");
  const Json run = hopsim({"run", file, "--json", "-"}).json();
  const Json row =
      hopsim({"collective", "all_gather", "--machine", "tpu_v5e:4x8", "--axis", "Y", "--bytes", "1MiB", "--algorithm",
              "line", "--chunks", "4", "--set", "machine.overrides.hop_latency=3us", "--json", "-"})
          .json()["rows"][0];
  for (const char* key : {"time_s", "closed_form_s", "lower_bound_s", "algbw_Bps", "busbw_Bps", "bytes", "algorithm"})
    EXPECT_EQ(row[key], run["steps"][0][key]) << key;
}

TEST(CollectiveCommand, WithoutAnAxisOverAllChips) {
  const Json rows =
      hopsim({"collective", "all_gather", "--machine", "line:5,bw=1GB/s,lat=1us", "--bytes", "5", "--json", "-"})
          .json()["rows"];
  EXPECT_EQ(rows[0]["axis"], "X");
  EXPECT_EQ(rows[0]["chips"], 5);
}

TEST(CollectiveCommand, LongAxisNamesReadBackAsTheFlag) {
  const Json rows =
      hopsim({"collective", "all_gather", "--machine", "tpu_v5e:4x4", "--set", "machine.mesh={data: 4, model: 4}",
              "--axis", "data,model", "--bytes", "1MiB", "--json", "-"})
          .json()["rows"];
  EXPECT_EQ(rows[0]["axis"], "data,model");
  EXPECT_EQ(rows[0]["chips"], 16);
}

TEST(CollectiveCommand, MeasuredTimesStandBeside) {
  const Scratch folder;
  const auto file = write(folder / "m.csv", "bytes,time_us\n1048576,20\n1024,10\n");
  const Json rows = hopsim(gather({"--measured", file, "--json", "-"})).json()["rows"];
  ASSERT_EQ(rows.size(), 2u);  // without --bytes the sizes measured
  EXPECT_EQ(rows[0]["bytes"], 1024);
  EXPECT_EQ(rows[0]["measured_s"], 10e-6);
  EXPECT_EQ(rows[1]["measured_s"], 20e-6);
  const Finished table = hopsim(gather({"--measured", file, "--bytes", "1KiB,2KiB"}));
  EXPECT_THAT(table.out, HasSubstr("10 us          0.801"));  // 8.0107 / 10
  EXPECT_THAT(table.out, EndsWith("-              -\n"));
  EXPECT_THAT(hopsim(gather({"--measured", file, "--bytes", "3"})).err, HasSubstr("has none of these sizes"));
}

TEST(CollectiveCommand, CsvHasALineARow) {
  const Finished f = hopsim(gather({"--bytes", "1KiB,2KiB", "--csv", "-"}));
  EXPECT_THAT(
      f.out, StartsWith("op,axis,chips,algorithm,chunks,bytes,nccl_bytes,time_s,algbw_Bps,busbw_Bps,closed_form_s,"));
  EXPECT_THAT(f.out, HasSubstr("\nall_gather,X,16,bidirectional_ring,1,1024,1024,8.0"));
  EXPECT_EQ(std::count(f.out.begin(), f.out.end(), '\n'), 3);
}

TEST(CollectiveCommand, OutputsGoWhereTheyWereSent) {
  const Scratch folder;
  const Finished f = hopsim(gather({"--bytes", "1KiB", "--json", folder / "r.json", "--csv", folder / "r.csv",
                                    "--trace", folder / "r.pftrace", "--quiet"}));
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.out + f.err, "");
  EXPECT_EQ(Json::parse(contents(folder / "r.json"))["rows"].size(), 1u);
  EXPECT_THAT(contents(folder / "r.csv"), StartsWith("op,"));
  EXPECT_GT(std::filesystem::file_size(folder / "r.pftrace"), 1000u);
}

TEST(CollectiveCommand, ResultsAreTheSameTwice) {
  const auto once = [] {
    Json j = hopsim(gather({"--bytes", "1KiB..1MiB*4", "--json", "-"})).json();
    j.erase("cost");
    return j.dump();
  };
  EXPECT_EQ(once(), once());
}

TEST(CollectiveCommand, AnOutputThatCannotBeWrittenIsToldBeforeAnythingRuns) {
  const Scratch folder;
  const auto where = (folder / "no" / "where.pftrace").string();
  for (const char* flag : {"--json", "--csv", "--trace"}) {
    const Finished f = hopsim(gather({"--bytes", "1KiB", "--csv", folder / "kept.csv", flag, where}));
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, AnyOf(StartsWith("hopsim: cannot write " + where + ": No such"), HasSubstr("--csv")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CollectiveCommand, AClosedPipeEndsItQuietly) {
  const std::string rows = " collective all_gather --machine ring:3,bw=1GB/s,lat=1us --bytes 1..3000+1 ";
  for (const std::string& script : {"$HOPSIM" + rows + "| head -n 1", "trap '' PIPE; $HOPSIM" + rows + "| head -n 1",
                                    "$HOPSIM" + rows + "--json - | head -n 1"}) {
    const Finished f = shell(script);
    EXPECT_EQ(f.err, "") << script;
    EXPECT_THAT(f.code, AnyOf(0, 128 + SIGPIPE)) << script;
    EXPECT_EQ(std::count(f.out.begin(), f.out.end(), '\n'), 1) << script;
  }
}

TEST(CollectiveCommand, AFullDiskUnderStandardOutputIsAnError) {
  struct stat full {};
  if (::stat("/dev/full", &full) != 0) GTEST_SKIP() << "no /dev/full";
  const Finished f = shell("$HOPSIM collective all_gather --machine ring:3,bw=1GB/s,lat=1us > /dev/full");
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.err, "hopsim: cannot write standard output\n");
}

struct Bad {
  std::vector<std::string> arguments;
  std::string says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << testing::PrintToString(bad.arguments); }

class BadCollective : public testing::TestWithParam<Bad> {};

TEST_P(BadCollective, IsOneClearLineAndExitCode2) {
  const Finished f = hopsim(GetParam().arguments);
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, StartsWith("hopsim: "));
  EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
  EXPECT_THAT(f.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCollective,
    testing::Values(
        Bad{{"collective"}, "collective: OP is required; see hopsim collective --help"},
        Bad{{"collective", "all_gather"}, "--machine is required"},
        Bad{{"collective", "all_gathr", "--machine", "ring:4,bw=1GB/s,lat=1us"},
            "unknown operation (did you mean all_gather?); got all_gathr; valid: all_gather, "},
        Bad{gather({"--bytes", "2KiB..1KiB*2"}), "--bytes:1:1: the range runs backwards"},
        Bad{gather({"--bytes", "1KiB..2KiB*1"}), "never ends"},
        Bad{gather({"--bytes", "1KiB..2KiB*0"}), "never ends"},
        Bad{gather({"--bytes", "1KiB..2KiB+0"}), "never ends"}, Bad{gather({"--bytes", ""}), "--bytes"},
        Bad{gather({"--bytes", "0"}), "--bytes:1:1: bytes: "}, Bad{gather({"--bytes"}), "collective: --bytes"},
        Bad{gather({"--axis", "Y"}), "--axis"},
        Bad{{"collective", "all_gather", "--machine", "tpu_v5e:4x4", "--axis", "Q"},
            "--axis:1:1: unknown axis; got Q; valid: X, Y"},
        Bad{{"collective", "all_gather", "--machine", "tpu_v5e:4x4", "--axis", "X,X"},
            "--axis:1:3: an axis used twice"},
        Bad{{"collective", "all_gather", "--machine", "tpu_v5e:4x4", "--axis", ""}, "--axis:1:1: axis is empty"},
        Bad{gather({"--algorithm", "rign"}), "--algorithm:1:1: unknown algorithm; got rign; valid: auto, "},
        Bad{gather({"--chunks", "0"}), "--chunks:1:1: chunks: "}, Bad{gather({"--chunks", "many"}), "--chunks:1:1"},
        Bad{gather({"--schedule", "bok"}), "--schedule:1:1: unknown value of schedule (did you mean book?)"},
        Bad{gather({"--root", "0"}), "--root is of broadcast, reduce, gather and scatter"},
        Bad{gather({"--measured", "/nonexistent"}), "cannot read /nonexistent"},
        Bad{gather({"--trace", "x.pftrace"}), "--trace takes one row"},
        Bad{gather({"--set", "program.0=x"}), "--set reaches the machine only"},
        Bad{gather({"--set", "machine"}), "--set needs KEY=VALUE"},
        Bad{gather({"--set", "machine.chp=x"}), "unknown key in machine (did you mean chip?)"},
        Bad{gather({"--json", "-", "--csv", "-"}), "--csv would replace --json"},
        Bad{gather({"--machin", "x"}), "collective: unknown flag (did you mean --machine?); got --machin"},
        Bad{{"collective", "all_gather", "--machine", "tpu_v5x:4x4"}, "--machine:1:1: unknown chip"}));

}  // namespace
}  // namespace hopsim::test

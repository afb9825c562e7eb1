// hopsim sweep through the real program. Times are derived by hand: a one-way ring of N chips gathers V bytes in
// N - 1 steps of V/N bytes, each V/(N W) and one hop.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr const char* kRing =
    "name: rings\n"
    "machine: {topology: {kind: ring, shape: 4}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "program:\n"
    "  - {all_gather: {axis: X, bytes: 1 MiB}, algorithm: ring}\n";

// As whole picoseconds, in seconds: what the program prints, digit for digit.
double ring_time(std::uint64_t chips, std::uint64_t bytes) {
  const std::uint64_t step_ps = (bytes / chips * 1000) + 1'000'000;  // at 1 GB/s a byte takes 1000 ps
  return static_cast<double>((chips - 1) * step_ps) / 1e12;
}

struct Case {
  Scratch folder;
  std::filesystem::path file;

  explicit Case(const std::string& sweep, const std::string& base = kRing) {
    file = write(folder / "rings.yaml", base + sweep);
  }
  Finished run(std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"sweep", file});
    return hopsim(flags);
  }
};

TEST(SweepCommand, EveryPointTakesWhatItsFormulaSays) {
  const Case c("sweep:\n  machine.topology.shape: [2, 4, 8]\n  program.0.all_gather.bytes: 1 KiB .. 1 MiB * 32\n");
  const Finished f = c.run({"--json", "-", "--verify"});
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.err, "");
  const Json sweep = f.json();
  EXPECT_EQ(sweep["schema"], "hopsim.sweep/1");
  EXPECT_EQ(sweep["axes"].dump(),
            R"({"machine.topology.shape":[2,4,8],"program.0.all_gather.bytes":[1024,32768,1048576]})");
  ASSERT_EQ(sweep["points"].size(), 9u);
  std::size_t at = 0;
  for (const std::uint64_t chips : {2u, 4u, 8u})
    for (const std::uint64_t bytes : {1024u, 32768u, 1048576u}) {
      const Json& point = sweep["points"][at++];
      EXPECT_EQ(point["parameters"]["machine.topology.shape"], chips);
      EXPECT_EQ(point["parameters"]["program.0.all_gather.bytes"], bytes);
      EXPECT_DOUBLE_EQ(point["result"]["time_s"].get<double>(), ring_time(chips, bytes));
      EXPECT_EQ(point["result"]["machine"]["chips"], chips);
      EXPECT_EQ(point["result"]["verified"], true);
      EXPECT_EQ(point["result"]["schema"], "hopsim.run/1");
      EXPECT_FALSE(point["result"].contains("cost"));
    }
  ASSERT_EQ(sweep["best"].size(), 3u);  // of each size
  for (std::size_t size = 0; size < 3; ++size) EXPECT_EQ(sweep["best"][size]["point"], size);
  EXPECT_EQ(sweep["best"][0]["value"], ring_time(2, 1024));
  EXPECT_EQ(sweep["errors"], 0);
}

// What `hopsim run` says of the same values.
TEST(SweepCommand, APointIsARunWithItsValuesSet) {
  const Case c("sweep: {machine.topology.shape: [4, 8]}\n");
  Json run = hopsim({"run", c.file, "--set", "machine.topology.shape=8", "--json", "-"}).json();
  run.erase("cost");
  run["warnings"] = Json::array();  // of the sweep that is left alone
  EXPECT_EQ(c.run({"--json", "-"}).json()["points"][1]["result"], run);
}

// 2 chips: 525.288 us; 4: 789.432 us, 1.50 of it; 8: 924.504 us, 1.76 of it.
TEST(SweepCommand, TheTableMarksTheBestAndSaysByHowMuch) {
  const Case c("sweep: {machine.topology.shape: [8, 2, 4]}\n");
  const Finished f = c.run();
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, StartsWith("rings: 3 points: machine.topology.shape (3)\nshape  algorithm "));
  EXPECT_THAT(f.out,
              testing::ContainsRegex("\n8      ring  .* 1.76x\n2      ring  .*1.00x  best\n4      ring .*1.50x\n"));
  EXPECT_THAT(f.out, HasSubstr("best: shape 2, 525.29 us; next: shape 4, 789.43 us, 1.50x; last: shape 8, 924.5 us, "
                               "1.76x\n"));
}

// A large array takes longer than a small one on any machine: that says nothing.
TEST(SweepCommand, PointsAreComparedWithThoseOfTheSameWork) {
  const Case c("sweep:\n  machine.topology.shape: [2, 4]\n  program.0.all_gather.bytes: [1 KiB, 1 MiB]\n");
  const std::string out = c.run().out;
  EXPECT_THAT(out, testing::ContainsRegex("\n2      1 MiB  ring .* 1.00x  best\n4      1 KiB .* 2.49x\n"));
  EXPECT_THAT(out, HasSubstr("\nbest of bytes 1 MiB: shape 2, 525.29 us; next: shape 4, 789.43 us, 1.50x\n"));
  // Where nothing else varies all are compared: one hop of 512 B or 1024 B, and 1 us.
  EXPECT_THAT(Case("sweep: {machine.topology.shape: [2], program.0.all_gather.bytes: [1 KiB, 2 KiB]}\n").run().out,
              HasSubstr("\nbest: shape 2, bytes 1 KiB, 1.512 us; next: shape 2, bytes 2 KiB, 2.024 us, 1.34x\n"));
  EXPECT_THAT(Case("sweep: {program.0.all_gather.bytes: [4 kB, 8 kB]}\n").run().out,
              HasSubstr("best: bytes 4 kB, 6 us; next: bytes 8 kB, 9 us, 1.50x\n"));
}

TEST(SweepCommand, BestByAnotherKeyOfTheResult) {
  const Case c("sweep: {machine.topology.shape: [2, 4, 8]}\n");
  // More is better: 524288 B in 525.288 us on 2 chips, 131072 B in 132.072 us on 8.
  EXPECT_THAT(c.run({"--best", "steps.0.busbw_Bps"}).out,
              HasSubstr("\nbest by steps.0.busbw_Bps: shape 2, 998.1 MB/s; next: shape 4, 996.2 MB/s, 1.00x; "
                        "last: shape 8, 992.43 MB/s, 1.01x\n"));
  // Less is better. 3/4 of the array over two links, 7/8 over two, half of it over one; and the farthest chip's hops.
  EXPECT_THAT(c.run({"--best", "steps.0.lower_bound_s"}).out,
              HasSubstr("\nbest by steps.0.lower_bound_s: shape 4, 394.22 us; next: shape 8, 459.75 us, 1.17x; "));
  EXPECT_THAT(c.run({"--best", "time"}).out, HasSubstr("\nbest: shape 2, "));
  EXPECT_THAT(c.run({"--best", "overlap"}).out, HasSubstr("\nbest by overlap: 0 at all of them\n"));
  const Finished f = c.run({"--best", "steps.0.speed", "--json", c.folder / "r.json"});
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err,
              StartsWith("hopsim: --best:1:1: the result has no such value; got steps.0.speed; valid: index, "));
  EXPECT_FALSE(std::filesystem::exists(c.folder / "r.json"));
}

TEST(SweepCommand, APointThatLacksWhatRanksIsNotRanked) {
  const Case c("sweep: {program: [[{compute: {time: 1 us}}, {compute: {time: 2 us}}], [{compute: {time: 3 us}}]]}\n");
  const Finished f = c.run({"--best", "steps.1.time_s"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr(" no steps.1.time_s\n"));
  EXPECT_THAT(f.out, HasSubstr("\nbest by steps.1.time_s: "));
}

TEST(SweepCommand, CsvHasARowAPoint) {
  const Case c("sweep:\n  machine.topology.shape: [2, 4]\n  program.0.algorithm: [ring, nonsense]\n");
  const Finished f = c.run({"--csv", "-"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, StartsWith("machine.topology.shape,program.0.algorithm,algorithms,time_s,closed_form_s,"));
  EXPECT_EQ(std::count(f.out.begin(), f.out.end(), '\n'), 5);
  EXPECT_THAT(f.out, HasSubstr("\n2,ring,ring,0.000525288,0.000525288,"));
  EXPECT_THAT(f.out, testing::ContainsRegex("\n4,nonsense,,,,.*,\"?rings.yaml:"));
}

TEST(SweepCommand, APointThatFailsIsARowWithItsError) {
  const Case c("sweep: {machine.topology.shape: [none, 4, 0]}\n");
  const Finished f = c.run({"--json", c.folder / "r.json"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.out,
              testing::ContainsRegex("\nnone .* error: rings.yaml:5:34: shape: a bad size in a shape; got none"));
  EXPECT_THAT(f.out, testing::ContainsRegex("\n4 .* 1.00x  best\n"));
  const Json sweep = Json::parse(contents(c.folder / "r.json"));
  EXPECT_THAT(sweep["points"][0]["error"].get<std::string>(), StartsWith("rings.yaml:5:34: "));
  EXPECT_FALSE(sweep["points"][0].contains("result"));
  EXPECT_FALSE(sweep["points"][1].contains("error"));
  EXPECT_EQ(sweep["errors"], 2);
  EXPECT_EQ(sweep["best"][0]["point"], 1);
}

TEST(SweepCommand, IfNoPointRunsThatIsBadInput) {
  const Case c("sweep: {machine.topology.shape: [none, 0]}\n");
  for (const std::string& json : {std::string("-"), (c.folder / "r.json").string()}) {
    const Finished f = c.run({"--json", json});
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, StartsWith("hopsim: " + c.file.string() +
                                  ":5:34: no point of the sweep can be run, of 2; the first: shape: a bad size"));
    EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1);
  }
  EXPECT_FALSE(std::filesystem::exists(c.folder / "r.json"));
}

TEST(SweepCommand, TwoRunsAreByteIdenticalFromAnyFolder) {
  const Case c("sweep:\n  machine.topology.shape: [2, none, 4]\n  program.0.all_gather.bytes: [1 KiB, 1 MiB]\n");
  const Finished f =
      shell("\"$HOPSIM\" sweep '" + c.file.string() + "' --json '" + (c.folder / "a").string() + "' --csv '" +
            (c.folder / "c").string() + "' > '" + (c.folder / "t").string() + "' && cd '" + c.folder.path().string() +
            "' && \"$HOPSIM\" sweep rings.yaml --json b --csv d > u && cmp a b && cmp c d && cmp t u");
  EXPECT_EQ(f.code, 0) << f.out << f.err;
}

TEST(SweepCommand, ExpectationsAreOfTheBasePoint) {
  const std::string sweep = "sweep: {machine.topology.shape: [2, 4, 8]}\n";
  const Case good(sweep + "expect: [{step: 1, time: 789.432 us}]\n");
  const Finished f = good.run();
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr("\nshape 4:\n  as expected  step 1 time: 789.43 us"));
  const Finished bad = Case(sweep + "expect: [{step: 1, time: 700 us}]\n").run();
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, testing::ContainsRegex("\n4 .* 1.50x  NOT AS EXPECTED\n8"));
  const Finished out = Case("sweep: {machine.topology.shape: [2]}\nexpect: [{step: 1, time: 700 us}]\n").run();
  EXPECT_EQ(out.code, 0);
  EXPECT_THAT(out.err, HasSubstr("expect is of the base point, which the sweep leaves out"));
}

TEST(SweepCommand, ExpectationsMayMoveAlong) {
  const std::string base = "expect: [{step: 1, time: 1 us, source: a formula}]\n";
  const auto zip = [&](const std::string& times) {
    return Case(base + "sweep:\n  zip: {machine.topology.shape: [2, 4, 8], expect.0.time: " + times + "}\n").run();
  };
  EXPECT_EQ(zip("[525.288 us, 789.432 us, 924.504 us]").code, 0);
  EXPECT_EQ(zip("[525.288 us, 789.432 us, 1 ms]").code, 1);
}

TEST(SweepCommand, FlagsReachEveryPoint) {
  const Case c("sweep: {program.0.all_gather.bytes: [1 MiB, 2 MiB]}\n");
  const Json points = c.run({"--set", "machine.topology.shape=8", "--json", "-"}).json()["points"];
  EXPECT_DOUBLE_EQ(points[1]["result"]["time_s"].get<double>(), ring_time(8, 2 << 20));
  const Json other = c.run({"--machine", "ring:2,bw=1GB/s,lat=1us", "--json", "-"}).json()["points"];
  EXPECT_DOUBLE_EQ(other[0]["result"]["time_s"].get<double>(), ring_time(2, 1 << 20));
}

TEST(SweepCommand, FlagsBelowAKeyComeAfterItsValues) {
  const Case c("sweep: {machine: [{chip: tpu_v5e, slice: 4x4}, {chip: tpu_v5p, slice: 4x4x4}]}\n",
               "machine: {chip: tpu_v5e, slice: 2x2}\nprogram: [{all_gather: {axis: X, bytes: 1 MiB}}]\n");
  const Json points = c.run({"--ideal", "--json", "-"}).json()["points"];
  const Json ideal = hopsim({"run", c.file, "--machine", "tpu_v5e:4x4", "--ideal", "--json", "-"}).json();
  const Json real = hopsim({"run", c.file, "--machine", "tpu_v5e:4x4", "--json", "-"}).json();
  EXPECT_EQ(points[0]["result"]["time_s"], ideal["time_s"]);
  EXPECT_LT(ideal["time_s"].get<double>(), real["time_s"].get<double>());
}

TEST(SweepCommand, RunTakesTheBasePoint) {
  const Case c("sweep: {machine.topology.shape: [2, 8]}\n");
  const Finished f = hopsim({"run", c.file, "--json", "-"});
  EXPECT_EQ(f.code, 0);
  EXPECT_DOUBLE_EQ(f.json()["time_s"].get<double>(), ring_time(4, 1 << 20));
  EXPECT_THAT(f.err, HasSubstr("base point"));
}

TEST(SweepCommand, QuietSaysNothing) {
  const Finished f = Case("sweep: {machine.topology.shape: [2, 8]}\n").run({"--quiet"});
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.out + f.err, "");
}

TEST(SweepCommand, KeysAreNamedByWhatTellsThemApart) {
  const Case c(
      "  - {all_gather: {axis: X, bytes: 2 MiB}, algorithm: ring}\n"
      "sweep:\n  program.0.all_gather.bytes: [1 MiB]\n  program.1.all_gather.bytes: [1 MiB]\n"
      "  program.0.algorithm: [ring]\n  machine.topology.shape: [4]\n");
  EXPECT_THAT(c.run().out, HasSubstr("\nprogram.0.all_gather.bytes  program.1.all_gather.bytes  algorithm  shape  "));
}

// A cube of 4 wraps on a v5p, and no other shape of 64 chips does.
TEST(SweepCommand, TheCubeWins) {
  const Finished f = hopsim({"sweep", source_dir() / "scenarios/sweeps/all_reduce_64_chips.yaml", "--json", "-"});
  ASSERT_EQ(f.code, 0) << f.err;
  const Json sweep = f.json();
  EXPECT_EQ(sweep["points"].size(), 7u);
  EXPECT_EQ(sweep["errors"], 0) << f.out;
  EXPECT_EQ(sweep["best"][0]["parameters"]["machine.slice"], "4x4x4");
}

struct Bad {
  std::string sweep;
  std::vector<std::string> flags;
  std::string says;  // after the file's name
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.sweep << testing::PrintToString(bad.flags); }

class BadSweep : public testing::TestWithParam<Bad> {};

TEST_P(BadSweep, IsOneClearLineAndExitCode2) {
  const Case c(GetParam().sweep);
  const auto json = c.folder / "r.json";
  std::vector<std::string> flags = GetParam().flags;
  flags.insert(flags.end(), {"--json", json});
  const Finished f = c.run(flags);
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
  const std::string says = GetParam().says.starts_with(':') ? c.file.string() + GetParam().says : GetParam().says;
  EXPECT_THAT(f.err, StartsWith("hopsim: " + says));
  EXPECT_FALSE(std::filesystem::exists(json));
}

constexpr const char* kGood = "sweep: {machine.topology.shape: [2, 4]}\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadSweep,
    testing::Values(
        Bad{"", {}, ":1:1: the scenario has no sweep; valid: sweep: "},
        Bad{"sweep: {}\n", {}, ":5:8: an empty sweep"}, Bad{"sweep:\n", {}, ":5:1: sweep must be a map; got nothing"},
        Bad{"sweep: {machine.slce: [1, 2]}\n", {}, ":5:9: unknown key in machine (did you mean slice?); got slce"},
        Bad{"sweep: {program.1.all_gather.bytes: [1 B]}\n",
            {},
            ":5:9: program has no such item; got 1; valid: 0 to 0"},
        Bad{"sweep: {machine.topology.shape: []}\n", {}, ":5:33: machine.topology.shape has no values"},
        Bad{"sweep: {machine.topology.shape: [2], machine.topology.shape: [2]}\n", {}, ":5:38: a key given twice"},
        Bad{"sweep: {program.0.all_gather.bytes: 1 KiB .. 1 TiB + 1 B}\n", {}, ":5:37: more than 100000 values"},
        Bad{"sweep: {program.0.all_gather.bytes: 1 KB .. 9 KB + 1 B, machine.topology.shape: 1 .. 999}\n",
            {},
            ":5:8: a sweep of too many points; got 8001 x 999 = 7992999; valid: at most 100000 points: larger steps, "
            "or "
            "zip; or --yes, which runs them all\n"},
        Bad{"sweep: {program.0.all_gather.bytes: 1 KB .. 9 KB + 1 B, machine.topology.shape: 1 .. 999, "
            "program.0.chunks: 1 .. 999}\n",
            {"--yes"},
            ":5:8: a sweep of too many points; got 8001 x 999 x 999; valid: at most 4294967295 points: larger steps, "
            "or "
            "zip\n"},
        Bad{"sweep: {machine.topology.shape: [2], where: machine.topology.size > 1}\n",
            {},
            ":5:45: the scenario has no such value; got machine.topology.size"},
        Bad{kGood,
            {"--set", "machine.topology.shape=8"},
            "--set sets what the sweep varies; got machine.topology.shape"},
        Bad{"sweep: {machine: [{chip: tpu_v5e, slice: 4}]}\n",
            {"--machine", "tpu_v5e:8"},
            "--machine sets what the sweep varies; got machine"},
        Bad{kGood, {"--trace", "t.pftrace"}, "--trace takes one run, not a sweep"},
        Bad{kGood, {"--jobs", "0"}, "--jobs: a count is too small; got 0; valid: a whole number from 1 to 1000\n"},
        Bad{kGood, {"--jobs", "-1"}, "--jobs: a count is too small; got -1; valid: a whole number from 1 to 1000\n"},
        Bad{kGood, {"--jobs", "1001"}, "--jobs: a count is too large; got 1001; valid: "},
        Bad{kGood, {"--jobs", "many"}, "--jobs: a count must begin with a number; got many; valid: "},
        Bad{kGood, {"--jbs", "2"}, "sweep: unknown flag (did you mean --jobs?)"},
        Bad{kGood, {"--best", ""}, "sweep: --best"}, Bad{kGood, {"more.yaml"}, "sweep: one argument too many"}));

TEST(SweepCommand, NeedsAFile) { EXPECT_THAT(hopsim({"sweep"}).err, StartsWith("hopsim: sweep: FILE is required")); }

TEST(SweepCommand, HelpIsAResult) {
  const Finished f = hopsim({"sweep", "--help"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr("--best"));
}

}  // namespace
}  // namespace hopsim::test

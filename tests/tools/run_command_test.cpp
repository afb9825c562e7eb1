// The real program: hopsim run, and how the command line is used wrongly.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr const char* kTwoSteps =
    "name: two\n"
    "machine: {chip: tpu_v5e, slice: 4x4, ideal: true}\n"
    "program:\n"
    "  - {all_gather: {axis: X, bytes: 1 MiB}}\n"
    "  - compute: {time: 5 us}\n";

TEST(RunCommand, CsvHasALineAStep) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", kTwoSteps);
  const Finished f = hopsim({"run", file, "--csv", "-"});
  EXPECT_THAT(f.out, StartsWith("scenario,index,program,text,kind,"));
  EXPECT_THAT(f.out, HasSubstr("\ntwo,0,1,AllGather over X,all_gather,X,line,1048576,"));
  EXPECT_THAT(f.out, HasSubstr("\ntwo,1,2,compute,compute,,,0,"));
}

TEST(RunCommand, CsvOfSeveralFilesIsOneTable) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", kTwoSteps);
  ASSERT_EQ(hopsim({"run", file, file, "--csv", folder / "all.csv", "--quiet"}).code, 0);
  const std::string text = contents(folder / "all.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(RunCommand, AFailedExpectationStillWritesItsOutputs) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", std::string(kTwoSteps) + "expect: [{step: 2, time: 20 us}]\n");
  const Finished f = hopsim({"run", file, "--csv", folder / "r.csv", "--json", folder / "r.json"});
  EXPECT_EQ(f.code, 1);
  EXPECT_THAT(f.out, HasSubstr("NOT AS EXPECTED"));
  EXPECT_EQ(Json::parse(contents(folder / "r.json"))["expect"][0]["pass"], false);
  EXPECT_TRUE(std::filesystem::exists(folder / "r.csv"));
}

TEST(RunCommand, BadInputWritesNothing) {
  const Scratch folder;
  const auto good = write(folder / "good.yaml", kTwoSteps), bad = write(folder / "bad.yaml", "machine: {}\n");
  const Finished f = hopsim({"run", good, bad, "--json", folder / "r.json"});
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, StartsWith("hopsim: " + bad.string() + ":1:"));
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json"));
}

TEST(RunCommand, OutputsReplaceNeitherInputsNorOneAnother) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", kTwoSteps);
  EXPECT_THAT(hopsim({"run", file, "--json", file}).err, HasSubstr("--json would replace the input"));
  EXPECT_EQ(contents(file), kTwoSteps);
  const auto same = (folder / "." / "r.pftrace").string();
  EXPECT_THAT(hopsim({"run", file, "--json", folder / "r.pftrace", "--trace", same}).err,
              HasSubstr("--trace would replace --json"));
  EXPECT_THAT(hopsim({"run", file, "--trace", folder / "r.json"}).err, HasSubstr("valid: FILE.pftrace"));
  EXPECT_EQ(hopsim({"run", file, "--json", ""}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.pftrace"));
}

// 95 % of the peak of each step's own type: the catalogue's flops_efficiency of a v5e.
TEST(RunCommand, UtilisationIsOfEachTypesPeak) {
  const Scratch folder;
  const auto file = write(folder / "m.yaml",
                          "machine: {chip: tpu_v5e, slice: 2x2}\n"
                          "program:\n"
                          "  - matmul: {m: 8192, n: 8192, k: 8192, dtype: int8}\n"
                          "  - matmul: {m: 8192, n: 8192, k: 8192, dtype: bf16}\n");
  EXPECT_NEAR(hopsim({"run", file, "--json", "-"}).json()["mfu"].get<double>(), 0.95, 1e-6);
}

TEST(RunCommand, ExpectationsHaveTheUnitOfTheirValue) {
  const Scratch folder;
  for (const char* expect :
       {"time_s, is: 1 MiB", "overlap, is: 1 GB/s", "steps.0.messages, is: 48 us", "cost.events, is: 1"}) {
    const auto file = write(folder / "e.yaml", std::string(kTwoSteps) + "expect: [{value: " + expect + "}]\n");
    EXPECT_EQ(hopsim({"run", file}).code, 2) << expect;
  }
}

TEST(RunCommand, SimGridRunsOneScenario) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", kTwoSteps);
  EXPECT_EQ(hopsim({"run", file, file, "--engine", "simgrid"}).code, 2);
}

TEST(RunCommand, HelpAndVersionAreResults) {
  EXPECT_EQ(hopsim({"--version"}).code, 0);
  EXPECT_THAT(hopsim({"--version"}).out, StartsWith("hopsim "));
  for (const char* command : {"run", "collective", "list", "show"}) {
    const Finished f = hopsim({command, "--help"});
    EXPECT_EQ(f.code, 0);
    EXPECT_EQ(f.err, "");
    EXPECT_THAT(f.out, HasSubstr("--json"));
  }
}

struct Bad {
  std::vector<std::string> arguments;
  std::string says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << testing::PrintToString(bad.arguments); }

class BadUsage : public testing::TestWithParam<Bad> {};

TEST_P(BadUsage, IsOneClearLineAndExitCode2) {
  const Finished f = hopsim(GetParam().arguments);
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, StartsWith("hopsim: " + GetParam().says));
  EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadUsage,
    testing::Values(Bad{{}, "no command; valid: run, collective, "},
                    Bad{{"collectiv"}, "unknown command (did you mean collective?); got collectiv; valid: run, "},
                    Bad{{"xyzzy", "--json"}, "unknown command; got xyzzy"}, Bad{{"--foo"}, "unknown flag; got --foo"},
                    Bad{{"run"}, "run: FILE is required; see hopsim run --help"},
                    Bad{{"run", "x.yaml", "--jsn", "-"}, "run: unknown flag (did you mean --json?); got --jsn"},
                    Bad{{"run", "--jsn=x"}, "run: unknown flag (did you mean --json?); got --jsn=x"},
                    Bad{{"run", "x.yaml", "-x"}, "run: unknown flag; got -x"},
                    Bad{{"run", "x.yaml", "--fold", "offf"},
                        "run: --fold: unknown value (did you mean off?); got offf; valid: auto, on, off"},
                    Bad{{"run", "x.yaml", "--trace"}, "run: --trace"},
                    Bad{{"run", "/nonexistent.yaml"}, "/nonexistent.yaml: "},
                    Bad{{"list", "chips", "scenarios"}, "list: one argument too many; got scenarios"},
                    Bad{{"list", "chip"}, "list: WHAT: unknown value (did you mean chips?); got chip"},
                    Bad{{"show"}, "show: NAME is required"}));

}  // namespace
}  // namespace hopsim::test

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

// 1 MiB along a line of 4 over 45 GB/s: three hops of a quarter, 5825.4 ns each, and 1 us of latency a hop.
TEST(RunCommand, TellsWhatOverlapsAndWhatTheTimeWaitedFor) {
  const Scratch folder;
  const auto file = write(folder / "two.yaml", kTwoSteps);
  const Finished f = hopsim({"run", file, "--critical-path"});
  EXPECT_THAT(f.out, HasSubstr("\nstep  overlap"));
  EXPECT_THAT(f.out, HasSubstr("time/max 1.244, time/sum 1.000\n"));  // (20.476 + 5) / 20.476
  EXPECT_THAT(f.out, HasSubstr("\nstep  critical path"));
  const Json r = hopsim({"run", file, "--critical-path", "--json", "-"}).json();
  EXPECT_EQ(r["critical_path"].back()["what"], "compute");
  EXPECT_EQ(r["critical_path"].back()["end_s"], r["time_s"]);
  EXPECT_EQ(r["steps"][0]["exposed_comm_s"], r["exposed_comm_s"]);
  EXPECT_NEAR(r["sum_s"].get<double>(), 5e-6 + 3 * (262144 / 45e9 + 1e-6), 1e-11);
  const Finished plain = hopsim({"run", file, "--json", "-"});
  EXPECT_FALSE(plain.json().contains("critical_path"));
}

// Launches, switches that reduce, jitter, shared links, DCN, host loads, planned products.
TEST(RunCommand, EveryPartOfTheTimeIsOnTheCriticalPath) {
  for (const char* name :
       {"fabrics/nvls_allreduce", "fabrics/jitter", "fabrics/groups_share_a_link", "fabrics/slices_over_dcn",
        "fabrics/oversubscribed_spines", "book/ch2_q6_load_and_multiply", "book/ch3_megatron_backward"}) {
    const auto file = source_dir() / "scenarios" / (std::string(name) + ".yaml");
    const Json r = hopsim({"run", file, "--critical-path", "--json", "-"}).json();
    Json at = 0.0;
    for (const Json& segment : r["critical_path"]) {
      EXPECT_EQ(segment["start_s"], at) << name;
      EXPECT_NE(segment["what"], "other") << name;
      at = segment["end_s"];
    }
    EXPECT_EQ(at, r["time_s"]) << name;
  }
}

TEST(RunCommand, ManyAlikeStepsOfALineShareARow) {
  const Scratch folder;
  std::string steps;
  for (int i = 0; i < 40; ++i) steps += std::string(i ? ", " : "") + "{compute: {time: 5 us}}";
  const auto file = write(folder / "many.yaml", "machine: {chip: tpu_v5e, slice: 2x2}\nprogram:\n  - parallel: [" +
                                                    steps + "]\n  - compute: {time: 5 us}\n");
  const Finished f = hopsim({"run", file});
  EXPECT_LT(std::count(f.out.begin(), f.out.end(), '\n'), 8);
  EXPECT_THAT(f.out, HasSubstr("\n1     compute  x40"));
  EXPECT_THAT(f.out, HasSubstr(" 5 us..200 us "));  // they take turns
  EXPECT_THAT(f.out, HasSubstr("\n2     compute  "));
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

// I_X, K_X on a line of 4: A is 512 x 512, B 512 x 64, so B is the one to gather.
TEST(RunCommand, ProductsSayHowTheyAreDone) {
  const Scratch folder;
  const auto file = write(folder / "p.yaml",
                          "machine: {chip: tpu_v5e, slice: 4, ideal: true}\n"
                          "dims: {I: 512, J: 512, K: 64}\n"
                          "program:\n"
                          "  - C[I_X, K] = A[I_X, J] * B[J, K_X]\n"
                          "  - D[I_X, K] = relu(C)\n");
  const Finished f = hopsim({"run", file, "--verify"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("step 1: case 4, repaired: gather B over X "));
  EXPECT_THAT(f.out, HasSubstr("(or: gather A over X"));
  EXPECT_THAT(f.out, HasSubstr("step 1: bound by HBM: "));
  EXPECT_THAT(f.out, HasSubstr("values proven of 1 planned line: "));
  const Json steps = hopsim({"run", file, "--json", "-"}).json()["steps"];
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0]["case"], 4);
  EXPECT_EQ(steps[0]["strategy"], "gather B over X");
  EXPECT_EQ(steps[0]["strategies"][0]["name"], "gather B over X");
  EXPECT_EQ(steps[1]["strategy"], "gather B over X");
  EXPECT_FALSE(steps[1].contains("strategies"));
  // 128 x 512, 512 x 64 and 128 x 64 elements at 820 GB/s; 2 x 128 x 512 x 64 FLOPs at 1.97e14/s.
  EXPECT_NEAR(steps[1]["hbm_s"].get<double>(), 2 * (65536 + 32768 + 8192) / 820e9, 1e-11);
  EXPECT_NEAR(steps[1]["flops_s"].get<double>(), 2.0 * 128 * 512 * 64 / 1.97e14, 1e-11);
  EXPECT_EQ(steps[2]["kind"], "elementwise");
}

struct BadLine {
  std::string line;
  int column;  // in the line, from 1
  std::string says;
};
void PrintTo(const BadLine& bad, std::ostream* out) { *out << bad.line; }

class BadNotation : public testing::TestWithParam<BadLine> {};

TEST_P(BadNotation, HasItsColumn) {
  const Scratch folder;
  const auto file = write(folder / "b.yaml",
                          "machine: {chip: tpu_v5e, slice: 4x4}\n"
                          "dims: {I: 512, J: 512, K: 64, L: 64, M: 1099511627776, N: 1099511627776}\n"
                          "program:\n"
                          "  - P[I, K]{U_X} = A[I, J_X] * B[J_X, K]\n"
                          "  - " +
                              GetParam().line + "\n");
  const Finished f = hopsim({"run", file});
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, StartsWith("hopsim: " + file.string() + ":5:" + std::to_string(4 + GetParam().column) + ": "));
  EXPECT_THAT(f.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(All, BadNotation,
                         testing::Values(BadLine{"C[I, K] = A[I, J] * B[J K]", 25, "expected , or ]; got 'K'"},
                                         BadLine{"C[I, K] = A[I, J=512] * B[J=256, K]", 27, "J"},
                                         BadLine{"C[I, K] = A[I, J_W] * B[J, K]", 18, "X, Y"},
                                         BadLine{"C[I, K] = A[I_X, J_X] * B[J, K]", 20, "X"},
                                         BadLine{"C[I, K] = A[I, J] * B[L, K]", 21, "nothing to contract over"},
                                         BadLine{"C[I, L] = A[I, J] * B[J, K]", 6, "L"},
                                         BadLine{"D[I, J] = P * A[K, J]", 11, "partial sum"},
                                         BadLine{"D[I, K] = gelu(P)", 16, "gelu needs the whole array"},
                                         BadLine{"D[N, M] = E[N, J] * F[J, M]", 1, "too many"}));

TEST(RunCommand, ExpectationsHaveTheUnitOfTheirValue) {
  const Scratch folder;
  for (const char* expect :
       {"time_s, is: 1 MiB", "overlap, is: 1 GB/s", "steps.0.messages, is: 48 us", "cost.events, is: 1"}) {
    const auto file = write(folder / "e.yaml", std::string(kTwoSteps) + "expect: [{value: " + expect + "}]\n");
    EXPECT_EQ(hopsim({"run", file}).code, 2) << expect;
  }
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
                    Bad{{"run", "x.yaml", "--trace-chips", "0"},
                        "--trace-chips says what a trace holds, and there is none; got 0; valid: --trace FILE, too"},
                    Bad{{"collective", "all_gather", "--machine", "ring:4,bw=45GB/s,lat=1us", "--trace-limit", "5M"},
                        "--trace-limit says what a trace holds"},
                    Bad{{"run", "x.yaml", "--trace", "t.pftrace", "--trace-detail", "hop"},
                        "run: --trace-detail: unknown value (did you mean hops?); got hop"},
                    Bad{{"run", "/nonexistent.yaml"}, "/nonexistent.yaml: "},
                    Bad{{"list", "chips", "scenarios"}, "list: one argument too many; got scenarios"},
                    Bad{{"list", "chip"}, "list: WHAT: unknown value (did you mean chips?); got chip"},
                    Bad{{"show"}, "show: NAME is required"}));

}  // namespace
}  // namespace hopsim::test

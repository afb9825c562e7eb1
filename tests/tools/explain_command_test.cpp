// The real program: hopsim explain.
#include <gmock/gmock.h>

#include <set>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

Finished explain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explain");
  return hopsim(std::move(arguments));
}

const std::string kQuiz = "C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]";

TEST(ExplainCommand, TellsTheQuizInTheBooksSymbols) {
  const Finished f = explain({kQuiz});
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.err, "");
  EXPECT_THAT(f.out, AllOf(StartsWith(kQuiz + "\ncase 3: "), HasSubstr("C[I_X, K]{U_Y}"),
                           HasSubstr("AllReduce_Y of an array of 2 (I/X) K bytes: 4 (I/X) K / W"),
                           HasSubstr("or ReduceScatter_Y: 2 (I/X) K / W, half of it"),
                           HasSubstr("for times: --machine SPEC and --dims I=SIZE,J=SIZE,K=SIZE")));
}

TEST(ExplainCommand, TheJsonHasTheKeysOfTheContract) {
  const Json j =
      explain({kQuiz, "--machine", "tpu_v5e:4x4", "--dims", "I=4096,J=8192,K=4096", "--ideal", "--json", "-"}).json();
  EXPECT_EQ(j["schema"], "hopsim.explain/1");
  EXPECT_EQ(j["case"], 3);
  EXPECT_EQ(j["legal"], true);
  EXPECT_EQ(j["output"], "C[I_X, K]");
  EXPECT_EQ(j["local_shapes"]["A"], Json({1024, 2048}));
  EXPECT_EQ(j["local_shapes"]["C"], Json({1024, 4096}));
  EXPECT_EQ(j["compute_bound_when"]["variable"], "J");
  EXPECT_NEAR(j["compute_bound_when"]["above"].get<double>(), 2 * 4 * 197e12 / 90e9 * 1.5, 1);
  std::set<std::string> names;
  for (const Json& s : j["strategies"]) {
    EXPECT_TRUE(names.insert(s["name"]).second);
    EXPECT_FALSE(s["steps"].empty());
    EXPECT_EQ(s["bound_s"].get<double>(), std::max(s["comm_s"].get<double>(), s["math_s"].get<double>()));
    EXPECT_GE(s["time_s"].get<double>(), s["bound_s"].get<double>());
    EXPECT_GT(s["bytes_per_chip"], 0);
  }
  EXPECT_TRUE(names.contains(j["chosen"]));
}

TEST(ExplainCommand, AnIllegalProductIsAnswered) {
  const Finished f = explain(
      {"A[I_X, J] * B[J, K_X]", "--machine", "tpu_v5p:4x4x4", "--dims", "I=1024,J=2048,K=4096", "--json", "-"});
  EXPECT_EQ(f.code, 0);
  const Json j = f.json();
  EXPECT_EQ(j["case"], 4);
  EXPECT_EQ(j["legal"], false);
  std::set<std::string> names;
  for (const Json& s : j["strategies"]) names.insert(s["name"]);
  EXPECT_TRUE(names.contains("gather A over X"));
  EXPECT_TRUE(names.contains("gather B over X"));
}

TEST(ExplainCommand, WithoutSizesThereAreNoNumbers) {
  const Json j = explain({kQuiz, "--machine", "tpu_v5e:4x4", "--json", "-"}).json();
  EXPECT_TRUE(j["chosen"].is_null());
  EXPECT_TRUE(j["local_shapes"]["A"].is_null());
  for (const Json& s : j["strategies"])
    for (const char* key : {"comm_s", "math_s", "bound_s", "time_s", "bytes_per_chip", "closed_form_s"})
      EXPECT_TRUE(s[key].is_null()) << key;
  EXPECT_EQ(j["compute_bound_when"]["variable"], "J");  // I and K cancel
}

TEST(ExplainCommand, AnArrayAloneListsItsShards) {
  const Finished f = explain({"int8 A[I_XY=128, J=2048]", "--mesh", "X=2,Y=8,Z=2", "--json", "-"});
  const Json j = f.json();
  EXPECT_EQ(j["arrays"][0]["bytes_per_chip"], 16384);
  EXPECT_EQ(j["arrays"][0]["total_bytes"], 512 << 10);
  EXPECT_EQ(j["arrays"][0]["copies"], 2);
  ASSERT_EQ(j["shards"].size(), 32u);
  EXPECT_EQ(j["shards"][2]["ranges"], Json({{8, 16}, {0, 2048}}));  // X=0, Y=1, Z=0
}

TEST(ExplainCommand, BackwardTellsTheDuality) {
  const Finished f = explain({"C[I, K] = A[I, J_X] * B[J_X, K]", "--backward"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, AllOf(HasSubstr("dA[I, J_X] = dC[I, K] * B[J_X, K]"),
                           HasSubstr("<->  nothing: dC[I, K] is whole already")));
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(ExplainCommand, RefusalsNameThePlace) {
  const std::string line = "C[I, K] = A[I, J] * B[J, K]";
  const Refusal refusals[] = {
      {{"A[I_X, J_X]"}, "hopsim: EXPR:1:10: axis X is used twice in one array"},
      {{"C[I, K] = A[I, J * B[J, K]"}, "hopsim: EXPR:1:18: "},
      {{"C[I_Q, K] = A[I_Q, J] * B[J, K]", "--machine", "tpu_v5e:4x4"}, "hopsim: EXPR:1:5: unknown axis; got Q"},
      {{line, "--dims", "I=4,Q=1"},
       "hopsim: --dims:1:5: no array of the line has this dimension; got Q; valid: I, J, K"},
      {{line, "--dims", "I:1"}, "hopsim: --dims:1:1: expected NAME=SIZE"},
      {{line, "--dims", "I=0"}, "hopsim: --dims:1:3: I: a count is too small"},
      {{line, "--dims", "I=2,I=3"}, "hopsim: --dims:1:5: I is given twice"},
      {{line, "--dtype", "int3"}, "hopsim: --dtype:1:1: unknown element type; got int3"},
      {{line, "--machine", "tpu_v5e:4x4", "--mesh", "X=3"}, "hopsim: --mesh:1:3: the mesh does not fit"},
      {{line, "--best"}, "hopsim: --best compares times; valid: with --machine and --dims I=...,J=...,K=..."},
      {{"A[I, J]", "--backward"}, "hopsim: --backward is of products"},
      {{line, "--set", "machine.ideal=true"}, "hopsim: explain: --set needs --machine"},
      {{"A[I=9000000000000000000, J=9000]"}, "hopsim: EXPR:1:1: an array has too many elements or bytes; got "},
      {{line, "--machine", "tpu_v5e:4x4", "--dims", "I=4,J=4,K=4", "--dtype", "fp64"},
       "hopsim: EXPR:1:1: no peak FLOP/s is known for tpu_v5e; got fp64"},
      {{line, "--schedule", "fast"}, "hopsim: explain: --schedule: unknown value"},
  };
  for (const Refusal& r : refusals) {
    const Finished f = explain(r.arguments);
    EXPECT_EQ(f.code, 2) << f.err;
    EXPECT_THAT(f.err, StartsWith(r.message));
    EXPECT_EQ(f.out, "");
  }
}

TEST(ExplainCommand, WhatDoesNotFitIsWarnedOfOrRefused) {
  const std::vector<std::string> large{"Out[B, D] = In[B, F_XY] * W[F_XY, D]",
                                       "--machine",
                                       "tpu_v5e:2x2",
                                       "--dims",
                                       "B=12800000,F=32768,D=8192",
                                       "--quiet"};
  const Finished warned = explain(large);
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, AllOf(HasSubstr("warning"), HasSubstr("tpu_v5e has 16 GB")));
  std::vector<std::string> bounded = large;
  bounded.insert(bounded.end(), {"--memory", "100MB"});
  const Finished refused = explain(bounded);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, StartsWith("hopsim: EXPR:1:1: no way of doing it fits a chip's memory; got 100 MB"));
}

}  // namespace
}  // namespace hopsim::test

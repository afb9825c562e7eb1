// hopsim compare through the real program. A one-way ring of 4 gathers 4 MiB at 1 GB/s in three steps of 1048.576 us
// and a hop; both ways round it takes one such step, and one of the halves of the farthest shard: 524.288 us and a
// hop.
#include <gmock/gmock.h>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr double kOneWay = 3 * (1048.576e-6 + 1e-6);
constexpr double kBothWays = 1048.576e-6 + 1e-6 + 524.288e-6 + 1e-6;

constexpr const char* kMachine =
    "machine: {topology: {kind: ring, shape: 4}, link: {bandwidth: 1 GB/s, latency: 1 us},\n"
    "          overrides: {peak_flops: 1 TFLOP/s, hbm_bandwidth: 1 TB/s}}\n";
constexpr const char* kRing =
    "program:\n"
    "  - {all_gather: {axis: X, bytes: 4 MiB}, algorithm: ring}\n"
    "  - {compute: {time: 50 us}}\n";

class Compare : public testing::Test {
 protected:
  // Runs a command and keeps its JSON.
  std::string result(const std::string& name, std::vector<std::string> command) const {
    const std::string file = folder_ / name;
    command.insert(command.end(), {"--json", file, "--quiet"});
    const Finished f = hopsim(command);
    EXPECT_EQ(f.code, 0) << f.err;
    return file;
  }
  std::string run_of(const std::string& name, const std::string& program, std::vector<std::string> flags = {}) const {
    const std::string file = write(folder_ / (name + ".yaml"), "name: " + name + "\n" + kMachine + program);
    flags.insert(flags.begin(), {"run", file});
    return result(name + ".json", flags);
  }
  std::string changed(const std::string& file, const std::string& pointer, const Json& value) const {
    Json json = Json::parse(contents(file));
    json[Json::json_pointer(pointer)] = value;
    return write(folder_ / "changed.json", json.dump());
  }

  Scratch folder_;
};

Finished compared(const std::string& a, const std::string& b) { return hopsim({"compare", a, b}); }

Json json_of(const std::string& a, const std::string& b) {
  const Finished f = hopsim({"compare", a, b, "--json", "-"});
  EXPECT_EQ(f.code, 0) << f.err;
  const Json json = f.json();
  EXPECT_EQ(json["schema"], "hopsim.compare/1");
  return json;
}

void expect_pair(const Json& pair, double a, double b) {
  EXPECT_DOUBLE_EQ(pair["a"].get<double>(), a);
  EXPECT_DOUBLE_EQ(pair["b"].get<double>(), b);
  // Told in whole picoseconds (1e-12 s): a double of seconds rounds them by less than a thousandth.
  EXPECT_NEAR(pair["difference"].get<double>(), b - a, 1e-15);
  EXPECT_DOUBLE_EQ(pair["ratio"].get<double>(), b / a);
}

TEST_F(Compare, OfARunSaysWhichStepMakesTheDifference) {
  const std::string a = run_of("a", kRing);
  const std::string b = run_of("b", kRing, {"--set", "program.0.algorithm=bidirectional_ring"});
  const Json json = json_of(a, b);
  EXPECT_EQ(json["kind"], "run");
  EXPECT_EQ(json["equal"], false);
  const Json& run = json["runs"][0];
  expect_pair(run["time_s"], kOneWay + 50e-6, kBothWays + 50e-6);
  ASSERT_EQ(run["steps"].size(), 2u);
  expect_pair(run["steps"][0]["time_s"], kOneWay, kBothWays);
  EXPECT_EQ(run["steps"][0]["changes"], "ring -> bidirectional_ring");
  EXPECT_DOUBLE_EQ(run["steps"][0]["share"].get<double>(), 1);
  expect_pair(run["steps"][1]["time_s"], 50e-6, 50e-6);
  EXPECT_EQ(run["steps"][1]["share"].get<double>(), 0);
  expect_pair(run["kinds"]["all_gather"], kOneWay, kBothWays);

  const Finished f = compared(a, b);
  EXPECT_THAT(f.out, StartsWith("A: " + a + ": a on ring 4 (4 chips), mesh {X: 4}\nB: " + b + ": b on ring"));
  // 3198.728 us / 1624.864 us
  EXPECT_THAT(f.out, HasSubstr("B is 1.97x faster: 1.6249 ms in place of 3.1987 ms, -1.5739 ms (-49.2 %)\n"));
  EXPECT_THAT(f.out, HasSubstr("B gains most: step 1 AllGather over X -1.5739 ms\n"));
  EXPECT_THAT(f.out, Not(HasSubstr("B loses most")));
  EXPECT_THAT(compared(b, a).out, HasSubstr("B is 1.97x slower"));
}

TEST_F(Compare, AFileWithItselfIsEqual) {
  const std::string a = run_of("a", kRing);
  const Json json = json_of(a, a);
  EXPECT_EQ(json["equal"], true);
  EXPECT_EQ(json["runs"][0]["equal"], true);
  EXPECT_THAT(compared(a, a).out, HasSubstr("A and B are equal: 3.1987 ms"));
  // Run again, all but what it cost is the same.
  EXPECT_EQ(json_of(a, run_of("a", kRing))["equal"], true);
}

TEST_F(Compare, StepsOfDifferentProgramsAreAligned) {
  const std::string a = run_of("a", kRing);
  const std::string b = run_of("b",
                               "program:\n"
                               "  - {compute: {time: 20 us}}\n"
                               "  - barrier\n"
                               "  - {all_gather: {axis: X, bytes: 4 MiB}, algorithm: ring}\n"
                               "  - {compute: {time: 50 us}}\n");
  const Json run = json_of(a, b)["runs"][0];
  EXPECT_THAT(run["notes"], ElementsAre("different scenarios"));
  ASSERT_EQ(run["steps"].size(), 4u);
  EXPECT_EQ(run["steps"][0]["program"].dump(), R"({"a":null,"b":1})");
  EXPECT_EQ(run["steps"][0]["changes"], "only in B");
  EXPECT_EQ(run["steps"][2]["program"].dump(), R"({"a":1,"b":3})");
  EXPECT_EQ(run["steps"][2]["time_s"]["difference"], 0.0);
  EXPECT_EQ(run["steps"][3]["program"].dump(), R"({"a":2,"b":4})");
  expect_pair(run["time_s"], kOneWay + 50e-6, kOneWay + 70e-6);
  EXPECT_DOUBLE_EQ(run["steps"][0]["share"].get<double>(), 1);  // 20 us of 20 us
  // 20 / 3198.728
  EXPECT_THAT(compared(a, b).out, HasSubstr("B is 0.63 % slower: 3.2187 ms in place of 3.1987 ms, +20 us (+0.6 %)"));
}

TEST_F(Compare, LayersOfAStackShareARow) {
  const std::string stack =
      "program:\n"
      "  - megatron_mlp: {d_model: 64, d_ff: 256, batch: 1, sequence: 64, tensor: X, layers: 5}\n";
  const std::string a = run_of("a", stack);
  const std::string b = run_of("b", stack, {"--set", "machine.overrides.peak_flops=2 TFLOP/s"});
  EXPECT_THAT(compared(a, b).out, HasSubstr("  x5  "));
  const Json run = json_of(a, b)["runs"][0];
  EXPECT_EQ(run["steps"].size(), 15u);  // two products and an AllReduce each
  // 5 layers of two products of 2 x 64 x 64 x 64 FLOPs, 0.524288 us each at 1 TFLOP/s
  expect_pair(run["kinds"]["matmul"], 10 * 0.524288e-6, 10 * 0.262144e-6);
}

TEST_F(Compare, WhatMakesResultsHardToCompareIsNoted) {
  const std::string a = run_of("a", kRing);
  const std::string later = changed(a, "/version", "9.9.9");
  EXPECT_THAT(compared(a, later).out, HasSubstr("note: versions differ: A "));
  EXPECT_THAT(compared(a, changed(a, "/engine", "simgrid")).out,
              HasSubstr("note: engines differ: A event, B simgrid\n"));
  const std::string partial = run_of("a", kRing, {"--max-time", "3160us"});
  const std::string out = compared(changed(partial, "/version", "9.9.9"), partial).out;
  EXPECT_THAT(out, HasSubstr("note: A is partial, stopped at 3.16 ms (--max-time): its times are those so far\n"));
  EXPECT_THAT(out, HasSubstr("unfinished in A, unfinished in B"));
}

TEST_F(Compare, SeveralRunsPairUpByTheirScenarios) {
  const auto scenario = [&](const std::string& name, const std::string& time) {
    return write(folder_ / (name + ".yaml"),
                 "name: " + name + "\n" + kMachine + "program:\n  - {compute: {time: " + time + "}}\n");
  };
  const std::string a = result("a.json", {"run", scenario("one", "1 us"), scenario("two", "2 us")});
  const std::string b =
      result("b.json", {"run", scenario("three", "3 us"), scenario("two", "4 us"), scenario("one", "1 us")});
  const Json json = json_of(a, b);
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][0]["equal"], true);
  expect_pair(json["runs"][1]["time_s"], 2e-6, 4e-6);
  EXPECT_THAT(json["only_a"], IsEmpty());
  EXPECT_THAT(json["only_b"], ElementsAre("three"));
  EXPECT_THAT(compared(a, b).out, HasSubstr("only in B: three\n"));
}

TEST_F(Compare, RowsOfCollectivesPairUpByOperationAxisAndSize) {
  const std::vector<std::string> machine{"--machine", "ring:4,bw=1GB/s,lat=1us"};
  const auto timed = [&](const std::string& name, const std::string& bytes, const std::string& algorithm) {
    std::vector<std::string> command{"collective", "all_gather", "--bytes", bytes, "--algorithm", algorithm};
    command.insert(command.end(), machine.begin(), machine.end());
    return result(name, command);
  };
  const std::string a = timed("a.json", "4MiB", "ring"), b = timed("b.json", "1MiB,4MiB", "bidirectional_ring");
  const Json json = json_of(a, b);
  ASSERT_EQ(json["rows"].size(), 2u);
  expect_pair(json["rows"][0]["time_s"], kOneWay, kBothWays);
  EXPECT_EQ(json["rows"][0]["algorithm"].dump(), R"({"a":"ring","b":"bidirectional_ring"})");
  // nccl-tests: V (N-1)/N over the time
  EXPECT_NEAR(json["rows"][0]["busbw_Bps"]["b"].get<double>(), 4194304 * 0.75 / kBothWays, 1);
  EXPECT_EQ(json["rows"][1]["time_s"]["a"], nullptr);
  const std::string out = compared(a, b).out;
  EXPECT_THAT(out, HasSubstr("ring -> bidirectional_ring"));
  EXPECT_THAT(out, HasSubstr("only in B"));
  EXPECT_THAT(out, HasSubstr("of 1 rows that both have, B is faster in 1 and slower in 0\n"));
  EXPECT_THAT(compared(a, a).out, HasSubstr("A and B are equal: all 1 rows"));
}

TEST_F(Compare, PointsOfSweepsPairUpByTheirParameters) {
  const std::string file =
      write(folder_ / "s.yaml", std::string("name: s\n") + kMachine + kRing +
                                    "sweep:\n  program.0.algorithm: [ring, bidirectional_ring]\n");
  const std::string a = result("a.json", {"sweep", file});
  const std::string b = result("b.json", {"sweep", file, "--set", "machine.link.bandwidth=2 GB/s"});
  const Json json = json_of(a, b);
  EXPECT_EQ(json["ranked_by"], "time_s");
  ASSERT_EQ(json["points"].size(), 2u);
  expect_pair(json["points"][0]["value"], kOneWay + 50e-6, (3 * (524.288e-6 + 1e-6)) + 50e-6);
  expect_pair(json["points"][1]["value"], kBothWays + 50e-6, 524.288e-6 + 262.144e-6 + 2e-6 + 50e-6);
  EXPECT_EQ(json["points"][1]["state"], "best in both");
  const std::string out = compared(a, b).out;
  EXPECT_THAT(out, HasSubstr("of 2 points that ran in both, B is better at 2 and worse at 0\n"));
  EXPECT_THAT(out, HasSubstr("best of A: algorithm bidirectional_ring, 1.6249 ms\n"));
  EXPECT_THAT(compared(a, a).out, HasSubstr("A and B are equal: all 2 points\n"));

  EXPECT_THAT(compared(a, changed(b, "/points/1/result/time_s", -1)).err,
              HasSubstr("changed.json: points.1.result.time_s is below 0; got -1"));
  EXPECT_THAT(compared(a, changed(b, "/best/0/value", -1)).err, HasSubstr("a value of best is below 0; got -1"));

  const std::string other = changed(a, "/ranked_by", "mfu");
  EXPECT_THAT(compared(other, b).err, HasSubstr("ranked by another number than those of"));
}

TEST_F(Compare, WaysOfALinePairUpByTheirNames) {
  const auto explained = [&](const std::string& name, const std::string& dims) {
    return result(name, {"explain", "C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]", "--machine", "tpu_v5e:4x4", "--ideal",
                         "--dims", dims});
  };
  const std::string a = explained("a.json", "I=4096,J=65536,K=4096"),
                    b = explained("b.json", "I=4096,J=131072,K=4096");
  const Json json = json_of(a, b);
  const Json& partial = json["strategies"][0];
  EXPECT_EQ(partial["name"], "partial sums, AllReduce over Y");
  // 2 x 4096/4 x J/4 x 4096 FLOPs at 197 TFLOP/s; what is added up does not depend on J
  EXPECT_NEAR(partial["math_s"]["a"].get<double>(), 2 * 1024. * 16384 * 4096 / 197e12, 1e-12);
  EXPECT_NEAR(partial["math_s"]["ratio"].get<double>(), 2, 1e-6);
  EXPECT_EQ(partial["comm_s"]["difference"], 0.0);
  EXPECT_THAT(compared(a, b).out, HasSubstr("chosen in both"));
}

TEST_F(Compare, StandardInputMayBeOneOfThem) {
  const std::string a = run_of("a", kRing);
  const Finished f = shell("\"$HOPSIM\" compare - " + a + " < " + a);
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.out, StartsWith("A: <stdin>: a on ring"));
  EXPECT_EQ(hopsim({"compare", a, a, "--quiet"}).out, "");
  EXPECT_EQ(compared("-", "-").err,
            "hopsim: compare: standard input is one result, not both; got - -; valid: a file for one of them\n");
}

TEST_F(Compare, WhatIsNoResultIsRefusedInOneLine) {
  const std::string a = run_of("a", kRing);
  const auto refused = [&](const std::string& text) {
    const std::string bad = write(folder_ / "bad.json", text);
    const Finished f = compared(a, bad);
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, StartsWith("hopsim: " + bad + ":"));
    return f.err.substr(("hopsim: " + bad + ":").size());
  };
  EXPECT_THAT(refused("{\n  \"a\": tru }"), StartsWith("2:11: not JSON (invalid literal)"));
  EXPECT_THAT(refused(""), StartsWith("1:1: not JSON (unexpected end of input"));
  EXPECT_THAT(refused("\xff{"), StartsWith("1:1: not JSON"));
  EXPECT_THAT(refused("[]"), StartsWith(" no result in it; got []"));
  EXPECT_THAT(refused("7"), StartsWith(" not a result of hopsim; got number"));
  EXPECT_THAT(refused("{}"), StartsWith(" not a result of hopsim: no schema in it"));
  EXPECT_THAT(refused(R"({"schema": "hopsim.run/2"})"),
              StartsWith(" a result of another kind or version; got hopsim.run/2; valid: hopsim.run/1, "));
  EXPECT_THAT(refused(R"({"schema": "hopsim.sweep/1"})"), StartsWith(" of another command than "));
  EXPECT_THAT(refused(R"({"schema": "hopsim.run/1"})"), StartsWith(" time_s is missing"));
  EXPECT_THAT(refused(contents(changed(a, "/steps/1/time_s", "soon"))), StartsWith(" steps.1.time_s is no number"));
  EXPECT_THAT(refused(contents(changed(a, "/machine", 5))), StartsWith(" machine is no object"));
  EXPECT_THAT(compared(a, folder_ / "none.json").err, HasSubstr("none.json: cannot be read (No such file"));
}

TEST_F(Compare, AnOutputThatWouldReplaceAnInputIsRefused) {
  const std::string a = run_of("a", kRing), b = run_of("b", kRing, {"--set", "machine.link.bandwidth=2 GB/s"});
  const std::string before = contents(a), after = contents(b);
  for (const std::string& input : {a, b}) {
    const Finished f = hopsim({"compare", a, b, "--json", input});
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_EQ(f.err, "hopsim: --json would replace the input; got " + input + "; valid: another place\n");
  }
  EXPECT_EQ(contents(a), before);
  EXPECT_EQ(contents(b), after);
  EXPECT_EQ(hopsim({"compare", a, b, "--quiet", "--json", folder_ / "c.json"}).code, 0);
}

// It stops in its second step, which takes 3 ms.
TEST_F(Compare, APartialResultGetsNoVerdict) {
  const auto program = [](const std::string& first) {
    return "program:\n"
           "  - {compute: {time: " +
           first +
           "}}\n"
           "  - {all_gather: {axis: X, bytes: 4 MiB}, algorithm: ring}\n"
           "  - {compute: {time: 20 us}}\n";
  };
  const std::string whole = run_of("whole", program("50 us"));
  const std::string stopped = run_of("stopped", program("40 us"), {"--max-time", "300us"});
  const std::string out = compared(whole, stopped).out;
  EXPECT_THAT(out, HasSubstr("no verdict: B is partial, and 300 us is not the time of all of it\n"
                             "of the steps that finished in both,\n"
                             "B gains most: step 1 "));
  EXPECT_THAT(out, Not(HasSubstr("faster")));
  EXPECT_THAT(out, Not(HasSubstr("B loses most")));
  EXPECT_THAT(out, Not(HasSubstr("; step")));  // no other step gains
  EXPECT_THAT(out, Not(HasSubstr("by operation: all_gather")));
  EXPECT_THAT(compared(stopped, whole).out, HasSubstr("no verdict: A is partial, and 300 us is not"));

  const Json run = json_of(whole, stopped)["runs"][0];
  EXPECT_EQ(run["time_s"]["b"], 300e-6);
  EXPECT_EQ(run["time_s"]["difference"], nullptr);
  EXPECT_EQ(run["time_s"]["ratio"], nullptr);
  EXPECT_EQ(run["comm_s"]["difference"], nullptr);
  expect_pair(run["steps"][0]["time_s"], 50e-6, 40e-6);
  EXPECT_EQ(run["steps"][0]["share"], nullptr);
  EXPECT_EQ(run["steps"][1]["time_s"]["difference"], nullptr);
  EXPECT_EQ(run["steps"][1]["changes"], "unfinished in B");
  EXPECT_EQ(run["steps"][2]["time_s"]["difference"], nullptr);
  EXPECT_EQ(run["steps"][2]["changes"], "not begun in B");
  EXPECT_EQ(run["kinds"]["all_gather"]["difference"], nullptr);

  const std::string early = run_of("early", program("50 us"), {"--max-time", "10us"});
  EXPECT_THAT(compared(early, stopped).out,
              HasSubstr("no verdict: A and B are partial, and 10 us and 300 us are not the times of all\n"
                        "no step finished in both\n"));
}

TEST_F(Compare, APartialRowOfCollectivesHasNoDifference) {
  const std::string a = result("a.json", {"collective", "all_gather", "--bytes", "4MiB", "--algorithm", "ring",
                                          "--machine", "ring:4,bw=1GB/s,lat=1us"});
  const std::string stopped = changed(a, "/rows/0/partial", true);
  EXPECT_THAT(compared(a, stopped).out, HasSubstr("  partial in B\nof 0 rows"));
  const Json row = json_of(a, stopped)["rows"][0];
  EXPECT_EQ(row["partial"], true);
  EXPECT_EQ(row["time_s"]["difference"], nullptr);
}

TEST_F(Compare, HugeNumbersAreShort) {
  const std::string a = run_of("a", kRing);
  const std::string huge = changed(a, "/time_s", 1e300);
  const Finished f = compared(a, huge);
  EXPECT_EQ(f.code, 0) << f.err;
  // 1e300 s / 3.198728 ms
  EXPECT_THAT(f.out, HasSubstr("B is 3.13e+302x slower: 1e+300 s in place of 3.1987 ms, +1e+300 s (+3.13e+304 %)\n"));
  EXPECT_THAT(f.out, Not(HasSubstr("000000")));
  EXPECT_EQ(json_of(a, huge)["runs"][0]["time_s"]["difference"], 1e300);
  EXPECT_THAT(compared(a, changed(a, "/machine/chips", 1e300)).out, HasSubstr("(1e+300 chips)"));
  // Their quotient is no number.
  const std::string least = write(folder_ / "least.json", contents(changed(a, "/time_s", 1e-300)));
  EXPECT_THAT(compared(least, changed(a, "/time_s", 1e300)).out, HasSubstr("B is slower: 1e+300 s in place of"));
}

TEST_F(Compare, NumbersBelowZeroAreRefusedWithTheirPlace) {
  const std::string a = run_of("a", kRing);
  const auto refused = [&](const std::string& pointer, const Json& value) {
    const std::string bad = changed(a, pointer, value);
    const Finished f = compared(a, bad);
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, StartsWith("hopsim: " + bad + ": "));
    return f.err.substr(("hopsim: " + bad + ": ").size());
  };
  EXPECT_EQ(refused("/time_s", -1), "time_s is below 0; got -1; valid: a number from 0 up\n");
  EXPECT_THAT(refused("/steps/1/time_s", -1e-6), StartsWith("steps.1.time_s is below 0; got -1e-06"));
  EXPECT_THAT(refused("/steps/0/bytes", -4096), StartsWith("steps.0.bytes is below 0; got -4096"));
  EXPECT_THAT(refused("/links/bytes_total", -1), StartsWith("links.bytes_total is below 0"));
  EXPECT_THAT(refused("/steps/0/program", 1e300),
              StartsWith("steps.0.program is no count; got 1e+300; valid: a whole"));
}

TEST_F(Compare, ControlCharactersAreShownNotSent) {
  const std::string a = run_of("a", kRing);
  const std::string evil = changed(a, "/scenario", "red\x1b[31m\a\nB is faster \x7f\xc2\x9b");
  const std::string b = changed(evil, "/steps/0/text", "AllGather\r\tgone \xc3\xa9");
  const Finished f = compared(a, b);
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr(": red\\u001b[31m\\u0007\\u000aB is faster \\u007f\\u009b on ring 4"));
  EXPECT_THAT(f.out, HasSubstr("in B AllGather\\u000d\\u0009gone \xc3\xa9"));
  for (const char c : f.out) EXPECT_TRUE(c == '\n' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f));
  // JSON has escapes of its own.
  EXPECT_EQ(json_of(a, b)["runs"][0]["scenario"]["b"], "red\x1b[31m\a\nB is faster \x7f\xc2\x9b");
}

}  // namespace
}  // namespace hopsim::test

// The real program: runs that a limit stops, runs that do not fit the memory.
//
// On a line of 4 at 45 GB/s and 1 us a hop the AllGather of 1 MiB takes three hops of 262144 B: 20.476 us. Then come
// 50 us of computation, on inner chips when the last message they pass on has left them: 1 us earlier. Then an
// AllReduce.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr const char* kSteps =
    "name: steps\n"
    "machine: {chip: tpu_v5e, slice: 4x4, ideal: true}\n"
    "program:\n"
    "  - {all_gather: {axis: X, bytes: 1 MiB}}\n"
    "  - compute: {time: 50 us}\n"
    "  - {all_reduce: {axis: X, bytes: 1 MiB}}\n";

struct Case {
  Scratch folder;
  std::filesystem::path file;
  explicit Case(const std::string& more = "") { file = write(folder / "steps.yaml", kSteps + more); }
  Finished run(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"run", file});
    return hopsim(flags);
  }
};

TEST(BoundedRun, TellsWhatItHadComeTo) {
  for (const char* engine : {"event", "simgrid"}) {
    const Case c;
    const Finished f = c.run({"--max-time", "30us", "--engine", engine, "--json", "-"});
    ASSERT_EQ(f.code, 0) << f.err;
    const Json r = f.json();
    EXPECT_EQ(r["partial"], true);
    EXPECT_EQ(r["stopped"]["reason"], "max_time");
    EXPECT_EQ(r["stopped"]["time_s"], 30e-6);
    EXPECT_EQ(r["stopped"]["events"], r["cost"]["events"]);
    EXPECT_EQ(r["time_s"], 30e-6);
    EXPECT_EQ(r["steps"][0]["finished"], true);
    EXPECT_NEAR(r["steps"][0]["time_s"].get<double>(), 3 * (262144 / 45e9 + 1e-6), 1e-11);
    EXPECT_EQ(r["steps"][1]["started"], true);
    EXPECT_EQ(r["steps"][1]["finished"], false);
    EXPECT_EQ(r["steps"][1]["end_s"], 30e-6);
    EXPECT_NEAR(r["compute_s"].get<double>(), 30e-6 - (3 * 262144 / 45e9 + 2e-6), 1e-11);
    EXPECT_EQ(r["steps"][2]["started"], false);
    EXPECT_EQ(r["steps"][2]["time_s"], 0.0);
    EXPECT_TRUE(r["steps"][2]["busbw_Bps"].is_null());
    EXPECT_TRUE(r["over_bound"].is_null());
    EXPECT_TRUE(r["mfu"].is_null());
  }
}

TEST(BoundedRun, TheTableMarksWhatIsNotFinal) {
  const Finished f = Case().run({"--max-time", "30us"});
  EXPECT_THAT(f.out, HasSubstr("compute, unfinished"));
  EXPECT_THAT(f.out, HasSubstr("> 10.524 us"));
  EXPECT_THAT(f.out, HasSubstr("AllReduce over X, not begun"));
  EXPECT_THAT(f.out, HasSubstr("\npartial: stopped after "));
  EXPECT_THAT(f.out, HasSubstr(" at 30 us (--max-time); of 3 steps 1 had ended, 1 had not begun\nso far 30 us: "));
}

TEST(BoundedRun, EqualLimitsGiveEqualResults) {
  const Case c;
  const auto result = [&](const std::string& events) {
    Json r = c.run({"--max-events", events, "--json", "-"}).json();
    r.erase("cost");
    return r;
  };
  const Json some = result("60");
  EXPECT_EQ(some["stopped"]["reason"], "max_events");
  EXPECT_GE(some["stopped"]["events"], 60);
  EXPECT_EQ(some.dump(), result("60").dump());
  Json all = c.run({"--json", "-"}).json();
  all.erase("cost");
  EXPECT_EQ(result("1000000000").dump(), all.dump());
  EXPECT_FALSE(all.contains("partial"));
}

TEST(BoundedRun, ExpectationsOfWhatHadNotEndedAreNotEvaluated) {
  const std::string later =
      "  - {step: 3, time: 1 us}\n  - {value: time_s, is: 1 us}\n  - {step: 2, measured: 1 us}\n";
  const Case good("expect:\n  - {step: 1, time: 20.476 us}\n" + later);
  const Finished f = good.run({"--max-time", "30us"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr("  as expected  step 1 time: 20.476 us"));
  EXPECT_THAT(f.out, HasSubstr("  not evaluated  step 3 time: 1 us expected; the run was stopped before\n"));
  EXPECT_THAT(f.out, HasSubstr("  not evaluated  step 2 time: 1 us measured; the run was stopped before\n"));
  const Json expect = good.run({"--max-time", "30us", "--json", "-"}).json()["expect"];
  EXPECT_EQ(expect[0]["pass"], true);
  EXPECT_FALSE(expect[0].contains("evaluated"));
  for (const std::size_t i : {1u, 2u, 3u}) {
    EXPECT_EQ(expect[i]["evaluated"], false);
    EXPECT_TRUE(expect[i]["pass"].is_null());
    EXPECT_TRUE(expect[i]["value"].is_null());
  }
  EXPECT_EQ(good.run({}).code, 1);
  const Case bad("expect:\n  - {step: 1, time: 10 us}\n" + later);
  EXPECT_EQ(bad.run({"--max-time", "30us"}).code, 1);
}

TEST(BoundedRun, ItsTraceHoldsWhatHappenedSoFar) {
  const Case c;
  const auto trace = [&](const char* limit, const char* name) {
    return c.run({"--max-time", limit, "--trace", c.folder / name, "--json", "-"}).json()["trace"];
  };
  const Json some = trace("30us", "some.pftrace"), all = trace("1ms", "all.pftrace");
  EXPECT_GT(some["slices"], 0);
  EXPECT_LT(some["slices"], all["slices"]);
  EXPECT_TRUE(std::filesystem::exists(c.folder / "some.pftrace"));
  EXPECT_FALSE(c.run({"--max-time", "30us", "--critical-path", "--json", "-"}).json().contains("critical_path"));
}

// Messages are granted their links ahead: which of them have begun does not depend on how the limit was given.
TEST(BoundedRun, ItsTraceHoldsTheSameWhicheverLimitStopsIt) {
  const Case c;
  const auto run = [&](const char* flag, const std::string& limit, const char* detail) {
    return c.run({flag, limit, "--trace", c.folder / "t.pftrace", "--trace-detail", detail, "--json", "-"}).json();
  };
  for (const char* detail : {"hops", "messages", "steps"}) {
    const Json events = run("--max-events", "60", detail);
    const auto stop = events["stopped"]["time_s"].get<double>();
    const Json time = run("--max-time", std::to_string(std::llround(stop * 1e12)) + "ps", detail);
    EXPECT_EQ(time["stopped"]["events"], events["stopped"]["events"]);
    EXPECT_EQ(time["trace"].dump(), events["trace"].dump()) << detail;
    EXPECT_EQ(run("--max-events", "1000000000", detail)["trace"].dump(),
              run("--max-time", "1s", detail)["trace"].dump());
  }
}

TEST(BoundedRun, RowsOfCollectivesAreMarked) {
  const std::vector<std::string> command{"collective", "all_gather", "--machine", "tpu_v5e:4x4", "--axis", "X",
                                         "--ideal",    "--bytes",    "1KiB,1MiB", "--max-time",  "10us"};
  const Finished f = hopsim(command);
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr("> 10 us"));
  EXPECT_THAT(f.out, HasSubstr("\n  partial: stopped after "));
  std::vector<std::string> json = command;
  json.insert(json.end(), {"--json", "-"});
  const Json rows = hopsim(json).json()["rows"];
  EXPECT_FALSE(rows[0].contains("partial"));
  EXPECT_EQ(rows[1]["partial"], true);
  EXPECT_EQ(rows[1]["stopped"]["time_s"], 10e-6);
  EXPECT_TRUE(rows[1]["algbw_Bps"].is_null());
}

TEST(BoundedRun, PointsOfASweepAreNotRanked) {
  const Case c("sweep: {program.0.all_gather.bytes: [1 KiB, 100 MiB]}\n");
  const Finished f = hopsim({"sweep", c.file, "--max-time", "200us"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, AllOf(HasSubstr("> 200 us"), HasSubstr("partial: stopped after ")));
  const Json s = hopsim({"sweep", c.file, "--max-time", "200us", "--json", "-"}).json();
  EXPECT_FALSE(s["points"][0]["result"].contains("partial"));
  EXPECT_EQ(s["points"][1]["result"]["partial"], true);
  ASSERT_EQ(s["best"].size(), 1u);
  EXPECT_EQ(s["best"][0]["point"], 0);
  EXPECT_EQ(hopsim({"sweep", c.file, "--max-events", "1"}).code, 0);  // none is
}

TEST(BoundedRun, LimitsThatAreNoneAreRefused) {
  const Case c;
  const auto refusal = [&](const char* flag, const char* value) {
    const Finished f = c.run({flag, value});
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    return f.err;
  };
  EXPECT_THAT(refusal("--max-events", "0"), StartsWith("hopsim: --max-events: "));
  EXPECT_THAT(refusal("--max-events", "many"), HasSubstr("many"));
  EXPECT_THAT(refusal("--max-time", "10"), AllOf(StartsWith("hopsim: --max-time: "), HasSubstr("valid: ")));
  EXPECT_THAT(refusal("--max-time", "10 MB"), HasSubstr("10 MB"));
  EXPECT_THAT(refusal("--max-time", "-1us"), HasSubstr("-1us"));
  EXPECT_THAT(c.run({"--cross-check", "--max-time", "1us"}).err, HasSubstr("--cross-check compares whole runs"));
}

TEST(BoundedMemory, ARunThatDoesNotFitIsRefusedBeforeItBegins) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer maps more address space than this allows";
#endif
  const std::string run =
      "$HOPSIM collective all_reduce --machine torus:32x32x32,bw=45GB/s,lat=1us --bytes 1GiB --chunks 32";
  const Finished f = shell("ulimit -v 1500000; " + run + " --fold off");
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, AllOf(StartsWith("hopsim: "), HasSubstr("memory")));
  EXPECT_THAT(f.err, Not(HasSubstr("internal error")));
  EXPECT_EQ(shell("ulimit -v 2000000; " + run + " --quiet").code, 0);  // folded
}

}  // namespace
}  // namespace hopsim::test

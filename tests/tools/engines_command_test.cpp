// --engine simgrid and --cross-check, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr const char* kRing =
    "name: ring\n"
    "machine: {topology: {kind: ring, shape: 4}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "program:\n"
    "  - {all_gather: {bytes: 4 KB}}\n"
    "  - {reduce_scatter: {bytes: 4 KB}}\n";

// Chips 0 and 1 send to 2 over the link from 1 to 2, chip 0 a shard ahead. On the event engine the near message of
// 1 MB is through after 1 ms, the far one behind it after 2 ms and two hops; side by side the near one takes 2 ms,
// but for the 1 us before the far one comes.
constexpr const char* kLine =
    "name: line\n"
    "machine: {topology: {kind: line, shape: 3}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "program:\n"
    "  - parallel:\n"
    "      - {send_recv: {from: 1, to: 2, bytes: 1 MB}}\n"
    "      - {send_recv: {from: 0, to: 2, bytes: 1 MB}}\n";

Json without_cost(Json run) {
  for (const char* key : {"cost", "engine", "folded", "fingerprint"}) run.erase(key);
  return run;
}

TEST(Engines, SimgridRunsAnyNumberOfScenarios) {
  const Scratch folder;
  const auto ring = write(folder / "ring.yaml", kRing), line = write(folder / "line.yaml", kLine);
  const Finished f = hopsim({"run", ring, line, ring, "--engine", "simgrid", "--json", "-"});
  ASSERT_EQ(f.code, 0) << f.err;
  const Json runs = f.json();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0]["fingerprint"], runs[2]["fingerprint"]);
  for (const Json& run : runs) EXPECT_EQ(run["engine"], "simgrid");
  EXPECT_EQ(without_cost(runs[0]), without_cost(hopsim({"run", ring, "--json", "-"}).json()));
  EXPECT_EQ(runs[0]["cost"]["messages"], 2 * (4 * 3 + 4));  // the antipodal shard goes in halves
}

TEST(Engines, SimgridRunsManySizesAndSweeps) {
  const std::vector<std::string> sizes{"collective", "all_gather", "reduce_scatter", "--machine",    "tpu_v5e:4x4",
                                       "--axis",     "X",          "--bytes",        "1KiB..1MiB*32"};
  const auto on = [&](const std::string& engine) {
    std::vector<std::string> command = sizes;
    command.insert(command.end(), {"--engine", engine, "--json", "-"});
    return hopsim(command).json()["rows"];
  };
  EXPECT_EQ(on("simgrid").size(), 6u);
  EXPECT_EQ(on("simgrid"), on("event"));

  const Scratch folder;
  const auto sweep = write(folder / "s.yaml", std::string(kRing) + "sweep: {machine.topology.shape: [2, 3, 4]}\n");
  const Json event = hopsim({"sweep", sweep, "--json", "-"}).json(),
             simgrid = hopsim({"sweep", sweep, "--engine", "simgrid", "--json", "-"}).json();
  ASSERT_EQ(simgrid["points"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(simgrid["points"][i]["result"]["time_s"], event["points"][i]["result"]["time_s"]);
}

// Of chips that are alike any may stand on the path.
TEST(Engines, CriticalPathsComeFromTheirProcesses) {
  const Scratch folder;
  const auto ring = write(folder / "ring.yaml", kRing);
  const auto path = [](const Json& run) {
    std::vector<std::tuple<double, double, std::string, int>> parts;
    for (const Json& p : run["critical_path"])
      parts.emplace_back(p["start_s"], p["end_s"], p["what"], p["step"].get<int>());
    return parts;
  };
  const Json event = hopsim({"run", ring, "--critical-path", "--json", "-"}).json(),
             simgrid = hopsim({"run", ring, ring, "--engine", "simgrid", "--critical-path", "--json", "-"}).json();
  EXPECT_EQ(path(event).size(), 8u);
  EXPECT_EQ(path(simgrid[0]), path(event));
  EXPECT_EQ(path(simgrid[1]), path(event));
}

TEST(Engines, LimitsHoldInTheirProcesses) {
  const Scratch folder;
  const auto line = write(folder / "line.yaml", kLine);
  const Json run = hopsim({"run", line, "--engine", "simgrid", "--max-time", "1500us", "--json", "-"}).json();
  EXPECT_EQ(run["time_s"], 1500e-6);
}

TEST(Engines, CrossCheckOfNeighboursFindsNoDifference) {
  const Scratch folder;
  const auto ring = write(folder / "ring.yaml", kRing);
  const Finished f = hopsim({"run", ring, "--cross-check"});
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.out, HasSubstr("one link each"));
  EXPECT_THAT(f.out, HasSubstr("engines agree\n"));
  const Json check = hopsim({"run", ring, "--cross-check", "--json", "-"}).json()["cross_check"];
  EXPECT_EQ(check["agrees"], true);
  EXPECT_EQ(check["difference"], 0.0);
  EXPECT_EQ(check["steps"][0]["messages"], "one_link");
  EXPECT_NEAR(check["steps"][0]["allowed_s"].get<double>(), 1e-3 * check["steps"][0]["event_s"].get<double>(), 1e-11);
  // Whichever engine was asked for.
  const Json other = hopsim({"run", ring, "--engine", "simgrid", "--cross-check", "--json", "-"}).json();
  EXPECT_EQ(other["engine"], "simgrid");
  EXPECT_EQ(other["cross_check"], check);
}

TEST(Engines, CrossCheckExplainsWhatMeets) {
  const Scratch folder;
  const auto line = write(folder / "line.yaml", kLine);
  EXPECT_THAT(hopsim({"run", line, "--cross-check"}).out,
              HasSubstr("engines agree, but for 1 of 2 steps, which differ by more than 10 % for a known reason\n"));
  const Json run = hopsim({"run", line, "--cross-check", "--json", "-"}).json();
  const Json& near = run["cross_check"]["steps"][0];
  EXPECT_EQ(near["messages"], "meeting");
  EXPECT_EQ(near["verdict"], "explained");
  EXPECT_EQ(near["beside"], true);
  EXPECT_NEAR(near["event_s"].get<double>(), 1001e-6, 1e-9);
  EXPECT_NEAR(near["simgrid_s"].get<double>(), 2000e-6, 1e-6);
  EXPECT_NEAR(run["cross_check"]["difference"].get<double>(), 0, 1e-3);
}

TEST(Engines, CrossCheckOfCollectivesHasARowEach) {
  const Finished f = hopsim({"collective", "all_gather", "--machine", "torus:4x4,bw=45GB/s,lat=1us", "--axis", "X",
                             "--bytes", "1KiB,1MiB", "--cross-check", "--json", "-"});
  ASSERT_EQ(f.code, 0) << f.err;
  const Json json = f.json();
  for (const Json& row : json["rows"]) {
    EXPECT_EQ(row["cross_check"]["agrees"], true);
    EXPECT_EQ(row["cross_check"]["event_s"], row["time_s"]);
  }
}

TEST(Engines, ErrorsComeFromTheirProcesses) {
  const Scratch folder;
  // SimGrid's clock counts picoseconds up to 2.5 hours.
  const auto file = write(folder / "long.yaml",
                          "machine: {topology: {kind: ring, shape: 4}, link: {bandwidth: 1 B/s, latency: 1 us}}\n"
                          "program:\n"
                          "  - {all_gather: {bytes: 1 MB}}\n");
  const Finished f = hopsim({"run", file, "--engine", "simgrid"});
  EXPECT_EQ(f.code, 2);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, StartsWith("hopsim: " + file.string() + ": the simulated time passes the 2.5 hours"));
}

TEST(Engines, AProcessThatIsKilledIsAnError) {
  const Scratch folder;
  const auto file =
      write(folder / "slow.yaml",
            "machine: {topology: {kind: torus, shape: 8x8}, link: {bandwidth: 45 GB/s, latency: 1 us}}\n"
            "program:\n"
            "  - {all_to_all: {bytes: 64 MiB}, algorithm: direct}\n");
  const Finished f =
      shell("$HOPSIM run " + file.string() + " --engine simgrid --json " + (folder / "out.json").string() +
            " & for i in $(seq 100); do sleep 0.05; child=$(cat /proc/$!/task/$!/children);"
            " [ -n \"$child\" ] && break; done; kill -9 $child; wait $!");
  EXPECT_EQ(f.code, 1);
  EXPECT_THAT(f.err,
              HasSubstr("hopsim: the process that simulates on engine simgrid was ended by signal 9 (Killed)"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.json"));
}

TEST(Engines, CrossCheckTakesWholeRuns) {
  const Scratch folder;
  const auto ring = write(folder / "ring.yaml", kRing);
  const Finished f = hopsim({"run", ring, "--cross-check", "--max-events", "10"});
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, HasSubstr("--cross-check compares whole runs; got --max-events"));
}

}  // namespace
}  // namespace hopsim::test

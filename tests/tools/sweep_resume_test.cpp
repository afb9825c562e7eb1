// hopsim sweep on several threads, stopped in the middle, and going on, through the real program.
#include <gmock/gmock.h>

#include "tests/tools/slow_sweep.hpp"

namespace hopsim::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

void expect_same(const SlowSweep& sweep, const Undisturbed& expected) {
  EXPECT_TRUE(contents(sweep.json) == expected.json);
  EXPECT_TRUE(contents(sweep.csv) == expected.csv);
  EXPECT_FALSE(std::filesystem::exists(sweep.journal));
}

// The end of the process comes when some points have finished, and not all.
SlowSweep& stopped(SlowSweep& sweep, int signal, std::vector<std::string> flags = {"--jobs", "2"}) {
  Started run(sweep.command(std::move(flags)));
  EXPECT_TRUE(run.until([&] { return sweep.finished() >= 3; })) << run.wait().err;
  EXPECT_EQ(run.end(signal).code, 128 + signal);
  EXPECT_FALSE(std::filesystem::exists(sweep.json));
  EXPECT_LT(sweep.finished(), kSlowPoints);
  const std::filesystem::directory_iterator files(sweep.folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "more than the scenario and the journal";
  return sweep;
}

TEST(SweepJobs, AnyNumberGivesTheSame) {
  SlowSweep sweep;
  const Undisturbed one = undisturbed(sweep);
  EXPECT_EQ(one.finished.code, 0);
  EXPECT_EQ(std::count(one.csv.begin(), one.csv.end(), '\n'), kSlowPoints + 1);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--jobs", "2"}, {"--jobs", "7"}}) {
    const Undisturbed more = undisturbed(sweep, flags);
    EXPECT_EQ(more.finished.code, 0);
    EXPECT_EQ(more.finished.out, one.finished.out);
    EXPECT_EQ(more.finished.err, one.finished.err);
    EXPECT_TRUE(more.json == one.json && more.csv == one.csv);
  }
}

TEST(SweepJobs, WarningsErrorsAndExitCodesAreTheSameToo) {
  const Scratch folder;
  const auto file =
      write(folder / "s.yaml",
            "machine: {chip: tpu_v5e, slice: 2x2}\nprogram: [{all_gather: {axis: X, bytes: 1 MiB}, chunks: 1}]\n"
            "expect: [{step: 1, time: 1 us}]\n"
            "sweep: {machine.slice: [2x2, 4x4, none, 2x4, 8x8, 0], program.0.all_gather.bytes: "
            "[1 MiB, 2 MiB, 3 MiB], program.0.chunks: [1, 2, 4, x]}\n");
  const Finished one = hopsim({"sweep", file, "--jobs", "1"}), many = hopsim({"sweep", file, "--jobs", "5"});
  EXPECT_EQ(one.code, 1);  // an expectation that does not hold
  EXPECT_EQ(many.code, one.code);
  EXPECT_EQ(many.out, one.out);
  EXPECT_EQ(many.err, one.err);
}

// Each of its runs is in a process of its own.
TEST(SweepJobs, SimgridRunsSideBySide) {
  const Scratch folder;
  const auto file = write(folder / "s.yaml",
                          "machine: {topology: {kind: ring, shape: 4}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
                          "program: [{all_gather: {axis: X, bytes: 1 MiB}, algorithm: ring}]\n"
                          "sweep: {machine.topology.shape: [2, 3, 4, 5, 6, none, 7, 8]}\n");
  const Finished one = hopsim({"sweep", file, "--engine", "simgrid", "--json", "-", "--jobs", "1"});
  EXPECT_EQ(one.code, 0) << one.err;
  const Finished many = hopsim({"sweep", file, "--engine", "simgrid", "--json", "-", "--jobs", "4"});
  EXPECT_TRUE(many.out == one.out);
}

TEST(SweepResume, AfterAKillTheFilesAreThoseOfAnUndisturbedRun) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  stopped(sweep, SIGKILL);
  const Finished f = finished(sweep.command({"--resume", "--jobs", "2"}));
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.out, expected.finished.out);
  EXPECT_THAT(f.err, MatchesRegex("hopsim: info: [0-9]+ of 40 points are done already\n"));
  expect_same(sweep, expected);
}

TEST(SweepResume, FinishedPointsAreNotRunAgainAndHalfARecordIs) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  std::string journal = contents(stopped(sweep, SIGKILL).journal);
  // What is there is taken as it is.
  const std::size_t first = journal.find("\"engine\": \"event\"");
  ASSERT_NE(first, std::string::npos);
  journal.replace(first, 17, "\"engine\": \"EVENT\"");
  const std::size_t records = sweep.finished();
  write(sweep.journal, journal.substr(0, journal.rfind("\"point\":") + 100));
  const Finished f = finished(sweep.command({"--resume"}));
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.err, HasSubstr(std::to_string(records - 1) + " of 40 points are done already"));
  std::string json = contents(sweep.json);
  const std::size_t kept = json.find("\"engine\": \"EVENT\"");
  ASSERT_NE(kept, std::string::npos);
  json.replace(kept, 17, "\"engine\": \"event\"");
  EXPECT_TRUE(json == expected.json);
}

TEST(SweepResume, AnInterruptSaysHowToGoOn) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  for (const int signal : {SIGINT, SIGTERM}) {
    Started run(sweep.command({"--jobs", "2", "--resume"}));
    ASSERT_TRUE(run.until([&] { return sweep.finished() >= (signal == SIGINT ? 3u : 10u); })) << run.wait().err;
    const Finished f = run.end(signal);
    EXPECT_EQ(f.code, 128 + signal);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, testing::ContainsRegex("hopsim: interrupted: [0-9]+ of 40 points are in .*r.json.partial; the "
                                              "same command with --resume goes on from there\n$"));
  }
  EXPECT_EQ(finished(sweep.command({"--resume", "--jobs", "3"})).code, 0);
  expect_same(sweep, expected);
}

TEST(SweepResume, NothingIsLostUnasked) {
  SlowSweep sweep;
  const std::string journal = contents(stopped(sweep, SIGKILL).journal);
  const auto refused = [&](const Finished& f, const std::string& says) {
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    EXPECT_THAT(f.err, testing::ContainsRegex(says));
    EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    EXPECT_TRUE(contents(sweep.journal) == journal);
  };
  refused(finished(sweep.command()),
          "partial holds [0-9]+ finished points of 40 of an interrupted sweep; valid: --resume goes on with it; or "
          "delete it");
  refused(
      finished(sweep.command({"--resume", "--verify"})),
      "--resume: .*r.json.partial is of another sweep: what flags say differs; got .*--json\"; valid: .*--verify");
  refused(finished(sweep.command({"--resume", "--best", "overlap"})), "is of another sweep: what flags say differs");
  std::string text = contents(sweep.file);
  write(sweep.file, text.replace(text.find("latency: 1 us"), 13, "latency: 2 us"));
  refused(finished(sweep.command({"--resume"})), "is of another sweep: the scenario, or what");
  write(sweep.file, text.replace(text.find(".. 40 MB"), 8, ".. 41 MB"));
  refused(
      finished(sweep.command({"--resume"})),
      "is of another sweep: the scenario, or what --machine, --ideal or --set make of it, differs; valid: what it");
}

TEST(SweepResume, WhatIsNoJournalStays) {
  SlowSweep sweep;
  for (const char* text : {"mine\n", "{\"a\": 1}\n"}) {
    write(sweep.journal, text);
    const Finished f = finished(sweep.command());
    EXPECT_EQ(f.code, 2);
    EXPECT_THAT(f.err, HasSubstr("r.json.partial is in the way: "));
    EXPECT_EQ(contents(sweep.journal), text);
  }
}

TEST(SweepResume, ADamagedJournalIsToldOf) {
  SlowSweep sweep;
  const std::string journal = contents(stopped(sweep, SIGKILL).journal);
  const auto damaged = [&](const std::string& what, const std::string& by) {
    std::string text = journal;
    const std::size_t at = text.find(what);
    write(sweep.journal, text.replace(at, what.size(), by));
    return finished(sweep.command({"--resume"}));
  };
  const std::size_t first = journal.find("\"point\":");
  const std::string point = journal.substr(first, journal.find_first_of(",}", first) - first);
  const Finished far = damaged(point, "\"point\":99999");
  EXPECT_EQ(far.code, 2);
  EXPECT_THAT(far.err, HasSubstr("r.json.partial is damaged: it holds a point that the sweep has not; got 99999"));
  EXPECT_THAT(damaged("\"schema\":\"", "\"schema\":7,\"x\":\"").err, HasSubstr("r.json.partial is in the way: "));
  // All behind the first record that is not whole runs again, and that is said.
  const Finished cut = damaged(point, "garbage");
  EXPECT_EQ(cut.code, 0);
  EXPECT_THAT(cut.err, HasSubstr(" bytes behind its last whole point are dropped\n"));
}

// The graph is no part of the scenario's file, but of what is swept.
TEST(SweepResume, AGraphThatChangedIsAnotherSweep) {
  const Scratch folder;
  const auto graph = [&](const char* bandwidth) {
    const std::string links = std::string("<data key=\"b\">") + bandwidth + "</data><data key=\"l\">1 us</data>";
    write(folder / "g.graphml",
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
          "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>"
          "<key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>"
          "<graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>"
          "<edge source=\"a\" target=\"b\">" +
              links + "</edge></graph></graphml>\n");
  };
  graph("1 GB/s");
  const auto file = write(folder / "s.yaml",
                          "machine: {topology: {graphml: g.graphml}}\n"
                          "program: [{all_gather: {bytes: 1 MiB}, chunks: 1}]\n"
                          "sweep: {program.0.chunks: 1 .. 3000}\n");
  const std::vector<std::string> command{program(), "sweep", file, "--json", folder / "r.json", "--resume"};
  Started run(command);
  ASSERT_TRUE(run.until([&] { return contents(folder / "r.json.partial").size() > 10000; })) << run.wait().err;
  run.end(SIGKILL);
  graph("2 GB/s");
  const Finished f = finished(command);
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, HasSubstr("r.json.partial is of another sweep: the scenario, or what"));
}

TEST(SweepResume, AnOutputMayNotBeWherePointsAreKept) {
  SlowSweep sweep;
  std::vector<std::string> command{program(), "sweep", sweep.file, "--json", sweep.json, "--csv", sweep.journal};
  const Finished f = finished(command);
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, HasSubstr("finished points are kept there until the sweep ends; got "));
  EXPECT_FALSE(std::filesystem::exists(sweep.json));
}

TEST(SweepResume, WithNothingToGoOnWith) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  const Finished f = finished(sweep.command({"--resume"}));
  EXPECT_EQ(f.code, 0);
  EXPECT_THAT(f.err, HasSubstr("r.json.partial is not there: nothing to go on with, so the sweep begins\n"));
  expect_same(sweep, expected);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--json", "-"}}) {
    std::vector<std::string> command{program(), "sweep", sweep.file, "--resume"};
    command.insert(command.end(), flags.begin(), flags.end());
    const Finished none = finished(command);
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, StartsWith("hopsim: --resume goes on with what is kept beside an output file, and there is "
                                     "none; valid: --json FILE"));
  }
}

TEST(SweepResume, OneSweepAtATimeWritesAFile) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  Started first(sweep.command({"--jobs", "1"}));
  ASSERT_TRUE(first.until([&] { return sweep.finished() >= 1; }));
  ::kill(first.pid(), SIGSTOP);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--resume"}}) {
    const Finished second = finished(sweep.command(flags));
    EXPECT_EQ(second.code, 2);
    EXPECT_THAT(second.err, HasSubstr("r.json.partial is in use: another sweep to the same file is going on"));
  }
  ::kill(first.pid(), SIGCONT);
  EXPECT_EQ(first.wait().code, 0);
  expect_same(sweep, expected);
}

// A limit on the size of files stands for a full disk: writing fails in the same way.
TEST(SweepResume, AFullDiskLeavesWhatHadFinished) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  std::string command;
  for (const std::string& word : sweep.command({"--jobs", "2"})) command += " '" + word + "'";
  const Finished f = shell("trap '' XFSZ; ulimit -f 32;" + command);
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err,
              MatchesRegex("hopsim: cannot write .*r.json.partial: File too large; safe in it: [0-9]+ finished "
                           "points, with which --resume goes on\n"));
  EXPECT_GT(sweep.finished(), 3u);
  EXPECT_EQ(finished(sweep.command({"--resume"})).code, 0);
  expect_same(sweep, expected);
}

TEST(SweepResume, IfOnlyTheResultDoesNotFitNothingIsRunAgain) {
  SlowSweep sweep;
  const Undisturbed expected = undisturbed(sweep);
  Started run(sweep.command());
  ASSERT_TRUE(run.until([&] { return sweep.finished() >= 3; }));
  std::filesystem::create_directory(sweep.csv);  // in the way
  const Finished f = run.wait();
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, MatchesRegex("hopsim: cannot write .*r.csv: Is a directory; 40 of 40 points are in "
                                  ".*r.json.partial; the same command with --resume goes on from there\n"));
  std::filesystem::remove(sweep.csv);
  EXPECT_THAT(finished(sweep.command({"--resume"})).err, HasSubstr("40 of 40 points are done already"));
  expect_same(sweep, expected);
}

TEST(SweepResume, AFolderThatIsNotThereIsToldBeforeAnythingRuns) {
  SlowSweep sweep;
  sweep.csv = sweep.folder / "none" / "r.csv";
  const Finished f = finished(sweep.command());
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, HasSubstr("r.csv: No such file or directory"));
  EXPECT_FALSE(std::filesystem::exists(sweep.journal));
}

}  // namespace
}  // namespace hopsim::test

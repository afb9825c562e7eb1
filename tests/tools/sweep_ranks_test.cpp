// hopsim sweep under mpirun, of 2 and 4 processes on this machine.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/tools/slow_sweep.hpp"

namespace hopsim::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// Containers run tests as root, and have fewer cores than the tests have ranks.
void let_mpirun_run() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) ::setenv(name, "1", 1);
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
}

class Ranks : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program().parent_path() / "hopsim-mpi.so") || shell("command -v mpirun").code != 0)
      GTEST_SKIP() << "built without MPI, or no mpirun";
    let_mpirun_run();
  }
  std::vector<std::string> under_mpirun(std::vector<std::string> command) const {
    command.insert(command.begin(), {"mpirun", "-n", std::to_string(GetParam())});
    return command;
  }

  SlowSweep sweep_;
};

// Those of mpirun's children that sweep.
std::vector<pid_t> ranks_of(pid_t mpirun) {
  std::vector<pid_t> ranks;
  std::ifstream children("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
  for (pid_t child = 0; children >> child;)
    if (contents("/proc/" + std::to_string(child) + "/comm") == "hopsim\n") ranks.push_back(child);
  return ranks;
}

TEST_P(Ranks, GiveWhatOneProcessGives) {
  const Undisturbed one = undisturbed(sweep_);
  const Finished f = finished(under_mpirun(sweep_.command({"--jobs", "1"})));
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.out, one.finished.out);
  EXPECT_EQ(f.err, "");
  EXPECT_TRUE(contents(sweep_.json) == one.json);
  EXPECT_TRUE(contents(sweep_.csv) == one.csv);
  EXPECT_FALSE(std::filesystem::exists(sweep_.journal));
}

// mpirun gives standard input to rank 0 alone.
TEST_P(Ranks, ReadStandardInputAndRunSimgrid) {
  std::string text = contents(sweep_.file);
  write(sweep_.file, text.replace(text.find("12x12"), 5, "3x3").replace(text.find(".. 40 MB"), 8, ".. 9 MB"));
  const auto piped = [&](const std::string& run) {
    return shell(run + " \"$HOPSIM\" sweep - --fold off --engine simgrid --json - < '" + sweep_.file.string() + "'");
  };
  const Finished one = piped(""), all = piped("mpirun -n " + std::to_string(GetParam()));
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, one.out);
}

// mpirun ends the others; what had come in is kept, and any number of processes goes on with it.
TEST_P(Ranks, OneThatDiesLosesItsPointsInFlight) {
  const Undisturbed one = undisturbed(sweep_);
  Started run(under_mpirun(sweep_.command({"--jobs", "1"})));
  ASSERT_TRUE(run.until([&] { return sweep_.finished() >= 5; })) << run.wait().err;
  const std::vector<pid_t> ranks = ranks_of(run.pid());
  ASSERT_EQ(ranks.size(), static_cast<std::size_t>(GetParam()));
  ::kill(ranks.back(), SIGKILL);
  EXPECT_NE(run.wait().code, 0);
  EXPECT_FALSE(std::filesystem::exists(sweep_.json));
  EXPECT_GE(sweep_.finished(), 5u);
  const Finished f = finished(under_mpirun(sweep_.command({"--resume", "--jobs", "2"})));
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_THAT(f.err, ContainsRegex("^hopsim: info: [0-9]+ of 40 points are done already\n$"));
  EXPECT_TRUE(contents(sweep_.json) == one.json);
  EXPECT_TRUE(contents(sweep_.csv) == one.csv);
}

TEST_P(Ranks, BadInputIsToldOnceAndEndsAll) {
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& says) {
    const Finished f = finished(under_mpirun(sweep_.command(flags)));
    EXPECT_EQ(f.code, 2);
    EXPECT_EQ(f.out, "");
    const std::size_t at = f.err.find("hopsim: ");
    ASSERT_NE(at, std::string::npos) << f.err;
    EXPECT_THAT(f.err.substr(at), testing::StartsWith("hopsim: " + says));
    EXPECT_EQ(f.err.find("hopsim: ", at + 1), std::string::npos) << f.err;
    EXPECT_FALSE(std::filesystem::exists(sweep_.json));
  };
  refused({"--jobs", "none"}, "--jobs: ");
  refused({"--nonsense"}, "sweep: unknown flag");
  refused({"--best", "nonsense"}, "--best:1:1: the result has no such value; got nonsense");
  std::filesystem::remove(sweep_.file);
  refused({}, sweep_.file.string() + ": cannot be read");
}

INSTANTIATE_TEST_SUITE_P(Several, Ranks, testing::Values(2, 4));

}  // namespace
}  // namespace hopsim::test

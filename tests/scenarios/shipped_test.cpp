// Every scenario that is shipped, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

struct Output {
  int exit_code = -1;
  std::string text;  // standard output
};

Output run_program(const std::string& arguments) {
  const std::string command = "'" + test::program().string() + "' " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Output output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

Output run_scenario(const std::filesystem::path& file) {
  return run_program("run '" + file.string() + "' --verify --json -");
}

bool has_sweep(const std::filesystem::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line == "sweep:") return true;
  return false;
}

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_dir() / "scenarios"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// All of a result but its cost, the last of its keys, which no two runs have alike.
std::string without_cost(const std::string& text) {
  const std::size_t cost = text.find("\n  \"cost\": {");
  EXPECT_NE(cost, std::string::npos);
  return text.substr(0, cost);
}

class Shipped : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Shipped, IsProvenAndComesOutAsExpected) {
  const Output output = run_scenario(GetParam());
  ASSERT_EQ(output.exit_code, 0) << output.text;
  const Json result = Json::parse(output.text);
  EXPECT_EQ(result["verified"], true);
  if (has_sweep(GetParam())) {
    EXPECT_EQ(result["warnings"].dump(), R"(["sweep is left alone: a run is of the base point"])");
  } else {
    EXPECT_THAT(result["warnings"], ::testing::IsEmpty());
  }
  EXPECT_FALSE(result["expect"].empty()) << "a scenario that is shipped expects something";
  for (const Json& e : result["expect"]) EXPECT_NE(e["source"], "") << e;
}

TEST_P(Shipped, ComesOutTheSameTwiceFromAnyFolder) {
  const Output first = run_scenario(GetParam());
  std::filesystem::current_path(GetParam().parent_path());
  const Output second = run_scenario(GetParam().filename());
  ASSERT_EQ(first.exit_code, 0);
  EXPECT_EQ(without_cost(first.text), without_cost(second.text));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Shipped, ::testing::ValuesIn(shipped()), [](const auto& instance) {
  std::string name = std::filesystem::relative(instance.param, test::source_dir() / "scenarios").string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// One chip for all that are alike tells what all of them tell.
TEST_P(Shipped, FoldedOrNotItTellsTheSame) {
  const std::string run = "run '" + GetParam().string() + "' --json -";
  Json folded = Json::parse(run_program(run).text);
  if (!folded["folded"].get<bool>()) GTEST_SKIP() << "chips are not all alike";
  Json whole = Json::parse(run_program(run + " --fold off").text);
  for (Json* result : {&folded, &whole})
    for (const char* differs : {"cost", "fingerprint", "folded"}) result->erase(differs);
  EXPECT_EQ(folded, whole);
}

// The fingerprint covers every time at which anything occupied a link, so it holds on every machine, compiler and
// build type, and moves with the least change of timing. Update rule: a change that is not meant to alter times must
// not alter it, so look for the fault. A change that is meant to states the new times, and why, in its message, and
// pins here what this test prints; the `expect` of the scenario must still hold.
TEST(Shipped, FingerprintIsPinned) {
  const std::string file = (test::source_dir() / "scenarios/book/ch3_q2_allgather_x.yaml").string();
  const Output output = run_program("run '" + file + "' --fold off --json -");
  ASSERT_EQ(output.exit_code, 0);
  EXPECT_EQ(Json::parse(output.text)["fingerprint"], "8a1c235528ac701e");
}

}  // namespace
}  // namespace hopsim

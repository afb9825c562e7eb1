// Runs the real `hopsim` of this build and keeps what it said. For tests that are declared RUNS_PROGRAM.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"
#include "tests/support/scratch.hpp"

namespace hopsim::test {

struct Finished {
  int code = 0;  // 128 + the signal if one ended it
  std::string out, err;

  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
};

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::filesystem::path write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// Standard input is empty; output and errors go to files, so neither can block the other.
inline Finished finished(std::vector<std::string> command) {
  const Scratch folder;
  const std::string out = folder / "out", err = folder / "err";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  EXPECT_EQ(::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

inline Finished hopsim(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program().string());
  return finished(std::move(arguments));
}

// With $HOPSIM for the program. bash, for `set -o pipefail`.
inline Finished shell(const std::string& script) {
  return finished({"bash", "-c", "HOPSIM='" + program().string() + "'; set -o pipefail; " + script});
}

}  // namespace hopsim::test

// A process that goes on while the test does, and may be ended in the middle.
#pragma once

#include <csignal>

#include "tests/tools/program.hpp"

namespace hopsim::test {

class Started {
 public:
  explicit Started(std::vector<std::string> command) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    EXPECT_EQ(::posix_spawnp(&pid_, argv[0], &files, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
  }
  ~Started() {
    if (pid_ > 0) end(SIGKILL);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t pid() const { return pid_; }
  bool runs() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) note(status);
    return pid_ > 0;
  }
  // Waits until that holds, or the process has ended.
  template <class Holds>
  bool until(Holds holds) {
    while (!holds()) {
      if (!runs()) return false;
      ::usleep(1000);
    }
    return true;
  }
  Finished wait() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_) note(status);
    return {code_, contents(out_), contents(err_)};
  }
  Finished end(int signal) {
    if (pid_ > 0) ::kill(pid_, signal);
    return wait();
  }

 private:
  void note(int status) {
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    pid_ = 0;
  }

  const Scratch folder_;
  const std::string out_ = folder_ / "out", err_ = folder_ / "err";
  pid_t pid_ = 0;
  int code_ = -1;
};

}  // namespace hopsim::test

// Points of a sweep that run at once, each in a thread of oneTBB's.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "tools/sweep/record.hpp"

namespace hopsim {

// One a core this process may use, where `jobs` is empty. Throws InputError for what is no number from 1 to 1000.
std::size_t jobs_of(const std::string& jobs);

class SweepJobs {
 public:
  using Run = std::function<FinishedPoint(std::size_t point)>;  // throws nothing

  SweepJobs(std::size_t jobs, Run run);
  ~SweepJobs();  // waits for the points that are running
  SweepJobs(const SweepJobs&) = delete;
  SweepJobs& operator=(const SweepJobs&) = delete;

  std::size_t at_once() const { return jobs_; }
  // How many more points to start: so many as run at once; twice that while they take so little time that threads
  // would wait for the next.
  std::size_t room() const;
  void start(std::size_t point);
  std::size_t held() const { return held_; }  // started, and not taken yet
  // One that has run, encoded. Waits for it for so long, where there is none.
  std::optional<std::string> take(std::chrono::microseconds wait);

 private:
  void run_point(std::size_t point);

  const std::size_t jobs_;
  const Run run_;
  std::size_t held_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::string> records_;
  std::chrono::steady_clock::duration last_{};  // took so long
  bool ending_ = false;

  tbb::global_control threads_;
  tbb::task_group points_;
  tbb::task_arena arena_;
};

}  // namespace hopsim

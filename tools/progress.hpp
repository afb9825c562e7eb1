// One line on a terminal that says what is being done, how much of it, for how long and how long still, rewritten
// twice a second once `delay` has passed. On anything but a terminal: nothing.
//
//   hopsim: megatron step: 37 %, 12 s left (7 s)
//   hopsim: 120 of 200 points, best 3.9157 ms (slice 4x4x4): 60 %, 12 s left (7 s)
//
// A thread of its own writes it, so whoever simulates need not call in. The line stays on the terminal until wipe():
// call that before anything else is written there. Destroying a Progress wipes it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/run_control.hpp"

namespace hopsim {

// "37 %, 12 s left", from the share now and the share `seconds` ago, once both say something; else empty.
std::string share_text(double share, double share_before, double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::ostream& err, bool terminal, std::chrono::milliseconds delay = std::chrono::seconds(1));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::string what);  // "row 3 of 17: all_gather of 4 KiB"
  // The next of `all` parts of the work, of which `done` are done; their share of the work is that of their number.
  void at(std::string what, std::size_t done, std::size_t all);
  void wipe();

  // A run that is part of the work; several may go on at once. As soon as it is gone at() should count it as done.
  class Run {
   public:
    explicit Run(Progress&);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void expect(std::uint64_t hops);  // that it will make, counted in counts()
    RunProgress& counts() { return counts_; }
    Progress& progress() { return progress_; }

   private:
    friend class Progress;
    Progress& progress_;
    double hops_ = 0;  // 0: not known
    RunProgress counts_;
  };

  // Where runs go on one by one: begun anew by at().
  void expect(std::uint64_t hops) { run_.expect(hops); }
  RunProgress& run() { return run_.counts(); }
  Run& only_run() { return run_; }

 private:
  void show();
  void erase();
  double share() const;
  std::string shares(double seconds);

  std::ostream& err_;
  const std::chrono::milliseconds delay_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string what_;
  double done_parts_ = 0, parts_ = 1;
  std::optional<std::pair<double, double>> first_;  // of this work: seconds, share
  std::vector<Run*> runs_;
  Run run_{*this};
  bool done_ = false, shown_ = false;
  std::thread thread_;
};

}  // namespace hopsim

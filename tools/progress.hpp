// One line on a terminal that says what is being done and for how long, rewritten twice a second once `delay` has
// passed. On anything but a terminal: nothing.
//
// A thread of its own writes it, so whoever simulates need not call in. The line stays on the terminal until wipe():
// call that before anything else is written there. Destroying a Progress wipes it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace hopsim {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::ostream& err, bool terminal, std::chrono::milliseconds delay = std::chrono::seconds(1));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::string what);  // "row 3 of 17: all_gather of 4 KiB"
  void wipe();

 private:
  void show();
  void erase();

  std::ostream& err_;
  const std::chrono::milliseconds delay_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string what_;
  bool done_ = false, shown_ = false;
  std::thread thread_;
};

}  // namespace hopsim

// Compresses in a thread of its own what another writes, so that a run and its trace go on side by side.
//
// The thread is started by the first full block, so that a process forked before has none to miss; where none can be
// had, work is done by the caller. At most kAhead blocks wait, then write() does: memory is constant (some 3 MB).
// What comes out is the same whatever the threads' speeds.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tools/gzip.hpp"

namespace hopsim {

class GzipThread {
 public:
  // `store` is called from the thread, and by finish() after the thread has ended.
  explicit GzipThread(std::function<void(std::string_view)> store);
  ~GzipThread();  // without finish(): what was not stored yet is dropped
  GzipThread(const GzipThread&) = delete;
  GzipThread& operator=(const GzipThread&) = delete;

  void write(std::string_view);
  void finish();  // once; rethrows what went wrong in the thread

 private:
  static constexpr std::size_t kBlock = GzipEncoder::kBlock, kAhead = 4;

  void hand_over();
  void start();
  void work();
  void end(bool dropping);
  void compress(std::string_view);

  const std::function<void(std::string_view)> store_;
  GzipEncoder encoder_;
  std::string block_, out_;  // being filled; compressed
  std::thread thread_;
  bool alone_ = false;  // no thread to be had

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool ending_ = false;
  std::exception_ptr failure_;
};

}  // namespace hopsim

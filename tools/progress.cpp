#include "tools/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace hopsim {
namespace {

constexpr std::chrono::milliseconds kTick(500);
constexpr std::size_t kWidth = 79;                // a line that wraps could not be rewritten
constexpr const char* kStartOfLine = "\r\x1b[K";  // and the line erased (ECMA-48: EL)

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && (text[width] & 0xc0) == 0x80) --width;
  return text.substr(0, width);
}

}  // namespace

Progress::Progress(std::ostream& err, bool terminal, std::chrono::milliseconds delay) : err_(err), delay_(delay) {
  if (terminal) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::at(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::wipe() {
  const std::lock_guard lock(mutex_);
  erase();
}

void Progress::show() {
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds wait = delay_;
  while (!wake_.wait_for(lock, wait, [this] { return done_; })) {
    wait = kTick;
    if (what_.empty()) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
    const std::string time = fmt::format(" ({} s)", seconds);
    err_ << kStartOfLine << cut("hopsim: " + what_, kWidth - time.size()) << time << std::flush;
    shown_ = true;
  }
  erase();
}

void Progress::erase() {
  if (std::exchange(shown_, false)) err_ << kStartOfLine << std::flush;
}

}  // namespace hopsim

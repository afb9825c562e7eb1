#include "tools/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "scenarios/estimate.hpp"

namespace hopsim {
namespace {

constexpr std::chrono::milliseconds kTick(500);
constexpr std::size_t kWidth = 79;                // a line that wraps could not be rewritten
constexpr const char* kStartOfLine = "\r\x1b[K";  // and the line erased (ECMA-48: EL)

std::string cut(std::string text, std::size_t width) {
  constexpr std::string_view kMore = "..";
  if (text.size() <= width) return text;
  width -= kMore.size();
  while (width > 0 && (text[width] & 0xc0) == 0x80) --width;
  return text.substr(0, width).append(kMore);
}

}  // namespace

std::string share_text(double share, double share_before, double seconds) {
  if (share <= 0) return {};
  std::string text = fmt::format("{:.0f} %", std::floor(std::min(share, 0.99) * 100));
  const double gained = share - share_before;
  if (gained <= 0 || seconds <= 0 || share >= 1) return text;
  const double left = (1 - share) / gained * seconds;
  return text + ", " + (left < 1 ? "1 s" : about_time(left)) + " left";
}

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

void Progress::at(std::string what) { at(std::move(what), 0, 1); }

void Progress::at(std::string what, std::size_t done, std::size_t all) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  if (done == 0) first_.reset();
  done_parts_ = static_cast<double>(done);
  parts_ = static_cast<double>(std::max<std::size_t>(all, 1));
  run_.hops_ = 0;
  run_.counts_.hops.store(0);
}

Progress::Run::Run(Progress& progress) : progress_(progress) {
  const std::lock_guard lock(progress.mutex_);
  progress.runs_.push_back(this);
}

Progress::Run::~Run() {
  const std::lock_guard lock(progress_.mutex_);
  std::erase(progress_.runs_, this);
}

void Progress::Run::expect(std::uint64_t hops) {
  const std::lock_guard lock(progress_.mutex_);
  hops_ = static_cast<double>(hops);
}

// Of all parts.
double Progress::share() const {
  double parts = done_parts_;
  for (const Run* run : runs_) {
    const auto made = static_cast<double>(run->counts_.hops.load(std::memory_order_relaxed));
    if (run->hops_ > 0) parts += std::min(made / run->hops_, 1.0);
  }
  return parts / parts_;
}

// The rate is of the work alone: from when it was first seen to go on, not from the planning before it.
std::string Progress::shares(double seconds) {
  const double now = share();
  if (now <= 0) return {};
  if (!first_) first_ = {seconds, now};
  return share_text(now, first_->second, seconds - first_->first);
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
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string time = shares(seconds);
    if (!time.empty()) time.insert(0, ": ");
    time += fmt::format(" ({:.0f} s)", std::floor(seconds));
    err_ << kStartOfLine << cut("hopsim: " + what_, kWidth - time.size()) << time << std::flush;
    shown_ = true;
  }
  erase();
}

void Progress::erase() {
  if (std::exchange(shown_, false)) err_ << kStartOfLine << std::flush;
}

}  // namespace hopsim

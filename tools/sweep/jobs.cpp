#include "tools/sweep/jobs.hpp"

#include <oneapi/tbb/info.h>

#include <utility>

#include "sim/error.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kMostJobs = 1000;
constexpr std::chrono::milliseconds kShort(50);

}  // namespace

std::size_t jobs_of(const std::string& jobs) {
  if (jobs.empty()) return static_cast<std::size_t>(tbb::info::default_concurrency());
  try {
    return parse_count(jobs, 1, kMostJobs);
  } catch (const InputError& e) {
    throw InputError(std::string("--jobs: ") + e.what());
  }
}

// The thread that hands points out is no worker, but TBB counts it.
SweepJobs::SweepJobs(std::size_t jobs, Run run)
    : jobs_(jobs),
      run_(std::move(run)),
      threads_(tbb::global_control::max_allowed_parallelism, jobs + 1),
      arena_(static_cast<int>(jobs), /*reserved_for_masters=*/0) {}

SweepJobs::~SweepJobs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  points_.wait();
}

std::size_t SweepJobs::room() const {
  const std::lock_guard lock(mutex_);
  const bool ahead = last_ > last_.zero() && last_ < kShort;
  const std::size_t most = ahead ? 2 * jobs_ : jobs_;
  return most > held_ ? most - held_ : 0;
}

void SweepJobs::start(std::size_t point) {
  ++held_;
  arena_.enqueue(points_.defer([this, point] { run_point(point); }));
}

void SweepJobs::run_point(std::size_t point) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::string record = encode(run_(point));
  {
    const std::lock_guard lock(mutex_);
    last_ = std::chrono::steady_clock::now() - begin;
    records_.push_back(std::move(record));
  }
  changed_.notify_one();
}

std::optional<std::string> SweepJobs::take(std::chrono::microseconds wait) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, wait, [this] { return !records_.empty(); })) return std::nullopt;
  std::string record = std::move(records_.front());
  records_.pop_front();
  --held_;
  return record;
}

}  // namespace hopsim

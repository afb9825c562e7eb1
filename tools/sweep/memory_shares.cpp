#include "tools/sweep/memory_shares.hpp"

namespace hopsim {

void MemoryShares::Share::take(std::uint64_t bytes) {
  std::unique_lock lock(of_.mutex_);
  of_.changed_.wait(lock,
                    [&] { return of_.taken_ == 0 || (of_.taken_ < of_.all_ && bytes <= of_.all_ - of_.taken_); });
  of_.taken_ += bytes;
  bytes_ = bytes;
}

MemoryShares::Share::~Share() {
  if (bytes_ == 0) return;
  {
    const std::lock_guard lock(of_.mutex_);
    of_.taken_ -= bytes_;
  }
  of_.changed_.notify_all();
}

}  // namespace hopsim

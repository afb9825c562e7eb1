// Memory for runs that go on at once: each may take all there is when it runs alone, so one that does not fit beside
// the others waits for them. What a run comes to does not depend on it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace hopsim {

class MemoryShares {
 public:
  explicit MemoryShares(std::uint64_t bytes) : all_(bytes) {}

  // A run's, for as long as this lives.
  class Share {
   public:
    explicit Share(MemoryShares& of) : of_(of) {}
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void take(std::uint64_t bytes);  // once; may wait

   private:
    MemoryShares& of_;
    std::uint64_t bytes_ = 0;
  };

 private:
  const std::uint64_t all_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0;
};

}  // namespace hopsim

// The bare loops' event queue: a monotone radix heap. Bucket k holds times that differ from the last one taken in bit
// k - 1 at the highest. push: amortised O(log of the time span). Times must not lie before the last one taken.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hopsim::bench {

template <class Event>  // with a member `time`
class RadixHeap {
 public:
  bool empty() const { return size_ == 0; }

  void push(const Event& e) {
    bucket(e.time).push_back(e);
    ++size_;
  }

  Event pop() {
    if (buckets_[0].empty()) refill();
    const Event e = buckets_[0].back();
    buckets_[0].pop_back();
    --size_;
    return e;
  }

 private:
  std::vector<Event>& bucket(std::uint64_t time) {
    return buckets_[static_cast<std::size_t>(std::bit_width(time ^ last_))];
  }

  void refill() {
    std::size_t i = 1;
    while (buckets_[i].empty()) ++i;
    last_ = std::min_element(buckets_[i].begin(), buckets_[i].end(), [](const Event& a, const Event& b) {
              return a.time < b.time;
            })->time;
    for (const Event& e : buckets_[i]) bucket(e.time).push_back(e);
    buckets_[i].clear();
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::uint64_t last_ = 0, size_ = 0;
};

}  // namespace hopsim::bench

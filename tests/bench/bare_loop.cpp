#include "tests/bench/bare_loop.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace hopsim::bench {
namespace {

struct Event {
  std::uint64_t time;
  std::uint32_t lane;  // the link's far chip, by direction
};

// A radix heap: bucket k holds times that differ from the last one taken in bit k - 1 at the highest.
class Queue {
 public:
  bool empty() const { return size_ == 0; }
  void push(Event e) {
    buckets_[static_cast<std::size_t>(std::bit_width(e.time ^ last_))].push_back(e);
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
  void refill() {
    std::size_t i = 1;
    while (buckets_[i].empty()) ++i;
    last_ = std::min_element(buckets_[i].begin(), buckets_[i].end(), [](const Event& a, const Event& b) {
              return a.time < b.time;
            })->time;
    for (const Event& e : buckets_[i])
      buckets_[static_cast<std::size_t>(std::bit_width(e.time ^ last_))].push_back(e);
    buckets_[i].clear();
  }
  std::array<std::vector<Event>, 65> buckets_;
  std::uint64_t last_ = 0, size_ = 0;
};

}  // namespace

BareResult bare_all_gather(int size, std::uint64_t shard_ps, std::uint64_t latency_ps) {
  const auto n = static_cast<std::uint32_t>(size), across = n * n, chips = n * across, reach = n / 2;
  std::vector<std::uint64_t> free_at(2 * chips);  // [direction][chip the link leaves]
  std::vector<std::uint32_t> arrived(2 * chips);
  Queue queue;
  BareResult result;
  const auto send = [&](std::uint64_t now, std::uint32_t lane, std::uint32_t hop) {
    const std::uint32_t direction = lane >= chips ? 1 : 0, chip = lane - direction * chips, x = chip / across;
    const std::uint32_t next = direction ? (x ? x - 1 : n - 1) : (x + 1 == n ? 0 : x + 1);
    const bool half = n % 2 == 0 && hop == reach;
    free_at[lane] = std::max(now, free_at[lane]) + (half ? (shard_ps + 1) / 2 : shard_ps);
    ++result.messages;
    queue.push({free_at[lane] + latency_ps, lane - x * across + next * across});
  };
  for (std::uint32_t lane = 0; lane < 2 * chips; ++lane) send(0, lane, 1);
  while (!queue.empty()) {
    const Event e = queue.pop();
    result.end_ps = std::max(result.end_ps, e.time);
    if (const std::uint32_t hop = ++arrived[e.lane]; hop < reach) send(e.time, e.lane, hop + 1);
  }
  return result;
}

}  // namespace hopsim::bench

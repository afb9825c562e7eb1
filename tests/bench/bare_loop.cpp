#include "tests/bench/bare_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/bench/radix_heap.hpp"

namespace hopsim::bench {
namespace {

// The chips next to a chip; number row by row, the last dimension fastest.
class Torus {
 public:
  explicit Torus(const Sizes& size) : chips_(size[0] * size[1] * size[2]), next_(kPorts * chips_) {
    std::uint32_t stride = chips_;
    for (std::uint32_t d = 0; d < 3; ++d) {
      const std::uint32_t n = size[d], around = stride;
      stride /= n;
      for (std::uint32_t c = 0; c < chips_; ++c) {
        const std::uint32_t x = c / stride % n, base = c / around * around + c % stride;
        next_[2 * d * chips_ + c] = base + (x + 1) % n * stride;
        next_[(2 * d + 1) * chips_ + c] = base + (x + n - 1) % n * stride;
      }
    }
  }
  std::uint32_t chips() const { return chips_; }
  std::uint32_t next(std::uint32_t link) const { return next_[link]; }

 private:
  std::uint32_t chips_;
  std::vector<std::uint32_t> next_;  // by link
};

std::uint64_t duration(double bytes, const LinkTimes& times) {
  return static_cast<std::uint64_t>(std::ceil(bytes * times.ps_per_byte));
}

}  // namespace

BareResult all_gather_loop(int size, std::uint64_t shard_ps, std::uint64_t latency_ps) {
  struct Event {
    std::uint64_t time;
    std::uint32_t lane;  // the link's far chip, by direction
  };
  const auto n = static_cast<std::uint32_t>(size), across = n * n, chips = n * across, reach = n / 2;
  std::vector<std::uint64_t> free_at(2 * chips);  // [direction][chip the link leaves]
  std::vector<std::uint32_t> arrived(2 * chips);
  RadixHeap<Event> queue;
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
  result.link_hops = result.messages;
  return result;
}

namespace {

// One lane a part and direction; in a phase of it every chip sends `messages` along one port.
class AllReduceLoop {
 public:
  AllReduceLoop(const Sizes& size, std::uint64_t bytes, const LinkTimes& times)
      : torus_(size),
        chips_(torus_.chips()),
        latency_ps_(times.latency_ps),
        free_at_(kPorts * chips_),
        arrived_(kPhases * kLanes * chips_),
        at_(kLanes * chips_) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      double block = static_cast<double>(bytes) / kLanes;
      for (std::uint32_t k = 0; k < kPhases / 2; ++k) {
        const std::uint32_t d = (lane / 2 + k) % 3;
        block /= size[d];
        legs_[k][lane] =
            legs_[kPhases - 1 - k][lane] = {(2 * d + lane % 2) * chips_, size[d] - 1, duration(block, times)};
      }
    }
  }

  BareResult run() {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t chip = 0; chip < chips_; ++chip) send(0, 0, lane, chip);
    while (!queue_.empty()) {
      const Event e = queue_.pop();
      result_.end_ps = e.time;
      arrive(e);
    }
    result_.link_hops = result_.messages;
    return result_;
  }

 private:
  static constexpr std::uint32_t kLanes = 6, kPhases = 6;
  static constexpr std::uint32_t kLaneBit = 26, kPhaseBit = 29;
  struct Event {
    std::uint64_t time;
    std::uint32_t where;  // phase, lane and chip it arrives at
  };
  struct Leg {
    std::uint32_t first_link, messages;
    std::uint64_t link_ps;
  };
  struct Stand {  // of a lane on a chip
    std::uint16_t phase = 0, taken = 0;
  };

  void send(std::uint64_t now, std::uint32_t phase, std::uint32_t lane, std::uint32_t chip) {
    const Leg& leg = legs_[phase][lane];
    const std::uint32_t link = leg.first_link + chip;
    free_at_[link] = std::max(now, free_at_[link]) + leg.link_ps;
    ++result_.messages;
    queue_.push({free_at_[link] + latency_ps_, phase << kPhaseBit | lane << kLaneBit | torus_.next(link)});
  }

  // The lane takes what came now, and what came before it was ready for it.
  void arrive(const Event& e) {
    const std::uint32_t chip = e.where % (1u << kLaneBit), lane = (e.where >> kLaneBit) % 8;
    const std::uint32_t of_lane = lane * chips_ + chip, a_phase = kLanes * chips_;
    ++arrived_[(e.where >> kPhaseBit) * a_phase + of_lane];
    Stand& here = at_[of_lane];
    while (here.phase < kPhases && arrived_[here.phase * a_phase + of_lane] > here.taken) {
      if (++here.taken == legs_[here.phase][lane].messages) here = {static_cast<std::uint16_t>(here.phase + 1), 0};
      if (here.phase < kPhases) send(e.time, here.phase, lane, chip);
    }
  }

  const Torus torus_;
  const std::uint32_t chips_;
  const std::uint64_t latency_ps_;
  std::array<std::array<Leg, kLanes>, kPhases> legs_{};
  std::vector<std::uint64_t> free_at_;  // by link
  std::vector<std::uint16_t> arrived_;  // [phase][lane][chip]
  std::vector<Stand> at_;               // [lane][chip]
  RadixHeap<Event> queue_;
  BareResult result_;
};

// What is left of a message's way: up to three legs, the next one lowest, each so many hops by one port.
class Way {
 public:
  static constexpr std::uint32_t kMostHops = 127;

  bool done() const { return legs_ == 0; }
  std::uint32_t port() const { return legs_ >> kHopBits & 7; }
  void hop() {
    if ((--legs_ & kMostHops) == 0) legs_ >>= kLegBits;
  }
  // As the leg before those there are.
  void prepend(std::uint32_t port, std::uint32_t hops) {
    if (hops > 0) legs_ = legs_ << kLegBits | port << kHopBits | hops;
  }

 private:
  static constexpr std::uint32_t kHopBits = 7, kLegBits = 10;
  std::uint32_t legs_ = 0;
};

std::array<std::vector<Way>, kPorts> ways_of(const Sizes& size) {
  std::array<std::vector<Way>, kPorts> ways;
  const auto routes = far_first(size);
  for (std::size_t port = 0; port < kPorts; ++port)
    for (const Route& r : routes[port]) {
      Way way;
      for (std::uint32_t j = 3; j-- > 0;) {
        const std::uint32_t d = (r.first + j) % 3;
        way.prepend(2 * d + (r.hops[d] < 0 ? 1 : 0), static_cast<std::uint32_t>(std::abs(r.hops[d])));
      }
      ways[port].push_back(way);
    }
  return ways;
}

class AllToAllLoop {
 public:
  AllToAllLoop(const Sizes& size, std::uint64_t block_bytes, const LinkTimes& times)
      : torus_(size),
        chips_(torus_.chips()),
        latency_ps_(times.latency_ps),
        link_ps_(duration(static_cast<double>(block_bytes), times)),
        ways_(ways_of(size)),
        free_at_(kPorts * chips_),
        posted_(kPorts * chips_) {}

  BareResult run() {
    for (std::uint32_t port = 0; port < kPorts; ++port)
      for (std::uint32_t chip = 0; chip < chips_; ++chip) post(0, port * chips_ + chip, chip);
    while (!queue_.empty()) {
      const Event e = queue_.pop();
      if (e.left.done())
        result_.end_ps = e.time;  // it is there: a program may go on
      else if (e.chip & kSent)
        post(e.time, e.left.port() * chips_ + (e.chip & ~kSent), e.chip & ~kSent);
      else
        hop(e.time, e.left, e.chip);
    }
    return result_;
  }

 private:
  static constexpr std::uint32_t kSent = 1u << 31;  // marks a chip whose port a message has just left
  struct Event {
    std::uint64_t time;
    Way left;
    std::uint32_t chip;
  };

  void post(std::uint64_t now, std::uint32_t link, std::uint32_t chip) {
    const auto& ways = ways_[link / chips_];
    if (posted_[link] == ways.size()) return;
    const Way way = ways[posted_[link]++];
    ++result_.messages;
    queue_.push({hop(now, way, chip) + link_ps_, way, chip | kSent});
  }

  // When its head leaves.
  std::uint64_t hop(std::uint64_t now, Way left, std::uint32_t chip) {
    const std::uint32_t link = left.port() * chips_ + chip;
    const std::uint64_t start = std::max(now, free_at_[link]);
    free_at_[link] = start + link_ps_;
    ++result_.link_hops;
    left.hop();
    queue_.push({start + latency_ps_ + (left.done() ? link_ps_ : 0), left, torus_.next(link)});
    return start;
  }

  const Torus torus_;
  const std::uint32_t chips_;
  const std::uint64_t latency_ps_, link_ps_;
  const std::array<std::vector<Way>, kPorts> ways_;
  std::vector<std::uint64_t> free_at_;  // by link
  std::vector<std::uint32_t> posted_;   // by link
  RadixHeap<Event> queue_;
  BareResult result_;
};

}  // namespace

BareResult all_reduce_loop(const Sizes& size, std::uint64_t bytes, const LinkTimes& times) {
  return AllReduceLoop(size, bytes, times).run();
}

BareResult all_to_all_loop(const Sizes& size, std::uint64_t block_bytes, const LinkTimes& times) {
  return AllToAllLoop(size, block_bytes, times).run();
}

}  // namespace hopsim::bench

// Where a run is to stop before its end, and how far it has come, for others to read meanwhile.
//
// A run stops between instants. After `max_events` it stops once that many events have been handled, at the end of
// the instant that reached the number; at `max_time` before the first instant past it. Equal limits give equal
// partial runs. A limit that the run does not reach changes nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/quantities.hpp"

namespace hopsim {

enum class Stop : std::uint8_t { none, events, time };

// Written once an instant by the thread that simulates, read by any.
struct RunProgress {
  std::atomic<std::uint64_t> hops{0};
  std::atomic<std::uint64_t> picoseconds{0};  // simulated

  void tell(std::uint64_t link_hops, Time now) {
    hops.store(link_hops, std::memory_order_relaxed);
    picoseconds.store(now.ps(), std::memory_order_relaxed);
  }
};

struct RunControl {
  std::uint64_t max_events = ~std::uint64_t{0};
  Time max_time = Time::max();
  RunProgress* progress = nullptr;  // outlives the run

  bool limited() const { return max_events != ~std::uint64_t{0} || max_time != Time::max(); }
  // Before the instant at `next`, with so many events handled.
  Stop stops(std::uint64_t events, Time next) const {
    if (events >= max_events) return Stop::events;
    return next > max_time ? Stop::time : Stop::none;
  }
};

}  // namespace hopsim

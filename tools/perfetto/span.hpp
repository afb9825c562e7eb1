// The trace's unit of time: whole nanoseconds, to which simulated times are rounded down.
#pragma once

#include <cstdint>

#include "sim/quantities.hpp"

namespace hopsim::perfetto {

constexpr std::uint64_t nanoseconds(Time t) { return t.ps() / 1000; }

struct Span {
  std::uint64_t begin = 0, end = 0;
};

constexpr Span span(Time start, Time end) { return {nanoseconds(start), nanoseconds(end)}; }

}  // namespace hopsim::perfetto

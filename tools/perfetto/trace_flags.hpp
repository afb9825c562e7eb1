// What --trace-chips, --trace-window, --trace-detail and --trace-limit say.
//
//   --trace-chips   numbers, ranges of them and coordinates: 0-7,12,(1,0)
//   --trace-window  1ms..2ms, ..2ms or 1ms..; half-open
//   --trace-limit   200000, 5M (the default), none
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/coordinates.hpp"
#include "tools/flags.hpp"
#include "tools/perfetto/trace_scope.hpp"

namespace hopsim {

constexpr std::uint64_t kTraceLimit = 5'000'000;

struct TraceRequest {
  std::optional<perfetto::Detail> detail;  // none: the finest that fits
  std::vector<bool> chips;                 // by number; empty: not given
  perfetto::Window window;
  Time last = Time::max();                           // the run stops there
  std::optional<std::uint64_t> limit = kTraceLimit;  // none: however many slices
};

// All throw InputError, which names the flag.
TraceRequest trace_request(const CommonFlags&, const Shape&);
void check_trace_flags(const CommonFlags&);  // that there is a trace for them

// Throw InputError.
std::vector<bool> parse_trace_chips(std::string_view, const Shape&);
perfetto::Window parse_trace_window(std::string_view);
std::optional<std::uint64_t> parse_trace_limit(std::string_view);

const char* name_of(perfetto::Detail);

}  // namespace hopsim

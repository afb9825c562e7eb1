// How fine a trace may be: the slices it would have, estimated before the run, held against a limit.
//
// Slices are counted as Perfetto does, receipts of messages among them. Messages and hops are those of estimate.hpp,
// mostly exact; steps and computations are counted from the plan, exposed communication as a stretch for each
// collective on each chip. Of some chips, or of a window of the time that closed forms foresee, it is their share of
// all: an estimate.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/machine.hpp"
#include "scenarios/plan.hpp"
#include "tools/perfetto/trace_flags.hpp"

namespace hopsim {

// Of a trace of all chips and the whole run.
struct TraceSizes {
  std::uint64_t steps = 0, messages = 0, hops = 0;  // slices at each detail; the finer have what the coarser has
  std::uint32_t chips = 0;
  Time time;  // of the run, by closed forms: about

  std::uint64_t at(perfetto::Detail) const;
};

// Cost: that of estimate().
TraceSizes trace_sizes(const MachineModel&, const Plan&);

struct TraceChoice {
  perfetto::TraceScope scope;
  std::uint32_t chips = 0;   // shown
  std::uint64_t slices = 0;  // about
  // What the limit keeps out that the request did not; empty: nothing. "hops (12 million slices more) are left out;
  // --trace-detail hops --trace-limit none has them".
  std::string left_out;
};

// With neither detail nor chips given: the finest detail that fits, and where not even steps of all chips do, those
// of the first so many. Throws InputError, with what would fit, where what was asked for does not.
TraceChoice choose_trace(const TraceRequest&, const TraceSizes&);

}  // namespace hopsim

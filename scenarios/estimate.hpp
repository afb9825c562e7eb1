// What a run will take, before it runs: its messages and hops counted from the schedules, its memory and time from
// those.
//
// Messages and hops are exact where all passages are few enough to be looked at, or where chips all do the same; else
// they are of chips picked evenly among all, scaled up. Memory is what sim/ allocates for them: coroutine frames and
// counters for every chip and lane, messages in flight, links, activity. Against peak RSS less that of an empty run:
// 1.0 to 1.2 for AllReduce over three axes and chunked AllGather on 8^3 to 16^3 chips, 1.0 to 1.5 for AllToAll axis
// by axis, 0.9 to 1.5 for direct AllToAll. Time is that of the event engine, by
// rates measured on one machine: "about". Cost: milliseconds; never builds a fabric.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/machine.hpp"
#include "scenarios/plan.hpp"

namespace hopsim {

struct Estimate {
  std::uint64_t chips = 0;               // that are simulated: of a folded run those that stand for all
  std::uint64_t messages = 0, hops = 0;  // that are simulated
  std::uint64_t bytes = 0;               // of memory, for the run alone: beside the program, the plan, the fabric
  std::uint64_t fabric_bytes = 0;        // for the fabric, if it is not built yet
  double seconds = 0;                    // about
  bool exact = true;                     // messages and hops
};

// `folded`: on one chip for all that symmetry makes alike, as simulate() does where TrialRuns finds no obstacle.
Estimate estimate(const MachineModel&, const Plan&, bool folded);

std::string amount(std::uint64_t, const char* of);  // "1.3 billion messages"
std::string about_time(double seconds);             // "14 min"
// "1.3 billion messages, 12.9 billion hops, about 14 min and 2.1 GB".
std::string describe(const Estimate&);

}  // namespace hopsim

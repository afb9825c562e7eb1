// A run's result as people read it on a terminal.
#pragma once

#include <string>

#include "scenarios/results.hpp"

namespace hopsim {

std::string report(const RunResult&, const MachineModel&);

// Cells and lines that other tables share. What there is nothing to say about is "-".
std::string describe(
    const MachineModel&);  // "tpu_v5e 8x4 (32 chips, no wraparound), mesh {X: 8, Y: 4}, 45 GB/s a link, 1 us a hop"
// "auto by the cost model nvls: nvls 2.65 ms, ring 4.18 ms" and a line's end; empty where nothing was weighed.
std::string considered_line(const PlannedStep&);
std::string shape_text(const Shape&);  // "8x4"
std::string ratio(Time time, Time yardstick);
std::string time_so_far(const StepResult&);  // "12.3 us"; "> 12.3 us" where the run was stopped before it ended
// "partial: stopped after 1000 events at 12.3 us (--max-events)"; REQUIRES: it was.
std::string stopped_text(const RunResult&);
std::string rate(double bytes_per_second);
std::string expectation_line(const ExpectResult&);  // "  as expected  step 1 time: ..."

}  // namespace hopsim

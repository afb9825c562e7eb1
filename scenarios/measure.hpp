// What steps and chips were busy with, out of recorded intervals: computing, communicating, and communicating while
// the chip computed nothing, of any step ("exposed"). Each time is of the chip where it is longest.
//
// One pass over a chip's stretches, sorted by step; memory of one chip's. 1 million stretches take some 0.1 s.
#pragma once

#include <vector>

#include "scenarios/results.hpp"
#include "sim/activity.hpp"

namespace hopsim {

// Fills the WorkTimes of the run and of its steps, of which there is one a task. Of the first so many actors.
void measure(const Activity&, std::uint32_t chips, RunResult&);

// When a chip communicated without computing.
std::vector<Interval> exposed_communication(const Activity&, ChipId);

}  // namespace hopsim

// A run's result as people read it on a terminal.
#pragma once

#include <string>

#include "scenarios/results.hpp"

namespace hopsim {

std::string report(const RunResult&, const MachineModel&);

// Cells and lines that other tables share. What there is nothing to say about is "-".
std::string describe(
    const MachineModel&);  // "tpu_v5e 8x4 (32 chips, no wraparound), mesh {X: 8, Y: 4}, 45 GB/s a link, 1 us a hop"
std::string shape_text(const Shape&);  // "8x4"
std::string ratio(Time time, Time yardstick);
std::string rate(double bytes_per_second);

}  // namespace hopsim

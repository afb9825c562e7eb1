// hopsim sweep FILE: a scenario at every point of its sweep.
#pragma once

#include <string>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct SweepArguments {
  std::string file;  // "-": standard input
  std::string best = "time_s";
  CommonFlags flags;
};

// 0; 1 if at some point an expectation or a proof failed, a bound was beaten, or the program deadlocked. A point that
// cannot be run is a row with its error; if that is all of them, throws what the first one threw, and no output file
// is left behind.
int sweep_command(const SweepArguments&, const Streams&);

}  // namespace hopsim

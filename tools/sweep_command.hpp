// hopsim sweep FILE: a scenario at every point of its sweep.
#pragma once

#include <stdexcept>
#include <string>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct SweepArguments {
  std::string file;  // "-": standard input
  std::string best = "time_s";
  std::string jobs;     // as on the command line; empty: all cores
  bool resume = false;  // go on where an interrupted sweep stopped
  bool yes = false;     // however many points
  CommonFlags flags;
};

// No point of a sweep could be run, and not for what was given.
struct SweepFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// 0; 1 if at some point an expectation or a proof failed, a bound was beaten, or the program deadlocked. A point that
// cannot be run is a row with its error; if that is all of them, throws, with what the first one says, and no output
// file is left behind. Whatever else ends it, points that had finished are kept beside the output
// (sweep_journal.hpp).
//
// Points run on several threads, and under mpirun on those of all its processes: of rank 0 this is the sweep, of
// others help with it.
int sweep_command(const SweepArguments&, const Streams&);

}  // namespace hopsim

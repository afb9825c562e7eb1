// A program run on an engine, and what the engine made of it as a plain value, so that it can be done in a process of
// its own: SimGrid starts only once in each.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/simulate.hpp"
#include "sim/critical_path.hpp"
#include "sim/machine.hpp"

namespace hopsim {

struct EngineRun {
  std::vector<TaskTotals> tasks;
  Stop stop = Stop::none;
  Time now;  // when it ended or was stopped
  EngineTotals totals;
  std::vector<Time> link_busy;
  std::vector<PathSegment> critical_path;  // where it was asked for
  bool path_overflowed = false;            // and there were too many hops
  double wall_seconds = 0;                 // of the engine only
  std::uint64_t peak_rss_bytes = 0;        // of the process
};

// Fills the activity. Of the options: engine, recorder, critical_path, control. An engine that is one a process has
// one of its own (own_process.hpp), unless there is a recorder: a trace is written from here.
// Throws Deadlock, std::overflow_error, what the recorder throws, and EngineDied.
EngineRun run_engine(const Fabric&, const Overheads&, const Program&, const RunOptions&, Activity&);

}  // namespace hopsim

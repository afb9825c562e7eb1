// What a run found. The JSON of --json is this, key by key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/plan.hpp"
#include "sim/critical_path.hpp"
#include "sim/run_control.hpp"

namespace hopsim {

// Each of the chip where it is longest.
struct WorkTimes {
  Time compute, comm;
  Time exposed_comm;  // while the chip computes nothing, of any step

  double overlap() const { return comm == Time{} ? 1 : 1 - exposed_comm.seconds() / comm.seconds(); }  // hidden share
  Time bound() const { return compute > comm ? compute : comm; }  // if one hides the other
  Time sum() const { return compute + comm; }                     // if nothing hides
};

struct StepResult {
  PlannedStep step;
  Time start, end;  // on the earliest, on the latest chip
  WorkTimes work{};
  std::uint64_t messages = 0, hops = 0;
  double algbw = 0, busbw = 0;  // bytes/s, as nccl-tests define them; 0 where nothing moves
  // Of a run that was stopped: by any chip, by all chips. Unfinished, times are those so far.
  bool started = true, finished = true;

  Time time() const { return end - start; }
  std::optional<double> mfu() const {  // where the chip's peak is known and something is computed
    if (step.seconds_at_peak <= 0 || time() == Time{} || !finished) return {};
    return step.seconds_at_peak / time().seconds();
  }
};

struct LinkUse {
  std::string link;        // "(1,0,2) x+"
  double utilization = 0;  // share of the makespan it was busy
};

struct ExpectResult {
  int step = 0;                    // line of the program; 0: the whole run
  std::string what;                // "time", or the path of the value
  double value = 0, expected = 0;  // in the base unit
  double within = 0.01;
  bool measured = false;  // shown beside, not asserted
  bool is_time = false;
  bool evaluated = true;  // not where a run was stopped before it had the value; then neither passed nor failed
  std::string source;

  double error() const { return expected == 0 ? (value == 0 ? 0 : 1) : value / expected - 1; }
  bool pass() const { return evaluated && (measured || (error() <= within && error() >= -within)); }
  bool failed() const { return evaluated && !pass(); }
};

// A run that --max-events or --max-time ended: what a result says of it is what it had come to.
struct Stopped {
  Stop reason = Stop::none;
  std::uint64_t events = 0;  // handled
  Time time;
};

struct RunResult : WorkTimes {
  std::string scenario, engine;
  bool folded = false;
  std::string fingerprint;
  Time time;  // makespan; of a partial run when it was stopped
  std::optional<Stopped> stopped;
  std::vector<StepResult> steps;
  double flops = 0;           // of all chips
  std::optional<double> mfu;  // where the chip's peak is known and something was computed
  Bytes peak_bytes_per_chip;
  std::vector<HeldArray> arrays;
  std::vector<LinkUse> busiest;  // at most 5, the busiest first
  std::vector<Time> link_busy;   // by link of the machine's fabric; none of a folded run
  double max_utilization = 0, mean_utilization = 0;
  Bytes link_bytes;
  bool verified = false;                   // every collective's schedule was proven, and every line that was planned
  std::size_t lines_proven = 0;            // of the latter, on values
  std::vector<PathSegment> critical_path;  // where it was asked for
  std::vector<ExpectResult> expect;
  std::vector<std::string> warnings;

  // Not the same in two runs.
  EngineTotals totals;
  double wall_seconds = 0;  // of the engine only
  std::uint64_t peak_rss_bytes = 0;

  bool partial() const { return stopped.has_value(); }
  bool passed() const;  // what was evaluated
};

}  // namespace hopsim

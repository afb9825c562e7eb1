// The trace of one run, as the flags ask for it: chosen before the run, recorded during it, finished after it. What
// is left out is said on the log.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "scenarios/results.hpp"
#include "sim/activity.hpp"
#include "tools/perfetto/held_records.hpp"
#include "tools/perfetto/trace_choice.hpp"
#include "tools/perfetto/trace_writer.hpp"
#include "tools/progress.hpp"
#include "tools/streams.hpp"

namespace hopsim {

// What a trace tells about the plan's steps.
std::vector<perfetto::TraceStep> trace_steps(const Plan&);

class TraceOutput {
 public:
  // Throws InputError for flags that do not fit the machine or a trace that would be too large, and where the file
  // cannot be created. All outlive it.
  TraceOutput(const CommonFlags&, const MachineModel&, const Plan&, Progress&, const Streams&);

  Recorder& recorder() {
    if (held_) return *held_;
    return writer_;
  }
  // After the run. Throws InputError where the file cannot be written.
  void finish(const RunResult&, const Activity&);

  // After finish(): what the trace holds, for whoever imports it to compare with.
  nlohmann::ordered_json json() const;

 private:
  TraceOutput(const CommonFlags&, const MachineModel&, const Plan&, Progress&, const Streams&, TraceChoice);
  void expect_stop(const RunControl&);
  void exposed(const Activity&);
  void say(bool warning, const std::string&);

  const std::string file_, window_;
  const Fabric& fabric_;
  Progress& progress_;
  const Streams& streams_;
  const TraceChoice choice_;
  perfetto::TraceWriter writer_;
  std::optional<perfetto::HeldRecords> held_;  // where the run may stop at any time
};

}  // namespace hopsim

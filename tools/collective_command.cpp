#include "tools/collective_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "scenarios/simulate.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"
#include "tools/collective_report.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/result_files.hpp"

namespace hopsim {
namespace {

class CollectiveRun {
 public:
  CollectiveRun(const CollectiveArguments& arguments, const Streams& streams)
      : flags_(arguments.flags),
        streams_(streams),
        progress_(streams.err, streams.err_is_terminal && !flags_.quiet),
        all_(planned(arguments)),
        files_(flags_.json, flags_.csv) {
    if (flags_.trace.empty()) return;
    if (all_.rows.size() > 1) throw InputError("--trace takes one row", std::to_string(all_.rows.size()) + " rows");
    trace_.emplace(flags_.trace, all_.machine.fabric, trace_steps(all_.rows.front().plan));
  }

  void run() {
    const bool table = !flags_.quiet && !files_.own_standard_output();
    const bool at_once = streams_.out_is_terminal;
    const CollectiveTable lines(all_);
    std::string text;
    const auto say = [&](const std::string& line) {
      if (!table) return;
      text += line;
      if (!at_once) return;
      progress_.wipe();
      streams_.out << std::exchange(text, {}) << std::flush;
    };
    progress_.wipe();
    for (const std::string& warning : all_.warnings) streams_.log->warn(warning);
    say(lines.heading());
    for (const CollectiveRow& row : all_.rows) {
      results_.push_back(simulated(row));
      warn(row);
      say(lines.line(row, results_.back()));
    }
    if (flags_.verify) say("data flow proven: every chip ends with every contribution exactly once\n");
    finish();
    streams_.out << text << std::flush;
  }

 private:
  CollectiveRows planned(const CollectiveArguments& arguments) {
    progress_.at("planning");
    CollectiveRows rows = plan_rows(arguments);
    check_engine(arguments.flags, rows.rows.size());
    return rows;
  }

  RunResult simulated(const CollectiveRow& row) {
    progress_.at(fmt::format("row {} of {}: {} of {}", results_.size() + 1, all_.rows.size(), row.step().text,
                             format_bytes(row.step().collective->bytes)));
    Activity activity(all_.machine.fabric.actors());
    RunResult result = simulate(all_.machine, row.plan,
                                {.engine = flags_.run_on,
                                 .verify = flags_.verify,
                                 .recorder = trace_ ? &*trace_ : nullptr,
                                 .fold = fold_of(flags_),
                                 .activity = trace_ ? &activity : nullptr});
    if (trace_) trace_exposed(*trace_, all_.machine.fabric, activity);
    return result;
  }

  void warn(const CollectiveRow& row) {
    for (const std::string& warning : row.plan.warnings) {
      progress_.wipe();
      streams_.log->warn("{} of {}: {}", row.step().text, format_bytes(row.step().collective->bytes), warning);
    }
  }

  void finish() {
    if (trace_) trace_->finish();
    const auto json = collective_json(all_, results_);
    files_.write(json, json["rows"], streams_.out);
    progress_.wipe();
  }

  const CommonFlags& flags_;
  const Streams& streams_;
  Progress progress_;  // of planning, too
  const CollectiveRows all_;
  ResultFiles files_;
  std::optional<perfetto::TraceWriter> trace_;
  std::vector<RunResult> results_;
};

}  // namespace

int collective_command(const CollectiveArguments& arguments, const Streams& streams) {
  check_flags(arguments.flags, {arguments.measured.value_or("-")});
  CollectiveRun(arguments, streams).run();
  return 0;
}

}  // namespace hopsim

#include "tools/collective_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "scenarios/cross_check.hpp"
#include "scenarios/simulate.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"
#include "tools/collective_report.hpp"
#include "tools/cross_check_report.hpp"
#include "tools/perfetto/trace_output.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/report/collective.hpp"
#include "tools/report/data.hpp"
#include "tools/report/html_file.hpp"
#include "tools/result_files.hpp"
#include "tools/run_options.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

class CollectiveRun {
 public:
  CollectiveRun(const CollectiveArguments& arguments, const Streams& streams)
      : flags_(arguments.flags),
        streams_(streams),
        progress_(streams.err, streams.err_is_terminal && !flags_.quiet),
        all_(planned(arguments)),
        files_(flags_.json, flags_.csv),
        html_(flags_.html) {
    if (flags_.trace.empty()) return;
    if (all_.rows.size() > 1) throw InputError("--trace takes one row", std::to_string(all_.rows.size()) + " rows");
    trace_.emplace(flags_, all_.machine, all_.rows.front().plan, progress_, streams_);
  }

  // Whether engines agree, where that was asked.
  bool run() {
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
      if (flags_.cross_check) check(row);
      warn(row);
      say(lines.line(row, results_.back()));
      if (results_.back().partial()) say("  " + stopped_text(results_.back()) + "\n");
    }
    if (flags_.cross_check) say(report(checks_, results_));
    if (flags_.verify) say("data flow proven: every chip ends with every contribution exactly once\n");
    finish();
    streams_.out << text << std::flush;
    return std::all_of(checks_.begin(), checks_.end(), [](const CrossCheck& c) { return c.agrees(); });
  }

 private:
  CollectiveRows planned(const CollectiveArguments& arguments) {
    progress_.at("planning");
    return plan_rows(arguments);
  }

  static std::string name_of(const CollectiveRow& row) {
    return fmt::format("{} of {}", row.step().text, format_bytes(row.step().collective->bytes));
  }

  RunResult simulated(const CollectiveRow& row) {
    const std::string what = name_of(row);
    progress_.at(fmt::format("row {} of {}: {}", results_.size() + 1, all_.rows.size(), what), results_.size(),
                 all_.rows.size());
    std::optional<Activity> activity;
    RunOptions options = run_options(flags_, progress_, streams_, what);
    Recorders recorders;
    if (trace_) recorders.add(trace_->recorder());
    options.recorder = recorders.get();
    if (trace_) options.activity = &activity.emplace(all_.machine.shape.actors());
    std::optional<RunReport> page;
    if (html_.wanted() && is_drawn(all_, results_.size(), !flags_.run_on.one_a_process))
      page.emplace(all_.machine, row.plan, RunReport::Shown::movement).follow(recorders, options);
    RunResult result = simulate(all_.machine, row.plan, options);
    if (page) drawn_.push_back(page->json(result));
    if (trace_) trace_->finish(result, *activity);
    return result;
  }

  void check(const CollectiveRow& row) {
    const std::string what = name_of(row);
    progress_.at(fmt::format("cross-check of {}", what), results_.size() - 1, all_.rows.size());
    checks_.push_back(
        cross_check(all_.machine, row.plan, check_options(flags_, progress_, streams_, what), results_.back()));
  }

  void warn(const CollectiveRow& row) {
    for (const std::string& warning : row.plan.warnings) {
      progress_.wipe();
      streams_.log->warn("{} of {}: {}", row.step().text, format_bytes(row.step().collective->bytes), warning);
    }
  }

  void finish() {
    auto json = collective_json(all_, results_);
    if (trace_) json["trace"] = trace_->json();
    for (std::size_t i = 0; i < checks_.size(); ++i)
      json["rows"][i]["cross_check"] = to_json(checks_[i], results_[i]);
    if (html_.wanted()) {
      Json page = report_frame("collective", collective_title(all_));
      page["collective"] = collective_data(all_, json, drawn_);
      html_.write(page);
    }
    files_.write(json, json["rows"], streams_.out);
    progress_.wipe();
  }

  const CommonFlags& flags_;
  const Streams& streams_;
  Progress progress_;  // of planning, too
  const CollectiveRows all_;
  ResultFiles files_;
  HtmlFile html_;
  std::optional<TraceOutput> trace_;
  std::vector<RunResult> results_;
  std::vector<CrossCheck> checks_;  // one a result, where asked for
  std::vector<Json> drawn_;         // what the page shows of some rows
};

}  // namespace

int collective_command(const CollectiveArguments& arguments, const Streams& streams) {
  check_flags(arguments.flags, {arguments.measured.value_or("-")});
  return CollectiveRun(arguments, streams).run() ? 0 : 1;
}

}  // namespace hopsim

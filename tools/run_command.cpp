#include "tools/run_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <optional>
#include <ostream>

#include "scenarios/cross_check.hpp"
#include "scenarios/evaluate.hpp"
#include "scenarios/result_json.hpp"
#include "scenarios/simulate.hpp"
#include "tools/cross_check_report.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/result_files.hpp"
#include "tools/run_options.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Prepared> prepare_all(const RunArguments& arguments, std::istream& in) {
  std::vector<Prepared> all;
  for (const std::string& file : arguments.files) {
    Document document = read_document(file, in);
    apply_flags(document, arguments.flags);
    all.push_back(prepare(document));
  }
  return all;
}

struct Ran {
  RunResult result;
  std::optional<perfetto::TraceCounts> traced;
  std::optional<CrossCheck> checked;
};

Ran run_one(const Prepared& p, const RunArguments& arguments, RunOptions options) try {
  const CommonFlags& flags = arguments.flags;
  std::optional<perfetto::TraceWriter> trace;
  std::optional<Activity> activity;
  if (!flags.trace.empty()) trace.emplace(flags.trace, p.machine.fabric(), trace_steps(p.plan));
  options.recorder = trace ? &*trace : nullptr;
  options.critical_path = arguments.critical_path;
  if (trace) options.activity = &activity.emplace(p.machine.shape.actors());
  Ran ran{simulate(p.machine, p.plan, options), {}, {}};
  ran.result.scenario = p.scenario.name;
  ran.result.expect = evaluate(p.scenario.expect, ran.result, p.machine);
  if (trace) {
    trace_exposed(*trace, p.machine.fabric(), *activity);
    for (const PathSegment& s : ran.result.critical_path) trace->critical(s);
    trace->finish();
    ran.traced = trace->counts();
  }
  return ran;
} catch (const std::overflow_error& e) {
  throw InputError(p.scenario.file + ": " + e.what());
}

// What the trace holds, for whoever imports it to compare with.
Json trace_json(const perfetto::TraceCounts& c) {
  return {{"slices", c.slices}, {"instants", c.instants}, {"flows", c.flows}, {"counters", c.counters}};
}

void add_step_rows(Json& rows, const Json& run) {
  for (const Json& step : run["steps"]) {
    Json row{{"scenario", run["scenario"]}};
    row.update(step);
    rows.push_back(std::move(row));
  }
}

}  // namespace

int run_command(const RunArguments& arguments, const Streams& streams) {
  const CommonFlags& flags = arguments.flags;
  check_flags(flags, arguments.files);
  if (!flags.trace.empty() && arguments.files.size() > 1)
    throw InputError("--trace takes one scenario", std::to_string(arguments.files.size()) + " files");
  Progress progress(streams.err, streams.err_is_terminal && !flags.quiet);
  progress.at("reading and planning");
  const std::vector<Prepared> all = prepare_all(arguments, streams.in);
  ResultFiles files(flags.json, flags.csv);

  const bool table = !flags.quiet && !files.own_standard_output();
  bool passed = true;
  std::string text;
  Json results = Json::array(), rows = Json::array();
  for (const Prepared& p : all) {
    const std::string which = all.size() > 1 ? fmt::format(" ({} of {})", results.size() + 1, all.size()) : "";
    progress.at(p.scenario.name + which, results.size(), all.size());
    auto [result, traced, checked] = run_one(p, arguments, run_options(flags, progress, streams, p.scenario.file));
    if (flags.cross_check) {
      progress.at("cross-check of " + p.scenario.name + which, results.size(), all.size());
      checked = cross_check(p.machine, p.plan, check_options(flags, progress, streams, p.scenario.file), result);
    }
    progress.wipe();
    for (const std::string& warning : result.warnings) streams.log->warn("{}: {}", p.scenario.file, warning);
    passed = passed && result.passed() && (!checked || checked->agrees());
    results.push_back(to_json(result, p.machine));
    if (traced) results.back()["trace"] = trace_json(*traced);
    if (checked) results.back()["cross_check"] = to_json(*checked, result);
    add_step_rows(rows, results.back());
    if (table) text += (text.empty() ? "" : "\n") + report(result, p.machine);
    if (table && checked) text += report(*checked, result);
  }
  progress.wipe();
  files.write(results.size() == 1 ? results.front() : results, rows, streams.out);
  streams.out << text << std::flush;
  return passed ? 0 : 1;
}

}  // namespace hopsim

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
#include "tools/perfetto/trace_output.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/report/data.hpp"
#include "tools/report/html_file.hpp"
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
  std::optional<Json> traced;
  std::optional<CrossCheck> checked;
  Json page;  // what a report shows beside the result, where asked for
};

Ran run_one(const Prepared& p, const RunArguments& arguments, RunOptions options, Progress& progress,
            const Streams& streams) try {
  const CommonFlags& flags = arguments.flags;
  std::optional<TraceOutput> trace;
  std::optional<Activity> activity;
  std::optional<RunReport> page;
  Recorders recorders;
  if (!flags.trace.empty()) trace.emplace(flags, p.machine, p.plan, progress, streams);
  if (trace) recorders.add(trace->recorder());
  options.recorder = recorders.get();
  options.critical_path = arguments.critical_path;
  if (trace) options.activity = &activity.emplace(p.machine.shape.actors());
  if (!flags.html.empty()) page.emplace(p.machine, p.plan).follow(recorders, options);
  Ran ran{simulate(p.machine, p.plan, options), {}, {}, {}};
  ran.result.scenario = p.scenario.name;
  ran.result.expect = evaluate(p.scenario.expect, ran.result, p.machine);
  if (trace) {
    trace->finish(ran.result, *options.activity);
    ran.traced = trace->json();
  }
  if (page) ran.page = page->json(ran.result);
  return ran;
} catch (const std::overflow_error& e) {
  throw InputError(p.scenario.file + ": " + e.what());
}

std::string title(const std::vector<Prepared>& all) {
  return all.size() == 1 ? all.front().scenario.name : fmt::format("{} scenarios", all.size());
}

void add_step_rows(Json& rows, const Json& run) {
  for (const Json& step : run["steps"]) {
    Json row{{"scenario", run["scenario"]}};
    row.update(step);
    rows.push_back(std::move(row));
  }
}

// The files that are written.
class Written {
 public:
  Written(const CommonFlags& flags, const std::string& title)
      : files_(flags.json, flags.csv), html_(flags.html), page_(report_frame("run", title)) {}

  bool own_standard_output() const { return files_.own_standard_output(); }

  void add(Ran& ran, const MachineModel& machine) {
    Json result = to_json(ran.result, machine);
    if (ran.traced) result["trace"] = *ran.traced;
    if (ran.checked) result["cross_check"] = to_json(*ran.checked, ran.result);
    add_step_rows(rows_, result);
    if (html_.wanted()) add_to_page(std::move(ran.page), without_cost(result));
    results_.push_back(std::move(result));
  }

  void write(std::ostream& out) {
    if (html_.wanted()) html_.write(page_);
    files_.write(results_.size() == 1 ? results_.front() : results_, rows_, out);
  }

 private:
  void add_to_page(Json run, Json result) {
    for (const std::string& note : shorten_path(result)) run["notes"].push_back(note);
    run["result"] = std::move(result);
    page_["runs"].push_back(std::move(run));
  }

  ResultFiles files_;
  HtmlFile html_;
  Json page_, results_ = Json::array(), rows_ = Json::array();
};

void check_flags(const RunArguments& arguments) {
  const CommonFlags& flags = arguments.flags;
  check_flags(flags, arguments.files);
  if (arguments.files.size() == 1) return;
  const std::string files = std::to_string(arguments.files.size()) + " files";
  if (!flags.trace.empty()) throw InputError("--trace takes one scenario", files);
  if (!flags.html.empty() && flags.run_on.one_a_process)
    throw InputError("on SimGrid --html takes one scenario", files);
}

}  // namespace

int run_command(const RunArguments& arguments, const Streams& streams) {
  const CommonFlags& flags = arguments.flags;
  check_flags(arguments);
  Progress progress(streams.err, streams.err_is_terminal && !flags.quiet);
  progress.at("reading and planning");
  const std::vector<Prepared> all = prepare_all(arguments, streams.in);
  Written written(flags, title(all));

  const bool table = !flags.quiet && !written.own_standard_output();
  bool passed = true;
  std::string text;
  std::size_t done = 0;
  for (const Prepared& p : all) {
    const std::string which = all.size() > 1 ? fmt::format(" ({} of {})", done + 1, all.size()) : "";
    progress.at(p.scenario.name + which, done, all.size());
    Ran ran = run_one(p, arguments, run_options(flags, progress, streams, p.scenario.file), progress, streams);
    const RunResult& result = ran.result;
    if (flags.cross_check) {
      progress.at("cross-check of " + p.scenario.name + which, done, all.size());
      ran.checked = cross_check(p.machine, p.plan, check_options(flags, progress, streams, p.scenario.file), result);
    }
    progress.wipe();
    for (const std::string& warning : result.warnings) streams.log->warn("{}: {}", p.scenario.file, warning);
    passed = passed && result.passed() && (!ran.checked || ran.checked->agrees());
    written.add(ran, p.machine);
    if (table) text += (text.empty() ? "" : "\n") + report(result, p.machine);
    if (table && ran.checked) text += report(*ran.checked, result);
    ++done;
  }
  written.write(streams.out);
  streams.out << text << std::flush;
  return passed ? 0 : 1;
}

}  // namespace hopsim

#include "tools/run_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <optional>
#include <ostream>

#include "scenarios/evaluate.hpp"
#include "scenarios/result_json.hpp"
#include "scenarios/simulate.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/result_files.hpp"

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
};

Ran run_one(const Prepared& p, const RunArguments& arguments) try {
  const CommonFlags& flags = arguments.flags;
  std::optional<perfetto::TraceWriter> trace;
  Activity activity(p.machine.fabric.actors());
  if (!flags.trace.empty()) trace.emplace(flags.trace, p.machine.fabric, trace_steps(p.plan));
  Ran ran{simulate(p.machine, p.plan,
                   {.engine = flags.run_on,
                    .verify = flags.verify,
                    .recorder = trace ? &*trace : nullptr,
                    .critical_path = arguments.critical_path,
                    .fold = fold_of(flags),
                    .activity = trace ? &activity : nullptr}),
          {}};
  ran.result.scenario = p.scenario.name;
  ran.result.expect = evaluate(p.scenario.expect, ran.result, p.machine);
  if (trace) {
    trace_exposed(*trace, p.machine.fabric, activity);
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
  check_engine(flags, arguments.files.size());
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
    progress.at(fmt::format("{} ({} of {})", p.scenario.name, results.size() + 1, all.size()));
    const auto [result, traced] = run_one(p, arguments);
    progress.wipe();
    for (const std::string& warning : result.warnings) streams.log->warn("{}: {}", p.scenario.file, warning);
    passed = passed && result.passed();
    results.push_back(to_json(result, p.machine));
    if (traced) results.back()["trace"] = trace_json(*traced);
    add_step_rows(rows, results.back());
    if (table) text += (text.empty() ? "" : "\n") + report(result, p.machine);
  }
  progress.wipe();
  files.write(results.size() == 1 ? results.front() : results, rows, streams.out);
  streams.out << text << std::flush;
  return passed ? 0 : 1;
}

}  // namespace hopsim

#include "tools/run_command.hpp"

#include <spdlog/logger.h>

#include <optional>
#include <ostream>

#include "scenarios/build_plan.hpp"
#include "scenarios/evaluate.hpp"
#include "scenarios/result_json.hpp"
#include "scenarios/simulate.hpp"
#include "tools/output_file.hpp"
#include "tools/perfetto/trace_writer.hpp"
#include "tools/report.hpp"

namespace hopsim {
namespace {

struct Prepared {
  Scenario scenario;
  MachineModel machine;
  Plan plan;
};

Prepared prepare(const std::string& file, const CommonFlags& flags, std::istream& in) {
  Document document = read_document(file, in);
  if (!flags.machine.empty()) replace_machine(document, machine_from_spec(flags.machine));
  if (flags.ideal) apply_set(document, "machine.ideal=true");
  for (const std::string& set : flags.sets) apply_set(document, set);
  Prepared p{.scenario = load_scenario(document), .machine = {}, .plan = {}};
  p.machine = build_machine(p.scenario.machine);
  p.plan = build_plan(p.scenario, p.machine);
  return p;
}

std::vector<perfetto::TraceStep> trace_steps(const Plan& plan) {
  std::vector<perfetto::TraceStep> steps;
  for (const PlannedStep& s : plan.steps)
    steps.push_back({s.text, s.algorithm, s.collective ? s.collective->bytes : Bytes{}});
  return steps;
}

void write_json(OutputFile& file, const nlohmann::ordered_json& json) {
  file.write(json.dump(2) + "\n");
}

}  // namespace

int run_command(const RunArguments& arguments, const Streams& streams) {
  const CommonFlags& flags = arguments.flags;
  check_supported(flags);
  if (!flags.trace.empty() && arguments.files.size() > 1)
    throw InputError("--trace takes one scenario", std::to_string(arguments.files.size()) + " files");

  std::vector<Prepared> all;
  for (const std::string& file : arguments.files) all.push_back(prepare(file, flags, streams.in));

  std::optional<OutputFile> json_file;
  if (!flags.json.empty() && flags.json != "-") json_file.emplace(flags.json);
  const bool table = !flags.quiet && flags.json != "-";
  bool passed = true;
  std::string text;
  auto results = nlohmann::ordered_json::array();
  for (const Prepared& p : all) {
    std::optional<perfetto::TraceWriter> trace;
    if (!flags.trace.empty()) trace.emplace(flags.trace, p.machine.fabric, trace_steps(p.plan));
    RunResult result = simulate(p.machine, p.plan, {.verify = flags.verify, .recorder = trace ? &*trace : nullptr});
    result.scenario = p.scenario.name;
    result.expect = evaluate(p.scenario.expect, result, p.machine);
    for (const std::string& warning : result.warnings) streams.log->warn("{}: {}", p.scenario.file, warning);
    passed = passed && result.passed();
    results.push_back(to_json(result, p.machine));
    if (table) text += (text.empty() ? "" : "\n") + report(result, p.machine);
    if (trace) trace->finish();
  }
  const auto& json = results.size() == 1 ? results.front() : results;
  if (json_file) {
    write_json(*json_file, json);
    json_file->finish();
  }
  if (flags.json == "-") streams.out << json.dump(2) << '\n';
  streams.out << text << std::flush;
  return passed ? 0 : 1;
}

}  // namespace hopsim

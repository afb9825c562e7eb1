#include "tools/flags.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {
CLI::Validator one_of(const Names& valid) {
  return {[valid](const std::string& got) -> std::string {
            if (std::find(valid.begin(), valid.end(), got) != valid.end()) return {};
            const std::string near(nearest(got, valid));
            return "unknown value" + (near.empty() ? "" : " (did you mean " + near + "?)") + "; got " +
                   quoted_for_message(got) + "; valid: " + joined(valid);
          },
          ""};
}

void add_common_flags(CLI::App& app, CommonFlags& f) {
  app.add_option("--engine", f.engine, "event (default) or simgrid")->check(one_of({"event", "simgrid"}));
  app.add_option("--trace", f.trace, "write a Perfetto trace: FILE.pftrace or FILE.pftrace.gz")
      ->type_name("FILE")
      ->check(not_empty());
  add_json_flag(app, f.json);
  app.add_option("--csv", f.csv, "write the rows as CSV; - for standard output, and nothing else there")
      ->type_name("FILE")
      ->check(not_empty());
  add_set_flag(app, f.sets);
  app.add_option("--machine", f.machine, "the machine, e.g. tpu_v5e:8x4 or torus:8x8,bw=45GB/s,lat=1us")
      ->type_name("SPEC")
      ->check(not_empty());
  app.add_flag("--verify", f.verify, "prove the data flow of every collective before it runs");
  app.add_flag("--ideal", f.ideal, "datasheet values: no overheads, efficiency 1");
  app.add_option("--fold", f.fold, "simulate one chip for all that symmetry makes alike: auto (default), on, off")
      ->check(one_of({"auto", "on", "off"}));
  app.add_flag("--quiet", f.quiet, "no table, no progress");
  app.add_option("--log-level", f.log_level,
                 "what standard error tells: trace, debug, info (default), warn, error, off")
      ->check(one_of({"trace", "debug", "info", "warn", "error", "off"}));
}

void add_set_flag(CLI::App& app, std::vector<std::string>& sets) {
  app.add_option("--set", sets,
                 "set one value by its dotted path, e.g. machine.overrides.hop_latency=2us; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_json_flag(CLI::App& app, std::string& json) {
  app.add_option("--json", json, "write the result as JSON; - for standard output, and nothing else there")
      ->type_name("FILE")
      ->check(not_empty());
}

void check_machine_sets(const std::vector<std::string>& sets) {
  for (const std::string& set : sets)
    if (!set.starts_with("machine.") && set.find('=') != std::string::npos)
      throw InputError("--set reaches the machine only, for there is no file", set, "machine.KEY=VALUE");
}

namespace {

namespace fs = std::filesystem;

// A device or a pipe may be called anything.
void check_trace_name(const std::string& name) {
  const bool file = name == "-" || !fs::exists(name) || fs::is_regular_file(name);
  if (file && !name.ends_with(".pftrace") && !name.ends_with(".pftrace.gz"))
    throw InputError("--trace writes Perfetto's native format", name, "FILE.pftrace or FILE.pftrace.gz");
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

// Outputs must not replace one another, nor what is read. Devices may stand for several.
void check_outputs(const CommonFlags& f, const std::vector<std::string>& inputs) {
  const std::pair<const char*, const std::string*> outputs[] = {
      {"--json", &f.json}, {"--csv", &f.csv}, {"--trace", &f.trace}};
  std::vector<std::pair<const char*, std::string>> taken;
  for (const std::string& input : inputs)
    if (input != "-") taken.emplace_back("the input", input);
  for (const auto& [flag, path] : outputs) {
    if (path->empty() || (fs::exists(*path) && !fs::is_regular_file(*path))) continue;
    for (const auto& [other, name] : taken)
      if (same_file(name, *path))
        throw InputError(std::string(flag) + " would replace " + other, *path, "another place");
    taken.emplace_back(flag, *path);
  }
}

}  // namespace

CLI::Validator not_empty() {
  return {
      [](const std::string& got) { return got.empty() ? std::string("needs a value; got nothing") : std::string(); },
      ""};
}

void check_flags(const CommonFlags& f, const std::vector<std::string>& inputs) {
  if (!f.trace.empty()) check_trace_name(f.trace);
  check_outputs(f, inputs);
  if (f.fold == "on") throw InputError("--fold on is not supported yet", f.fold, "auto, off");
}

void check_engine(const CommonFlags& f, std::size_t simulations) {
  if (f.engine == "simgrid" && simulations > 1)
    throw InputError("--engine simgrid: SimGrid does one simulation a process", std::to_string(simulations),
                     "one scenario, or one size of one collective");
}

}  // namespace hopsim

#include "tools/flags.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/error.hpp"
#include "sim/units.hpp"
#include "tools/perfetto/trace_flags.hpp"

namespace hopsim {

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
  // Absolute first: of a path that begins with what does not exist, nothing is made canonical.
  return fs::weakly_canonical(fs::absolute(a), none) == fs::weakly_canonical(fs::absolute(b), none);
}

// Outputs must not replace one another, nor what is read. Devices may stand for several.
void check_outputs(const CommonFlags& f, const std::vector<std::string>& inputs) {
  const std::pair<const char*, const std::string*> outputs[] = {
      {"--json", &f.json}, {"--csv", &f.csv}, {"--trace", &f.trace}, {"--html", &f.html}};
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

RunControl limits_of(const CommonFlags& f) {
  const auto of_flag = [](const char* flag, auto parse) {
    try {
      return parse();
    } catch (const InputError& e) {
      throw InputError(std::string(flag) + ": " + e.what());
    }
  };
  RunControl control;
  if (!f.max_events.empty())
    control.max_events = of_flag("--max-events", [&] { return parse_count(f.max_events, 1); });
  if (!f.max_time.empty()) control.max_time = of_flag("--max-time", [&] { return parse_time(f.max_time); });
  return control;
}

void check_flags(const CommonFlags& f, const std::vector<std::string>& inputs) {
  if (limits_of(f).limited() && f.cross_check)
    throw InputError("--cross-check compares whole runs", f.max_time.empty() ? "--max-events" : "--max-time",
                     "one of the two flags");
  if (!f.trace.empty()) check_trace_name(f.trace);
  check_trace_flags(f);
  if (f.html == "-") throw InputError("--html writes a file", f.html, "FILE.html");
  check_outputs(f, inputs);
}

}  // namespace hopsim

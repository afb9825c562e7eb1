#include "tools/sweep/setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "scenarios/estimate.hpp"
#include "sim/error.hpp"
#include "sim/version.hpp"
#include "tools/prepare.hpp"
#include "tools/run_options.hpp"
#include "tools/sweep/identity.hpp"
#include "tools/sweep/output.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> sets_of(const CommonFlags& flags) {
  std::vector<std::string> sets = flags.sets;
  if (flags.ideal) sets.insert(sets.begin(), "machine.ideal=true");
  return sets;
}

// Values of a sweep come after the flags, so a flag for one of its keys would do nothing.
void check_flags_leave(const std::vector<const SweepKey*>& keys, const CommonFlags& flags) {
  for (const SweepKey* key : keys) {
    const auto refuse = [&](const std::string& flag) {
      throw InputError(flag + " sets what the sweep varies", key->path,
                       "a key the sweep leaves alone; or hopsim run");
    };
    if (!flags.machine.empty() && key->path == "machine") refuse("--machine");
    if (flags.ideal && key->path == "machine.ideal") refuse("--ideal");
    for (const std::string& set : flags.sets)
      if (set.starts_with(key->path + "=")) refuse("--set");
  }
}

// But what lies below a key of the sweep (--ideal where it varies `machine`) comes after its values.
std::vector<std::string> late_sets(const std::vector<const SweepKey*>& keys, const CommonFlags& flags) {
  std::vector<std::string> sets = sets_of(flags);
  std::erase_if(sets, [&](const std::string& set) {
    return std::none_of(keys.begin(), keys.end(),
                        [&](const SweepKey* key) { return set.starts_with(key->path + "."); });
  });
  return sets;
}

}  // namespace

Sweep make_sweep(Document document, const SweepArguments& arguments, const std::function<void()>& meanwhile) {
  apply_flags(document, arguments.flags);
  Sweep sweep(std::move(document), arguments.yes ? kMostCountedPoints : kMostSweepPoints, meanwhile);
  check_flags_leave(sweep.keys(), arguments.flags);
  return sweep;
}

SweepJournal::Identity identity_of(Document document, const SweepArguments& arguments) {
  const CommonFlags& f = arguments.flags;
  apply_flags(document, f);
  std::string flags = fmt::format("--engine {} --fold {} --best {}", f.engine, f.fold, arguments.best);
  if (f.verify) flags += " --verify";
  if (!f.max_events.empty()) flags += " --max-events " + f.max_events;
  if (!f.max_time.empty()) flags += " --max-time " + f.max_time;
  if (!f.json.empty()) flags += " --json";
  if (!f.sets.empty()) flags += fmt::format(" --set {}", fmt::join(f.sets, " --set "));
  return {{"the version of hopsim", kVersion}, {SweepJournal::kDigest, digest(document)}, {"what flags say", flags}};
}

PointRunner::PointRunner(const Sweep& sweep, const SweepArguments& arguments, const Metric& metric,
                         std::uint64_t memory, bool text, Progress& progress, const Streams& streams)
    : sweep_(sweep),
      arguments_(arguments),
      metric_(metric),
      memory_(memory),
      text_(text),
      progress_(progress),
      streams_(streams),
      json_(sweep),
      names_(sweep),
      late_sets_(late_sets(sweep.keys(), arguments.flags)) {}

FinishedPoint PointRunner::operator()(std::size_t point) {
  const auto thrown = [&](const std::string& what, bool bad_input) {
    FinishedPoint f;
    f.point = point;
    f.thrown = what;
    f.bad_input = bad_input;
    return f;
  };
  try {
    return run(point);
  } catch (const InputError& e) {
    return thrown(e.what(), true);
  } catch (const std::exception& e) {
    return thrown(e.what(), false);
  }
}

FinishedPoint PointRunner::run(std::size_t point) {
  Progress::Run going(progress_);
  MemoryShares::Share share(memory_);
  RunOptions options = run_options(arguments_.flags, going, streams_, names_.name(point));
  options.before = [&share, tell = std::move(options.before)](const Estimate& e) {
    share.take(e.bytes + e.fabric_bytes);
    tell(e);
  };
  PointOutcome outcome = run_point(sweep_, point, options, late_sets_, metric_);
  FinishedPoint f;
  f.point = point;
  f.lacked_memory = outcome.lacked_memory();
  if (text_) {
    Json json{{"parameters", json_.parameters(point)}};
    const bool ran = outcome.point.ran();
    json[ran ? "result" : "error"] = ran ? std::move(outcome.result) : Json(outcome.point.error);
    f.text = SweepOutput::point_text(json);
  }
  f.kept = std::move(outcome.point);
  f.warnings = std::move(outcome.warnings);
  return f;
}

}  // namespace hopsim

#include "tools/sweep_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>

#include "scenarios/sweep.hpp"
#include "scenarios/sweep_json.hpp"
#include "sim/version.hpp"
#include "tools/prepare.hpp"
#include "tools/progress.hpp"
#include "tools/run_options.hpp"
#include "tools/sweep_output.hpp"
#include "tools/sweep_points.hpp"
#include "tools/sweep_report.hpp"

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

std::string scenario_name(const Sweep& sweep) {
  if (const YamlValue* name = sweep.base().root.find("name"); name != nullptr && name->is_scalar()) return name->text;
  return sweep.base().name == "<stdin>" ? "stdin" : std::filesystem::path(sweep.base().name).stem().string();
}

class SweepRun {
 public:
  SweepRun(const SweepArguments& arguments, const Streams& streams)
      : arguments_(arguments), streams_(streams), metric_(arguments.best) {}

  int run() {
    Progress progress(streams_.err, streams_.err_is_terminal && !flags().quiet);
    progress.at("reading");
    const Sweep sweep = read();
    SweepOutput output(flags().json, flags().csv, streams_.out);
    const SweepJson json(sweep);
    output.begin(head(sweep, json));
    run_points(sweep, json, output, progress);
    progress.wipe();
    if (failures_ == points_.size()) rethrow_first();
    tell_warnings(sweep);
    finish(sweep, json, output);
    return std::any_of(points_.begin(), points_.end(), [](const SweepPoint& p) { return p.failed; }) ? 1 : 0;
  }

 private:
  const CommonFlags& flags() const { return arguments_.flags; }

  Sweep read() const {
    Document document = read_document(arguments_.file, streams_.in);
    apply_flags(document, flags());
    Sweep sweep(std::move(document));
    check_flags_leave(sweep.keys(), flags());
    return sweep;
  }

  Json head(const Sweep& sweep, const SweepJson& json) const {
    return {{"schema", "hopsim.sweep/1"}, {"version", kVersion}, {"scenario", scenario_name(sweep)},
            {"engine", flags().engine},   {"axes", json.axes()}, {"zip", json.zip()},
            {"grid", sweep.grid_points()}};
  }

  void run_points(const Sweep& sweep, const SweepJson& json, SweepOutput& output, Progress& progress) {
    const std::vector<std::string> late = late_sets(sweep.keys(), flags());
    const PointNames names(sweep);
    for (std::size_t i = 0; i < sweep.points(); ++i) {
      progress.at(fmt::format("point {} of {}: {}", i + 1, sweep.points(), names.name(i)), i, sweep.points());
      PointOutcome outcome =
          run_point(sweep, i, run_options(flags(), progress, streams_, names.name(i)), late, metric_);
      const bool ran = outcome.point.ran();
      if (!ran) ++failures_;
      if (!ran && !first_failure_) first_failure_ = outcome.why;
      Json point{{"parameters", json.parameters(i)}};
      point[ran ? "result" : "error"] = ran ? std::move(outcome.result) : Json(outcome.point.error);
      output.add(point, ran);
      for (const std::string& warning : outcome.warnings) ++warnings_[warning];
      points_.push_back(std::move(outcome.point));
    }
  }

  [[noreturn]] void rethrow_first() const {
    try {
      std::rethrow_exception(first_failure_);
    } catch (const PlacedError& e) {
      const std::string place = e.place().str() + ": ", what = e.what();
      throw InputError(place + "no point of the sweep can be run, of " + std::to_string(points_.size()) +
                       "; the first: " + what.substr(what.starts_with(place) ? place.size() : 0));
    }
  }

  void tell_warnings(const Sweep& sweep) const {
    for (const auto& [warning, points] : warnings_)
      streams_.log->warn("{}: {} ({} of {} points)", sweep.base().name, warning, points, points_.size());
    const bool expects = sweep.base().root.find("expect") != nullptr;
    const auto held = std::any_of(points_.begin(), points_.end(), [](const auto& p) { return !p.expected.empty(); });
    if (expects && !held)
      streams_.log->info("{}: expect is of the base point, which the sweep leaves out", sweep.base().name);
  }

  void finish(const Sweep& sweep, const SweepJson& json, SweepOutput& output) const {
    const Ranking ranking(sweep, points_, metric_);
    Json best = Json::array();
    for (const Work& work : ranking.works())
      if (work.best)
        best.push_back({{"point", *work.best},
                        {"parameters", json.parameters(*work.best)},
                        {"value", points_[*work.best].metric}});
    output.end(
        {{"errors", failures_}, {"ranked_by", metric_.path()}, {"best", best}}, points_.size(),
        [&](std::size_t i) { return sweep_row(json.parameters(i), points_[i], ranking.against_best(i), metric_); });
    if (flags().quiet || output.own_standard_output()) return;
    streams_.out << sweep_report(scenario_name(sweep), sweep, points_, metric_) << std::flush;
  }

  const SweepArguments& arguments_;
  const Streams& streams_;
  const Metric metric_;
  std::vector<SweepPoint> points_;
  std::size_t failures_ = 0;
  std::exception_ptr first_failure_;
  std::map<std::string, std::size_t> warnings_;  // and at how many points
};

}  // namespace

int sweep_command(const SweepArguments& arguments, const Streams& streams) {
  check_flags(arguments.flags, {arguments.file});
  if (!arguments.flags.trace.empty())
    throw InputError("--trace takes one run, not a sweep", arguments.flags.trace, "hopsim run FILE --set KEY=VALUE");
  return SweepRun(arguments, streams).run();
}

}  // namespace hopsim

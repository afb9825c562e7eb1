#include "tools/report/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "scenarios/estimate.hpp"
#include "scenarios/trial_runs.hpp"
#include "sim/units.hpp"
#include "sim/version.hpp"
#include "tools/report.hpp"
#include "tools/report/fabric.hpp"
#include "tools/report/timeline.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

// As the JSON has them: whole picoseconds, in seconds.
std::int64_t picoseconds(const Json& seconds) { return std::llround(seconds.get<double>() * 1e12); }

// Parts of one step and cause, of one window of time: what they take, and the longest of them.
struct PathSum {
  Json longest;
  std::int64_t most = 0, all = 0;  // ps
};

bool same_cause(const Json& a, const Json& b) {
  const auto own = [](const Json& part) { return part["held_by"] == part["step"]; };
  return a["step"] == b["step"] && a["what"] == b["what"] && own(a) == own(b);
}

void add_to(std::vector<PathSum>& window, const Json& part) {
  auto sum =
      std::find_if(window.begin(), window.end(), [&](const PathSum& s) { return same_cause(s.longest, part); });
  if (sum == window.end()) sum = window.insert(window.end(), PathSum{part, 0, 0});
  const std::int64_t time = picoseconds(part["end_s"]) - picoseconds(part["start_s"]);
  sum->all += time;
  if (time <= sum->most) return;
  sum->most = time;
  sum->longest = part;
}

// One after another; returns when the last ends.
std::int64_t lay_out(std::vector<PathSum>& window, std::int64_t at, Json& path) {
  for (PathSum& sum : window) {
    sum.longest["start_s"] = static_cast<double>(at) / 1e12;
    sum.longest["end_s"] = static_cast<double>(at += sum.all) / 1e12;
    path.push_back(std::move(sum.longest));
  }
  window.clear();
  return at;
}

}  // namespace

Json report_frame(const char* command, const std::string& title) {
  return {{"schema", "hopsim.report/1"}, {"version", kVersion}, {"command", command}, {"title", title}};
}

Json without_cost(Json result) {
  result.erase("cost");
  return result;
}

std::vector<std::string> shorten_path(Json& result) {
  const auto found = result.find("critical_path");
  if (found == result.end() || found->size() <= kMostPathParts) return {};
  const std::int64_t window = std::max<std::int64_t>(1, picoseconds(result["time_s"]) / kPathWindows);
  Json path = Json::array();
  std::vector<PathSum> sums;
  std::int64_t at = 0, next = window;
  for (const Json& part : *found) {
    if (const std::int64_t start = picoseconds(part["start_s"]); start >= next) {
      at = lay_out(sums, at, path);
      next = (start / window + 1) * window;
    }
    add_to(sums, part);
  }
  lay_out(sums, at, path);
  const std::size_t parts = found->size();
  *found = std::move(path);
  return {fmt::format("the critical path has {} parts: those within {} are put together by step and cause", parts,
                      format_time(Time::picoseconds(static_cast<std::uint64_t>(window))))};
}

RunReport::RunReport(const MachineModel& machine, const Plan& plan, Shown shown)
    : machine_(machine), plan_(plan), shown_(shown) {
  if (plan.steps.empty())
    throw InputError("--html shows the steps of a run, and this one has none", "",
                     "a program with a collective, a product or a computation");
}

bool RunReport::better_folded(const RunOptions& options) const {
  if (options.fold == Fold::on) return true;
  if (options.fold == Fold::off || options.engine.make || options.recorder || options.activity) return false;
  return estimate(machine_, plan_, false).seconds > kLongToDraw && TrialRuns(machine_).obstacle(plan_).empty();
}

void RunReport::follow(Recorders& recorders, RunOptions& options) {
  if (better_folded(options)) return;
  followed_ = true;
  player_.emplace(machine_, plan_);
  if (player_->wanted()) recorders.add(*player_);
  if (shown_ == Shown::all) recorders.add(links_.emplace(machine_.fabric()));
  options.recorder = recorders.get();
  options.fold = Fold::off;
  if (shown_ == Shown::movement) return;
  if (const Estimate expected = estimate(machine_, plan_, false); expected.hops <= kMostPathHops)
    options.critical_path = true;
  else if (!options.critical_path)
    notes_.push_back(fmt::format("no critical path of {}; --critical-path finds it", amount(expected.hops, "hop")));
  if (options.activity == nullptr) options.activity = &own_activity_.emplace(machine_.shape.actors());
  activity_ = options.activity;
}

Json RunReport::json(const RunResult& result) {
  Json run{{"machine", describe(machine_)}};
  if (!followed_) {
    run.update({{"timeline", nullptr}, {"fabric", nullptr}, {"players", Json::array()}});
    run["notes"] = {
        "one chip was simulated for all, by symmetry: no timeline, no single links, no data of chips; "
        "--fold off shows them"};
    return run;
  }
  run["timeline"] = nullptr;
  if (activity_ != nullptr) {
    TimelineData timeline(machine_.fabric(), result, *activity_, *links_);
    run["timeline"] = timeline.json();
    for (const std::string& note : timeline.notes()) notes_.push_back(note);
  }
  run["fabric"] = fabric_json(machine_, result);
  run["players"] = player_->wanted() ? player_->players(result) : Json::array();
  if (!run["fabric"].is_null() && run["fabric"]["left_out"] > 0)
    notes_.push_back(fmt::format("links are drawn of machines of up to {} chips", kMostDrawnChips));
  notes_.insert(notes_.end(), player_->notes().begin(), player_->notes().end());
  run["notes"] = notes_;
  return run;
}

}  // namespace hopsim

// The data of a report (tools/report/README.md): what a run leaves for it, and the frame around all of it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/simulate.hpp"
#include "sim/recorders.hpp"
#include "tools/report/player_data.hpp"
#include "tools/report/stretches.hpp"

namespace hopsim {

// {schema, version, command, title}; the caller adds what the command is about.
nlohmann::ordered_json report_frame(const char* command, const std::string& title);

// As of --json, but for what differs from run to run, and with at most kMostPathParts parts of the critical path:
// of more, those that begin in the same kPathWindows-th of the makespan are sorted and summed up by step and cause.
nlohmann::ordered_json without_cost(nlohmann::ordered_json result);
constexpr std::size_t kMostPathParts = 5000;
constexpr std::int64_t kPathWindows = 1000;
std::vector<std::string> shorten_path(nlohmann::ordered_json& result);  // notes

// Gathers, while a run runs, what a report shows of it.
class RunReport {
 public:
  // A run that folding makes short is left folded where it would take longer than this, in seconds; then there is no
  // timeline, no use of single links and no player. So is one that is to be folded.
  static constexpr double kLongToDraw = 20;

  // Of more hops the critical path, which takes longer to find than the run, is left out unless it is asked for.
  static constexpr std::uint64_t kMostPathHops = 5'000'000;

  enum class Shown {
    all,
    movement,  // no timeline
  };

  // Both outlive it. Throws InputError for a plan without steps.
  RunReport(const MachineModel&, const Plan&, Shown = Shown::all);

  // Before the run, once `options` are else complete: what is to hear of it is added to them and to `recorders`,
  // which are to be the run's.
  void follow(Recorders&, RunOptions& options);
  // After it: {machine, timeline, fabric, players, notes}; null for a timeline and a fabric that are not shown.
  nlohmann::ordered_json json(const RunResult&);

 private:
  bool better_folded(const RunOptions&) const;

  const MachineModel& machine_;
  const Plan& plan_;
  const Shown shown_;
  bool followed_ = false;
  std::vector<std::string> notes_;
  std::optional<LinkStretches> links_;  // of a timeline
  std::optional<PlayerRecorder> player_;
  std::optional<Activity> own_activity_;
  const Activity* activity_ = nullptr;  // of a timeline
};

}  // namespace hopsim

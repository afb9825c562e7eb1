#include "tools/report/player_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectives/contents.hpp"
#include "sim/error.hpp"
#include "tools/report/player_json.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

// What two steps have in common that look alike in a player.
std::string likeness(const PlannedStep& s) {
  const Request& r = *s.collective;
  std::string text = fmt::format("{} {} {} {} {} {} {} {}", name(r.operation), s.algorithm, fmt::join(s.axes, ","),
                                 r.bytes.count(), r.chunks, r.root, r.paths, r.size());
  for (const auto& [from, to] : r.pairs) text += fmt::format(" {}>{}", from, to);
  for (int p = 0; p < r.size() && s.axes.empty(); ++p)
    text += fmt::format(" {}", index(r.row->shape().chip(r.row->at(p))));
  return text;
}

std::size_t moves(const std::vector<PlayedMessage>& messages) {
  std::size_t sum = 0;
  for (const PlayedMessage& m : messages) sum += m.chunk.count;
  return sum;
}

// The first groups that fit among kMostChips, by chip; how many, of how many.
struct Shown {
  std::vector<bool> chips;
  std::size_t groups = 0, all = 0;
};

Shown shown_groups(const Shape& shape, const Request& r) {
  Shown shown{std::vector<bool>(shape.chips()), 0, 0};
  std::set<std::uint32_t> rows;
  for (std::uint32_t c = 0; c < shape.chips(); ++c)
    if (r.row->position(shape.at(ChipId{c})) >= 0) rows.insert(index(r.row->first(shape.at(ChipId{c}))));
  shown.all = rows.size();
  shown.groups = std::min(shown.all, PlayerRecorder::kMostChips / static_cast<std::size_t>(r.size()));
  const std::set<std::uint32_t> kept(rows.begin(),
                                     std::next(rows.begin(), static_cast<std::ptrdiff_t>(shown.groups)));
  for (std::uint32_t c = 0; c < shape.chips(); ++c)
    shown.chips[c] =
        r.row->position(shape.at(ChipId{c})) >= 0 && kept.contains(index(r.row->first(shape.at(ChipId{c}))));
  return shown;
}

constexpr const char* kFewerPieces = "--chunks 1 or a smaller machine would do";

}  // namespace

PlayerRecorder::PlayerRecorder(const MachineModel& machine, const Plan& plan)
    : machine_(machine), plan_(plan), of_task_(plan.program.size(), -1) {
  choose_steps();
}

void PlayerRecorder::choose_steps() {
  std::map<std::string, std::uint32_t> first;
  std::size_t alike = 0, beyond = 0;
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    if (!plan_.steps[i].collective || !collective_of(plan_.program[i])) continue;
    const auto [found, is_new] = first.try_emplace(likeness(plan_.steps[i]), i);
    if (!is_new || recorded_.size() == kMostSteps) {
      ++(is_new ? beyond : alike);
      continue;
    }
    Recorded r{.step = i, .shown = {}, .parts = {}, .starts = {}};
    if (const std::string why = refusal(i, r.shown); !why.empty()) {
      notes_.push_back(name(i) + " has no player: " + why);
      continue;
    }
    r.starts.resize(machine_.shape.actors());
    of_task_[i] = static_cast<std::int32_t>(recorded_.size());
    recorded_.push_back(std::move(r));
  }
  if (alike > 0 && !recorded_.empty())
    notes_.push_back(fmt::format("of steps that do the same the first has a player; {} more have none", alike));
  if (beyond > 0)
    notes_.push_back(fmt::format("the first {} collectives have players; {} more have none", kMostSteps, beyond));
}

// Empty where the step is recorded; then also which chips are shown.
std::string PlayerRecorder::refusal(std::uint32_t step, std::vector<bool>& shown) {
  const Request& r = *plan_.steps[step].collective;
  const Shape& shape = machine_.shape;
  if (r.size() < 2) return "nothing moves in a group of one";
  if (static_cast<std::uint32_t>(r.size()) > kMostChips)
    return fmt::format("its groups have {} chips, and a player shows up to {}", r.size(), kMostChips);
  if (shape.chips() > kMostMachine)
    return fmt::format("the machine has {} chips, and its messages are kept for up to {}", shape.chips(),
                       kMostMachine);
  const std::size_t cells = std::size_t{collective_of(plan_.program[step])->schedule->atoms} *
                            std::min(shape.actors(), kMostChips + shape.switches);
  if (cells > kMostCells)
    return fmt::format("it would follow {} pieces of data, and a player up to {}; {}", cells, kMostCells,
                       kFewerPieces);
  const Shown s = shown_groups(shape, r);
  shown = s.chips;
  if (s.groups < s.all)
    notes_.push_back(
        fmt::format("the player of {} shows {} of {} groups; the others do the same", name(step), s.groups, s.all));
  return {};
}

std::string PlayerRecorder::name(std::uint32_t step) const {
  const std::string& text = plan_.steps[step].text;
  return plan_.steps.size() == 1 ? text : fmt::format("step {} ({})", step + 1, text);
}

void PlayerRecorder::hop(const HopRecord& h) {
  const std::int32_t number = of_task_[h.task];
  if (number < 0) return;
  Recorded& r = recorded_[static_cast<std::size_t>(number)];
  if (r.too_many) return;
  const std::uint32_t from = index(h.from), to = index(h.to);
  const auto seen = [&](std::uint32_t node) { return node >= r.shown.size() || r.shown[node]; };  // switches are
  if (!seen(from) || !seen(to) || (from >= r.shown.size() && to >= r.shown.size())) return;
  Time start = h.start;
  if (!h.last || h.hop > 0) {
    const auto [first, added] = started_.try_emplace(h.message, h.start);
    start = first->second;
    if (!h.last) return;
    started_.erase(first);
  }
  if (r.parts.size() == kMostMessages) {
    r.too_many = true;
    r.parts = {};
    return;
  }
  r.parts.push_back({.from = from,
                     .to = to,
                     .lane = h.lane,
                     .phase = h.phase,
                     .passage = h.passage,
                     .op = h.op,
                     .chunk = h.chunk,
                     .hops = h.hop + 1,
                     .bytes = h.bytes,
                     .posted = h.posted,
                     .start = start,
                     .delivered = h.delivered,
                     .taken = {}});
}

void PlayerRecorder::task(ChipId chip, std::uint32_t task, Time start, Time) {
  if (of_task_[task] < 0) return;
  auto& starts = recorded_[static_cast<std::size_t>(of_task_[task])].starts;
  if (index(chip) < starts.size()) starts[index(chip)] = start;
}

Json PlayerRecorder::players(const RunResult& result) {
  Json all = Json::array();
  std::size_t shown = 0;
  for (Recorded& r : recorded_) {
    const auto without = [&](const std::string& why) { notes_.push_back(name(r.step) + " has no player: " + why); };
    if (r.too_many) {
      without(fmt::format("it has more than {} messages; {}", kMostMessages, kFewerPieces));
    } else if (const std::size_t m = moves(r.parts); m > kMostMoves) {
      without(fmt::format("its messages carry {} pieces of data, and a player shows up to {}; {}", m, kMostMoves,
                          kFewerPieces));
    } else if (shown + r.parts.size() > kMostOfAll) {
      without("the steps before it have many messages already");
    } else if (!result.steps[r.step].started) {
      without("the run was stopped before it");
    } else {
      shown += r.parts.size();
      const Schedule& schedule = *collective_of(plan_.program[r.step])->schedule;
      const Replayed played = replay(machine_.shape, schedule, std::move(r.parts), r.starts);
      Json player{{"step", r.step}};
      player.update(player_json(machine_.fabric(), schedule, result.steps[r.step], r.shown, played));
      all.push_back(std::move(player));
    }
    r.parts = {};
  }
  return all;
}

}  // namespace hopsim

#include "tools/step_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/units.hpp"
#include "tools/report.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kBusiestPlaces = 3;
constexpr std::size_t kLeastAlike = 4;  // steps that share a row

// `of` a group's steps, from the smallest to the largest, as `format` has it.
template <class Of, class Format>
std::string spread(const StepGroup& group, Of of, Format format) {
  auto least = of(*group.steps.front()), most = least;
  for (const StepResult* s : group.steps) {
    least = std::min(least, of(*s));
    most = std::max(most, of(*s));
  }
  const std::string from = format(least), to = format(most);
  return from == to ? from : from + ".." + to;
}

template <class Of>
std::string times(const StepGroup& group, Of of) {
  return spread(group, of, format_time);
}

// "> 12.3 us" where a run was stopped before they ended; "-" before they began.
std::string times_so_far(const StepGroup& group) {
  const StepResult& first = *group.steps.front();
  if (!first.started) return "-";
  return (first.finished ? "" : "> ") + times(group, [](const StepResult& s) { return s.time(); });
}

// "-" where a step has none.
template <class Of>
std::string some_time(const StepGroup& group, Of of) {
  return spread(group, of, [](Time t) { return t == Time{} ? std::string("-") : format_time(t); });
}

template <class Of>
std::string ratios(const StepGroup& group, Of yardstick) {
  const auto quotient = [&](const StepResult& s) {
    return yardstick(s) == Time{} || !s.finished ? 0 : s.time().seconds() / yardstick(s).seconds();
  };
  return spread(group, quotient, [](double q) { return q == 0 ? std::string("-") : fmt::format("{:.3f}", q); });
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

// "bidirectional_ring, 16 chunks", where that is what overlaps.
std::string algorithm_of(const PlannedStep& step) {
  if (step.algorithm.empty()) return "-";
  if (step.kind != "collective_matmul") return step.algorithm;
  const int chunks = step.collective->chunks;
  return fmt::format("{}, {} chunk{}", step.algorithm, chunks, chunks == 1 ? "" : "s");
}

std::string hidden(const StepGroup& group) {
  return spread(
      group, [](const StepResult& s) { return s.work.comm == Time{} ? -1 : s.work.overlap(); },
      [](double share) { return share < 0 ? std::string("-") : percent(share); });
}

std::string mfu(const StepGroup& group) {
  return spread(
      group, [](const StepResult& s) { return s.mfu().value_or(0); },
      [](double share) { return share == 0 ? std::string("-") : percent(share); });
}

// ---- The critical path ----

// Causes, and waiting behind messages of the same step.
constexpr std::size_t kOwnQueue = kCauses, kColumns = kCauses + 1;

struct OnPath {
  std::array<Time, kColumns> by{};
  Time all;

  void add(const PathSegment& s) {
    by[s.held_by == s.task ? kOwnQueue : static_cast<std::size_t>(s.what)] += s.time();
    all += s.time();
  }
  void add(const OnPath& other) {
    for (std::size_t c = 0; c < kColumns; ++c) by[c] += other.by[c];
    all += other.all;
  }
};

std::string title(std::size_t column) {
  std::string text = column == kOwnQueue ? "own queue" : name_of(static_cast<Cause>(column));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string causes(const OnPath& p) {
  std::string text;
  for (std::size_t c = 0; c < kColumns; ++c)
    if (p.by[c] > Time{}) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", title(c), format_time(p.by[c]));
  return text;
}

std::string path_table(const RunResult& r, const OnPath& all) {
  std::map<const StepResult*, OnPath> by_step;
  for (const PathSegment& s : r.critical_path) by_step[&r.steps[s.task]].add(s);
  using enum Table::Align;
  std::vector<Table::Column> columns{{"step", left}, {"critical path", left}};
  for (std::size_t c = 0; c < kColumns; ++c)
    if (all.by[c] > Time{}) columns.push_back({title(c)});
  columns.push_back({"in all"});
  columns.push_back({"of the time"});
  Table table(columns);
  for (const StepGroup& group : grouped(r)) {
    OnPath sum;
    for (const StepResult* step : group.steps)
      if (const auto found = by_step.find(step); found != by_step.end()) sum.add(found->second);
    if (sum.all == Time{}) continue;
    std::vector<std::string> row{std::to_string(group.steps.front()->step.line), text_of(group)};
    for (std::size_t c = 0; c < kColumns; ++c)
      if (all.by[c] > Time{}) row.push_back(sum.by[c] == Time{} ? "-" : format_time(sum.by[c]));
    row.push_back(format_time(sum.all));
    row.push_back(percent(sum.all.seconds() / r.time.seconds()));
    table.add(row);
  }
  return table.text();
}

// "on it most: link (0) x+ 45.0 % (transfer 40 us), chip (3) 20.0 % (compute 18 us)".
std::string places(const RunResult& r, const Fabric& fabric) {
  std::map<std::pair<LinkId, std::uint32_t>, OnPath> by_place;
  for (const PathSegment& s : r.critical_path) by_place[{s.link, s.link == kNoLink ? s.node : 0}].add(s);
  std::vector<decltype(by_place)::const_iterator> order;
  for (auto i = by_place.cbegin(); i != by_place.cend(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->second.all > b->second.all; });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kBusiestPlaces); ++i) {
    const auto& [place, on] = *order[i];
    const auto& [link, node] = place;
    text += fmt::format("{}{} {} ({})", text.empty() ? "on it most: " : "; ",
                        link == kNoLink ? "chip " + fabric.chip_name(ChipId(node)) : "link " + fabric.link_name(link),
                        percent(on.all.seconds() / r.time.seconds()), causes(on));
  }
  return text + "\n";
}

// "waited for links on which step 1 (AllGather over X) passed: 20 us".
std::string held(const RunResult& r) {
  std::map<std::pair<int, std::string_view>, Time> by;
  for (const PathSegment& s : r.critical_path)
    if (s.held_by && s.held_by != s.task) {
      const PlannedStep& step = r.steps[*s.held_by].step;
      by[{step.line, step.text}] += s.time();
    }
  std::string text;
  for (const auto& [step, time] : by)
    text += fmt::format("waited for links on which step {} ({}) passed: {}\n", step.first, step.second,
                        format_time(time));
  return text;
}

}  // namespace

std::vector<StepGroup> grouped(const RunResult& r) {
  const auto key = [](const StepResult& result) {
    const PlannedStep& s = result.step;
    return std::tuple(s.line, std::string_view(s.text), std::string_view(s.kind), std::string_view(s.algorithm),
                      s.collective ? s.collective->bytes : Bytes{}, s.seconds_at_peak, result.started,
                      result.finished);
  };
  std::map<decltype(key(r.steps.front())), StepGroup> alike;
  for (const StepResult& s : r.steps) alike[key(s)].steps.push_back(&s);
  std::vector<StepGroup> groups;
  for (const StepResult& s : r.steps) {
    const StepGroup& group = alike.at(key(s));
    if (group.steps.size() < kLeastAlike)
      groups.push_back({{&s}});
    else if (group.steps.front() == &s)
      groups.push_back(group);
  }
  return groups;
}

std::string text_of(const StepGroup& group) {
  const StepResult& first = *group.steps.front();
  const PlannedStep& step = first.step;
  const char* state = first.finished ? "" : first.started ? ", unfinished" : ", not begun";
  if (group.steps.size() > 1) return fmt::format("{}  x{}{}", step.text, group.steps.size(), state);
  return (step.piece.empty() ? step.text : fmt::format("{} ({})", step.text, step.piece)) + state;
}

std::string steps_table(const RunResult& r) {
  using enum Table::Align;
  Table table({{"step", left},
               {"", left},
               {"algorithm", left},
               {"bytes"},
               {"time"},
               {"closed form"},
               {"time/form"},
               {"bound"},
               {"time/bound"},
               {"algbw"},
               {"busbw"}});
  const auto form = [](const StepResult& s) { return s.step.closed_form; };
  const auto bound = [](const StepResult& s) { return s.step.lower_bound; };
  for (const StepGroup& group : grouped(r)) {
    const PlannedStep& step = group.steps.front()->step;
    table.add({std::to_string(step.line), text_of(group), algorithm_of(step),
               step.collective ? format_bytes(step.collective->bytes) : "-", times_so_far(group), times(group, form),
               ratios(group, form), times(group, bound), ratios(group, bound),
               spread(
                   group, [](const StepResult& s) { return s.algbw; }, rate),
               spread(
                   group, [](const StepResult& s) { return s.busbw; }, rate)});
  }
  return table.text();
}

std::string overlap_table(const RunResult& r) {
  if (r.bound() == Time{} || r.bound() == r.sum()) return {};
  using enum Table::Align;
  Table table({{"step", left},
               {"overlap", left},
               {"compute"},
               {"communication"},
               {"exposed"},
               {"hidden"},
               {"time"},
               {"time/max"},
               {"time/sum"},
               {"MFU"}});
  for (const StepGroup& group : grouped(r)) {
    const StepResult& first = *group.steps.front();
    if (first.work.comm == Time{} && !first.mfu()) continue;
    table.add({std::to_string(first.step.line), text_of(group),
               some_time(group, [](const StepResult& s) { return s.work.compute; }),
               some_time(group, [](const StepResult& s) { return s.work.comm; }),
               some_time(group, [](const StepResult& s) { return s.work.exposed_comm; }), hidden(group),
               times_so_far(group), ratios(group, [](const StepResult& s) { return s.work.bound(); }),
               ratios(group, [](const StepResult& s) { return s.work.sum(); }), mfu(group)});
  }
  return table.text();
}

std::string path_text(const RunResult& r, const MachineModel& machine) {
  if (r.critical_path.empty()) return {};
  OnPath all;
  for (const PathSegment& s : r.critical_path) all.add(s);
  return path_table(r, all) + places(r, machine.fabric()) + held(r);
}

}  // namespace hopsim

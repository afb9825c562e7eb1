#include "scenarios/link_meetings.hpp"

#include <algorithm>

namespace hopsim {
namespace {

// How many tasks a task comes after, in some number of steps.
std::size_t count_before(const Program& program, std::uint32_t task) {
  std::vector<bool> before(task, false);
  std::vector<std::uint32_t> open{task};
  std::size_t count = 0;
  while (!open.empty()) {
    const std::uint32_t t = open.back();
    open.pop_back();
    for (const std::uint32_t b : program[t].after)
      if (!before[b]) {
        before[b] = true;
        ++count;
        open.push_back(b);
      }
  }
  return count;
}

bool all_behind(const Program& program, std::uint32_t task) {
  std::vector<bool> behind(program.size(), false);
  behind[task] = true;
  for (std::size_t t = task + 1; t < program.size(); ++t) {
    const auto& after = program[t].after;
    behind[t] = std::any_of(after.begin(), after.end(), [&](std::uint32_t b) { return behind[b]; });
    if (!behind[t]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> stages(const Program& program) {
  std::vector<std::uint32_t> stages;
  std::uint32_t stage = 0;
  for (std::uint32_t t = 0; t < program.size(); ++t) {
    stages.push_back(stage);
    if (std::holds_alternative<BarrierTask>(program[t].work) && count_before(program, t) == t &&
        all_behind(program, t))
      ++stage;
  }
  return stages;
}

LinkMeetings::LinkMeetings(const Fabric& fabric, const Program& program)
    : fabric_(fabric),
      stages_(stages(program)),
      uses_(stages_.empty() ? 0 : stages_.back() + 1),
      tasks_(program.size()) {}

void LinkMeetings::hop(const HopRecord& h) {
  OfTask& task = tasks_[h.task];
  std::vector<Use>& uses = uses_[stages_[h.task]];
  if (uses.empty()) uses.resize(fabric_.links.size());
  if (task.links.empty()) task.links.resize(fabric_.links.size());
  const std::uint32_t link = index(h.link);
  const Link& at = fabric_.links[link];
  OnTheWay way{link, at.latency};
  if (h.hop > 0) {
    way = on_the_way_.at(h.message);
    way.latency += at.latency;
    task.several_links = true;
  }
  Use& use = uses[link];
  if (use.first == kNone) use.first = way.first;
  use.several = use.several || use.first != way.first;
  use.later = use.later || h.hop > 0;
  use.slower = use.slower || at.bandwidth.bytes_per_second() < fabric_.links[way.first].bandwidth.bytes_per_second();
  if (h.last) {
    on_the_way_.erase(h.message);
    begin(uses[way.first], way, h.hop > 0);
  } else {
    on_the_way_[h.message] = way;
  }
  task.links[link] = true;
  task.any = true;
  note_times(task, h);
}

void LinkMeetings::begin(Use& use, const OnTheWay& way, bool several_links) {
  use.longer = use.longer || several_links;
  use.differ = use.differ || (use.latency != Time::max() && use.latency != way.latency);
  use.latency = way.latency;
  use.mixed = use.longer && use.differ;
}

void LinkMeetings::note_times(OfTask& task, const HopRecord& h) {
  if (task.first_arrival.empty()) task.first_arrival.resize(fabric_.nodes, Time::max());
  if (h.hop == 0 && h.posted >= task.first_arrival[index(h.from)]) task.goes_on = true;
  if (h.last) {
    Time& first = task.first_arrival[index(h.to)];
    first = std::min(first, h.delivered);
  }
}

Contact LinkMeetings::contact(std::uint32_t task) const {
  const OfTask& t = tasks_[task];
  if (!t.any) return Contact::none;
  if (any_use(task, [](const Use& u) { return u.meeting(); })) return Contact::meeting;
  return t.several_links ? Contact::apart : Contact::one_link;
}

bool LinkMeetings::meet(std::uint32_t task, std::uint32_t other) const {
  if (stages_[task] != stages_[other] || tasks_[task].links.empty()) return false;
  const std::vector<bool>& also = tasks_[other].links;
  if (also.empty()) return false;
  for (std::size_t l = 0; l < also.size(); ++l)
    if (also[l] && tasks_[task].links[l] && uses_[stages_[task]][l].meeting()) return true;
  return false;
}

}  // namespace hopsim

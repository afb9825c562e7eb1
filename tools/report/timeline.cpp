#include "tools/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scenarios/measure.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFirstLanes[] = {"compute", "communication", "exposed"};

// The chip whose number is the largest, and the first of equals; none where all are equal.
std::optional<std::uint32_t> outstanding(const std::vector<std::uint64_t>& by_chip) {
  const auto [least, most] = std::minmax_element(by_chip.begin(), by_chip.end());
  if (most == by_chip.end() || *least == *most) return {};
  return static_cast<std::uint32_t>(std::find(by_chip.begin(), by_chip.end(), *most) - by_chip.begin());
}

// What a chip may be shown for, by chip.
struct Reasons {
  explicit Reasons(std::uint32_t chips) : end(chips), exposed(chips), on_link(chips), on_path(chips) {}
  std::vector<std::uint64_t> end, exposed, on_link, on_path;
};

Reasons reasons(const Fabric& fabric, const RunResult& result, const Activity& activity) {
  Reasons r(fabric.chips());
  for (std::uint32_t c = 0; c < fabric.chips(); ++c) {
    for (const auto* of : {&activity.communication[c], &activity.compute[c]})
      for (const auto& s : of->stretches()) r.end[c] = std::max(r.end[c], s.end.ps());
    for (const Interval& i : exposed_communication(activity, ChipId(c))) r.exposed[c] += (i.end - i.start).ps();
  }
  for (std::size_t l = 0; l < result.link_busy.size(); ++l)
    if (const std::uint32_t from = fabric.links[l].from; from < fabric.chips())
      r.on_link[from] = std::max(r.on_link[from], result.link_busy[l].ps());
  for (const PathSegment& s : result.critical_path)
    if (s.node < fabric.chips()) r.on_path[s.node] += s.time().ps();
  return r;
}

// Of the fabric: from the busiest link on, so many that leave the chip, in the order of their numbers.
std::vector<LinkId> busiest_from(const Fabric& fabric, ChipId chip, const RunResult& result, std::size_t most) {
  std::vector<LinkId> links;
  for (std::uint32_t l = 0; l < result.link_busy.size(); ++l)
    if (fabric.links[l].exists() && fabric.links[l].from == index(chip) && result.link_busy[l] > Time{})
      links.push_back(LinkId(l));
  std::stable_sort(links.begin(), links.end(),
                   [&](LinkId a, LinkId b) { return result.link_busy[index(a)] > result.link_busy[index(b)]; });
  if (links.size() > most) links.resize(most);
  std::sort(links.begin(), links.end());
  return links;
}

std::vector<DrawnStretch> drawn(const StepStretches& of) {
  std::vector<DrawnStretch> all;
  for (const auto& s : of.stretches()) all.push_back({s.start, s.end, s.task});
  return all;
}

}  // namespace

std::vector<DrawnChip> drawn_chips(const Fabric& fabric, const RunResult& result, const Activity& activity,
                                   std::uint32_t most) {
  const std::uint32_t chips = fabric.chips();
  const Reasons r = reasons(fabric, result, activity);
  std::map<std::uint32_t, std::string> why;
  const auto pick = [&why](std::uint32_t chip, const char* reason) {
    why[chip] += (why[chip].empty() ? "" : ", ") + std::string(reason);
  };
  if (chips > most) pick(0, "first");
  if (const auto c = outstanding(r.end)) pick(*c, "last to end");
  if (const auto c = outstanding(r.exposed)) pick(*c, "most exposed communication");
  if (const auto c = outstanding(r.on_link)) pick(*c, "on the busiest link");
  if (const auto c = outstanding(r.on_path)) pick(*c, "longest on the critical path");
  for (std::uint32_t i = 0; i < most && i < chips && why.size() < most; ++i) {
    const auto c = static_cast<std::uint32_t>(std::uint64_t{i} * chips / std::min(most, chips));
    why.try_emplace(c);
  }
  std::vector<DrawnChip> drawn;
  for (auto& [chip, reason] : why) drawn.push_back({ChipId(chip), std::move(reason)});
  return drawn;
}

TimelineData::TimelineData(const Fabric& fabric, const RunResult& result, const Activity& activity,
                           const LinkStretches& links)
    : fabric_(fabric),
      result_(result),
      activity_(activity),
      links_(links),
      chips_(drawn_chips(fabric, result, activity, kMostChips)) {}

// What lies behind the end of a run that was stopped is gone.
void TimelineData::add(std::size_t chip, std::string name, std::vector<DrawnStretch> stretches) {
  std::erase_if(stretches, [&](const DrawnStretch& s) { return s.start > result_.time; });
  for (DrawnStretch& s : stretches) s.end = std::min(s.end, result_.time);
  close_gaps(stretches, Time{});
  if (!stretches.empty()) lanes_.push_back({chip, std::move(name), std::move(stretches)});
}

void TimelineData::add_chip(std::size_t chip) {
  const ChipId id = chips_[chip].chip;
  add(chip, kFirstLanes[0], drawn(activity_.compute[index(id)]));
  add(chip, kFirstLanes[1], drawn(activity_.communication[index(id)]));
  std::vector<DrawnStretch> exposed;
  for (const Interval& i : exposed_communication(activity_, id)) exposed.push_back({i.start, i.end, kSeveralSteps});
  add(chip, kFirstLanes[2], std::move(exposed));
}

void TimelineData::add_links(std::size_t chip) {
  const ChipId id = chips_[chip].chip;
  std::size_t all = 0;
  for (std::size_t l = 0; l < result_.link_busy.size(); ++l)
    all += fabric_.links[l].from == index(id) && result_.link_busy[l] > Time{};
  const std::vector<LinkId> shown = busiest_from(fabric_, id, result_, kMostLinks);
  for (const LinkId link : shown) add(chip, fabric_.port_name(link), links_.of(link));
  links_left_out_ += all - shown.size();
}

bool TimelineData::fits() const {
  std::size_t sum = 0;
  for (const Lane& lane : lanes_) {
    if (lane.stretches.size() > kMostOfLane) return false;
    sum += lane.stretches.size();
  }
  return sum <= kMostStretches;
}

// The gaps that had to be closed.
Time TimelineData::fit() {
  Time gap;
  while (!fits()) {
    gap = gap == Time{} ? Time::picoseconds(result_.time.ps() / kAcross + 1) : 2 * gap;
    for (Lane& lane : lanes_) close_gaps(lane.stretches, gap);
    if (fits()) break;
    for (Lane& lane : lanes_) join_short(lane.stretches, gap);
  }
  return gap;
}

// "x+" before "x-", "to chip 9" before "to chip 10".
std::vector<std::string> TimelineData::lane_names() const {
  std::set<std::pair<std::size_t, std::string>> links;
  for (const Lane& lane : lanes_)
    if (std::find(std::begin(kFirstLanes), std::end(kFirstLanes), lane.name) == std::end(kFirstLanes))
      links.emplace(lane.name.size(), lane.name);
  std::vector<std::string> names(std::begin(kFirstLanes), std::end(kFirstLanes));
  for (const auto& [size, name] : links) names.push_back(name);
  return names;
}

Json TimelineData::columns(const std::vector<std::string>& names) const {
  Json chip = Json::array(), lane = Json::array(), step = Json::array(), start = Json::array(), end = Json::array();
  for (const Lane& l : lanes_) {
    const auto number = std::find(names.begin(), names.end(), l.name) - names.begin();
    for (const DrawnStretch& s : l.stretches) {
      chip.push_back(l.chip);
      lane.push_back(number);
      step.push_back(s.step == kSeveralSteps ? Json(nullptr) : Json(s.step));
      start.push_back(s.start.seconds());
      end.push_back(s.end.seconds());
    }
  }
  return {{"chip", std::move(chip)},
          {"lane", std::move(lane)},
          {"step", std::move(step)},
          {"start_s", std::move(start)},
          {"end_s", std::move(end)}};
}

Json TimelineData::json() {
  for (std::size_t c = 0; c < chips_.size(); ++c) {
    add_chip(c);
    add_links(c);
  }
  const Time closed = fit();
  Json chips = Json::array();
  for (const DrawnChip& c : chips_)
    chips.push_back({{"chip", index(c.chip)}, {"name", fabric_.chip_name(c.chip)}, {"why", c.why}});
  const std::vector<std::string> names = lane_names();
  return {{"chips", std::move(chips)},
          {"left_out", fabric_.chips() - chips_.size()},
          {"resolution_s", closed.seconds()},
          {"lanes", names},
          {"stretches", columns(names)}};
}

std::vector<std::string> TimelineData::notes() const {
  if (links_left_out_ == 0) return {};
  return {
      fmt::format("the timeline shows the {} busiest links of a chip; {} are left out", kMostLinks, links_left_out_)};
}

}  // namespace hopsim

#include "sim/critical_path.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "sim/path_records.hpp"

namespace hopsim {
namespace {

using Hop = PathRecorder::Hop;
using Span = PathRecorder::Span;

bool alike(const PathSegment& a, const PathSegment& b) {
  return std::tie(a.what, a.task, a.node, a.link, a.held_by) == std::tie(b.what, b.task, b.node, b.link, b.held_by);
}

class Walk {
 public:
  Walk(const Fabric& fabric, const Program& program, const Overheads& overheads, const PathRecords& records)
      : fabric_(fabric), program_(program), overheads_(overheads), records_(records) {}

  std::vector<PathSegment> back_from(const Span& last) {
    go_to({last.chip, last.task, last.end});
    while (at_.time > Time{})
      if (!by_arrival() && !by_computation() && !by_departure()) by_start();
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  // Something that happened, whose cause is to be found.
  struct Event {
    std::uint32_t node = 0, task = 0;
    Time time;
    std::optional<std::uint16_t> lane{};
    bool unit = false;  // a computation began: it may have waited for the unit
  };

  // Within an instant nothing causes two things, or zero times could go in circles.
  void go_to(const Event& event) {
    if (event.time != at_.time) seen_.clear();
    at_ = event;
  }
  static std::uint64_t mark(std::uint32_t number, Cause kind) {
    return std::uint64_t{number} << 8 | static_cast<std::uint64_t>(kind);
  }

  void add(const PathSegment& s) {
    if (s.start >= s.end) return;
    if (!path_.empty() && path_.back().start == s.end && alike(path_.back(), s))
      path_.back().start = s.start;
    else
      path_.push_back(s);
  }
  void add_of_link(Cause what, std::uint32_t i, Time start, Time end, std::optional<std::uint32_t> held_by = {}) {
    add({start, end, what, records_.hop(i).task, records_.link(i).from, LinkId(records_.hop(i).link), held_by});
  }

  bool by_arrival() {
    std::optional<std::uint32_t> best;
    for (const std::uint32_t i : records_.arrivals(at_.node, at_.time)) {
      if (records_.hop(i).task != at_.task || seen_.contains(mark(i, Cause::latency))) continue;
      const bool same_lane = at_.lane == records_.hop(i).lane;
      if (!best || same_lane) best = i;
      if (same_lane) break;
    }
    if (!best) return false;
    seen_.insert(mark(*best, Cause::latency));
    add_message(*best);
    return true;
  }

  bool by_computation() {
    const Span* best = nullptr;
    for (const Span& c : records_.computations(at_.node, at_.time)) {
      if (seen_.contains(mark(records_.number(c), Cause::compute))) continue;
      if (c.task == at_.task || (at_.unit && best == nullptr)) best = &c;
      if (c.task == at_.task) break;
    }
    if (best == nullptr) return false;
    seen_.insert(mark(records_.number(*best), Cause::compute));
    add({best->start, best->end, Cause::compute, best->task, best->chip});
    go_to({best->chip, best->task, best->start, {}, true});
    return true;
  }

  bool by_departure() {
    if (at_.unit) return false;
    for (const std::uint32_t i : records_.departures(at_.node, at_.time)) {
      if (records_.hop(i).task != at_.task || !seen_.insert(mark(i, Cause::transfer)).second) continue;
      add_of_link(Cause::transfer, i, records_.hop(i).start, records_.left(i));
      add_posting(i);
      return true;
    }
    return false;
  }

  // From the delivery of its last hop back to its posting.
  void add_message(std::uint32_t i) {
    add_of_link(Cause::latency, i, records_.hop(i).end, records_.delivered(i));
    while (held_up(i)) {
      i = records_.hop(i).before;
      add_of_link(Cause::latency, i, records_.hop(i).end, records_.delivered(i));
    }
    add_of_link(Cause::transfer, i, records_.hop(i).start, records_.hop(i).end);
    for (std::uint32_t before; (before = records_.hop(i).before) != PathRecorder::kNone; i = before) {
      const Time begin = records_.hop(before).start;
      const Time head = std::clamp(begin + records_.link(before).latency, begin, records_.hop(i).start);
      add_wait(i, head);
      add_of_link(Cause::latency, before, begin, head);
    }
    add_posting(i);
  }

  // Whether a hop lasted as long as it did because its tail came late.
  bool held_up(std::uint32_t i) const {
    const Hop& h = records_.hop(i);
    return h.before != PathRecorder::kNone && h.start + h.busy < h.end && records_.delivered(h.before) == h.end;
  }

  void add_wait(std::uint32_t i, Time since) {
    const Hop& h = records_.hop(i);
    add_of_link(Cause::link_wait, i, since, h.start,
                h.held_by != PathRecorder::kNone ? std::optional(h.held_by) : std::nullopt);
  }

  // Between the posting of a message and its first hop.
  void add_posting(std::uint32_t i) {
    const Hop& h = records_.hop(i);
    const std::uint32_t from = records_.link(i).from;
    Time ready = h.start;
    if (h.held_by != PathRecorder::kNone) {
      const Time overhead = from < fabric_.chips() ? overheads_.step + overheads_.chunk : Time{};
      ready = std::min(h.start, h.posted + overhead);
      add_wait(i, ready);
    }
    add({h.posted, ready, Cause::overhead, h.task, from});
    go_to({from, h.task, h.posted, h.lane});
  }

  // What began a task, or let time pass within it.
  void by_start() {
    const Task& task = program_[at_.task];
    Time begin = std::min(records_.start(at_.task, at_.node), at_.time);
    if (std::holds_alternative<BarrierTask>(task.work))
      for (std::uint32_t c = 0; c < fabric_.chips() && begin < at_.time; ++c)
        if (records_.start(at_.task, c) == at_.time) {
          at_.node = c;
          begin = at_.time;
        }
    add({begin, at_.time, passing(task, at_.time - begin), at_.task, at_.node});
    for (const std::uint32_t before : task.after)
      if (records_.end(before, at_.node) == begin) return go_to({at_.node, before, begin});
    for (const std::uint32_t i : records_.arrivals(at_.node, begin))  // a switch, whose ends are only reckoned
      if (records_.hop(i).task < at_.task) return go_to({at_.node, records_.hop(i).task, begin});
    add({Time{}, begin, Cause::other, at_.task, at_.node});
    go_to({at_.node, at_.task, Time{}});
  }

  Cause passing(const Task& task, Time time) const {
    if (std::holds_alternative<HostLoadTask>(task.work)) return Cause::host_load;
    return collective_of(task) != nullptr && time == overheads_.launch ? Cause::launch : Cause::other;
  }

  const Fabric& fabric_;
  const Program& program_;
  const Overheads& overheads_;
  const PathRecords& records_;
  Event at_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<PathSegment> path_;
};

}  // namespace

const char* name_of(Cause cause) {
  constexpr const char* kNames[kCauses] = {"compute",  "transfer", "latency",   "link_wait",
                                           "overhead", "launch",   "host_load", "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

void PathRecorder::hop(const HopRecord& h) {
  if (next_) next_->hop(h);
  if (overflowed_) return;
  if (hops_.size() >= most_hops_) return drop();
  if (recent_.empty()) recent_.resize(fabric_.links.size());
  Recent& recent = recent_[index(h.link)];
  hops_.push_back({.start = h.start,
                   .end = h.end,
                   .posted = h.posted,
                   .busy = fabric_.links[index(h.link)].bandwidth.duration(h.bytes),
                   .link = index(h.link),
                   .task = h.task,
                   .before = hop_before(h),
                   .held_by = holder(recent, h.start),
                   .lane = static_cast<std::uint16_t>(h.lane),
                   .last = h.last});
  recent.at[recent.next++ % kRecent] = static_cast<std::uint32_t>(hops_.size() - 1);
}

void PathRecorder::drop() {
  overflowed_ = true;
  hops_ = {};
  computes_ = {};
  tasks_ = {};
  on_the_way_ = {};
}

std::uint32_t PathRecorder::holder(const Recent& recent, Time start) const {
  for (const std::uint32_t i : recent.at)
    if (i != kNone && (hops_[i].end == start || hops_[i].start + hops_[i].busy == start)) return hops_[i].task;
  return kNone;
}

std::uint32_t PathRecorder::hop_before(const HopRecord& h) {
  const auto mine = static_cast<std::uint32_t>(hops_.size());
  if (h.hop == 0) {
    if (!h.last) on_the_way_[h.message] = mine;
    return kNone;
  }
  const auto found = on_the_way_.find(h.message);
  const std::uint32_t before = found->second;
  found->second = mine;
  if (h.last) on_the_way_.erase(found);
  return before;
}

void PathRecorder::compute(ChipId chip, std::uint32_t task, Time start, Time end) {
  if (next_) next_->compute(chip, task, start, end);
  if (!overflowed_) computes_.push_back({start, end, index(chip), task});
}

void PathRecorder::task(ChipId chip, std::uint32_t task, Time start, Time end) {
  if (next_) next_->task(chip, task, start, end);
  if (!overflowed_) tasks_.push_back({start, end, index(chip), task});
}

std::vector<PathSegment> PathRecorder::path(const Program& program, const Overheads& overheads) {
  const auto last = std::min_element(tasks_.begin(), tasks_.end(), [](const Span& a, const Span& b) {
    return std::tie(b.end, a.task, a.chip) < std::tie(a.end, b.task, b.chip);
  });
  if (last == tasks_.end()) return {};
  const PathRecords records(fabric_, program, overheads.launch, std::move(hops_), std::move(computes_), tasks_);
  return Walk(fabric_, program, overheads, records).back_from(*last);
}

}  // namespace hopsim

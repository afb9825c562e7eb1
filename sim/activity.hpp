// When each chip computes and when it communicates, as intervals of the steps of its program and as their unions. A
// chip communicates while a message from it or to it is in flight, from its posting to the arrival of its tail.
// Exposed communication is the part without compute.
#pragma once

#include <vector>

#include "sim/ids.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

struct Interval {
  Time start, end;
};

// Disjoint intervals in order of time. add() is O(1) where intervals come roughly in order, as in a simulation.
class IntervalSet {
 public:
  void add(Time start, Time end);
  Time total() const;
  const std::vector<Interval>& intervals() const { return intervals_; }
  // The length of this set outside `other`.
  Time without(const IntervalSet& other) const;

 private:
  void merge_late(Interval);
  std::vector<Interval> intervals_;
};

inline void IntervalSet::add(Time start, Time end) {
  if (!intervals_.empty()) {
    Interval& last = intervals_.back();
    if (start >= last.start && start <= last.end) {
      if (end > last.end) last.end = end;
      return;
    }
    if (start < last.start) return merge_late({start, end});
  }
  intervals_.push_back({start, end});
}

// When a chip was at its steps. What touches or overlaps becomes one stretch where it comes roughly in order, so a
// step is a few of them; add() is O(1).
class StepStretches {
 public:
  struct Stretch {
    Time start, end;
    std::uint32_t task = 0;
  };
  void add(std::uint32_t task, Time start, Time end);
  IntervalSet all() const;
  IntervalSet of(std::uint32_t task) const;
  void end_at(Time);                       // what lies behind is gone
  std::vector<Stretch> stretches() const;  // in no order

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kOpen = 4;  // the last few may still grow: steps that run at once take turns
  static bool grow(Stretch&, std::uint32_t task, Time start, Time end);
  void turn_to(std::uint32_t task, Time start, Time end);

  Stretch latest_{.start = {}, .end = {}, .task = kNone};  // here, not in the vector: a message grows two of these
  std::vector<Stretch> others_;
};

class Activity {
 public:
  explicit Activity(std::uint32_t chips) : communication(chips), compute(chips) {}
  void message(ChipId from, ChipId to, std::uint32_t task, Time posted, Time delivered) {
    communication[index(from)].add(task, posted, delivered);
    if (to != from) communication[index(to)].add(task, posted, delivered);
  }
  // Of a run that was stopped.
  void end_at(Time);
  std::vector<StepStretches> communication, compute;  // by chip
};

inline bool StepStretches::grow(Stretch& s, std::uint32_t task, Time start, Time end) {
  if (s.task != task || start > s.end || end < s.start) return false;
  s.start = start < s.start ? start : s.start;
  s.end = end > s.end ? end : s.end;
  return true;
}

inline void StepStretches::add(std::uint32_t task, Time start, Time end) {
  if (!grow(latest_, task, start, end)) turn_to(task, start, end);
}

}  // namespace hopsim

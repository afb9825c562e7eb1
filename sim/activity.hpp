// When each chip computes and when it communicates, as unions of intervals. A chip communicates while a message from
// it or to it is in flight, from its posting to the arrival of its tail. Exposed communication is the part without
// compute.
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

class Activity {
 public:
  explicit Activity(std::uint32_t chips) : communication(chips), compute(chips) {}
  void message(ChipId from, ChipId to, Time posted, Time delivered) {
    communication[index(from)].add(posted, delivered);
    if (to != from) communication[index(to)].add(posted, delivered);
  }
  std::vector<IntervalSet> communication, compute;  // by chip
};

}  // namespace hopsim

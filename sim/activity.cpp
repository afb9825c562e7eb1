#include "sim/activity.hpp"

#include <algorithm>

namespace hopsim {

void IntervalSet::merge_late(Interval late) {
  auto first = std::lower_bound(intervals_.begin(), intervals_.end(), late.start,
                                [](const Interval& i, Time t) { return i.end < t; });
  auto past = first;
  while (past != intervals_.end() && past->start <= late.end) {
    late.start = std::min(late.start, past->start);
    late.end = std::max(late.end, past->end);
    ++past;
  }
  if (first == past) {
    intervals_.insert(first, late);
  } else {
    *first = late;
    intervals_.erase(first + 1, past);
  }
}

Time IntervalSet::total() const {
  Time sum;
  for (const Interval& i : intervals_) sum += i.end - i.start;
  return sum;
}

IntervalSet StepStretches::all() const {
  std::vector<Stretch> sorted = stretches_;
  std::sort(sorted.begin(), sorted.end(), [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  IntervalSet set;
  for (const Stretch& s : sorted) set.add(s.start, s.end);
  return set;
}

IntervalSet StepStretches::of(std::uint32_t task) const {
  IntervalSet set;
  for (const Stretch& s : stretches_)
    if (s.task == task) set.add(s.start, s.end);
  return set;
}

Time IntervalSet::without(const IntervalSet& other) const {
  Time covered;
  auto o = other.intervals_.begin();
  for (const Interval& i : intervals_) {
    while (o != other.intervals_.end() && o->end <= i.start) ++o;
    for (auto k = o; k != other.intervals_.end() && k->start < i.end; ++k)
      covered += std::min(k->end, i.end) - std::max(k->start, i.start);
  }
  return total() - covered;
}

}  // namespace hopsim

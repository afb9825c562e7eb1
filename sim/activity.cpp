#include "sim/activity.hpp"

#include <algorithm>
#include <utility>

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

std::vector<StepStretches::Stretch> StepStretches::stretches() const {
  std::vector<Stretch> all = others_;
  if (latest_.task != kNone) all.push_back(latest_);
  return all;
}

// One that was left a while ago, or a new one.
void StepStretches::turn_to(std::uint32_t task, Time start, Time end) {
  const std::size_t n = others_.size();
  for (std::size_t i = n; i-- > (n > kOpen ? n - kOpen : 0);)
    if (grow(others_[i], task, start, end)) return std::swap(others_[i], latest_);
  if (latest_.task != kNone) others_.push_back(latest_);
  latest_ = {start, end, task};
}

IntervalSet StepStretches::all() const {
  std::vector<Stretch> sorted = stretches();
  std::sort(sorted.begin(), sorted.end(), [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  IntervalSet set;
  for (const Stretch& s : sorted) set.add(s.start, s.end);
  return set;
}

IntervalSet StepStretches::of(std::uint32_t task) const {
  IntervalSet set;
  for (const Stretch& s : stretches())
    if (s.task == task) set.add(s.start, s.end);
  return set;
}

void StepStretches::end_at(Time time) {
  if (latest_.task != kNone) others_.push_back(std::exchange(latest_, {.start = {}, .end = {}, .task = kNone}));
  std::erase_if(others_, [time](const Stretch& s) { return s.start >= time; });
  for (Stretch& s : others_) s.end = std::min(s.end, time);
}

void Activity::end_at(Time time) {
  for (auto* chips : {&communication, &compute})
    for (StepStretches& chip : *chips) chip.end_at(time);
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

#include "scenarios/measure.hpp"

#include <algorithm>

namespace hopsim {
namespace {

using Stretch = StepStretches::Stretch;

// How much of any interval a set covers, in O(log n).
class Coverage {
 public:
  explicit Coverage(const IntervalSet& set) : intervals_(set.intervals()) {
    Time sum;
    for (const Interval& i : intervals_) {
      before_.push_back(sum);
      sum += i.end - i.start;
    }
  }

  Time of(const Interval& i) const { return until(i.end) - until(i.start); }

 private:
  Time until(Time t) const {
    const auto past = std::upper_bound(intervals_.begin(), intervals_.end(), t,
                                       [](Time at, const Interval& i) { return at < i.start; });
    if (past == intervals_.begin()) return {};
    const auto i = past - 1;
    return before_[static_cast<std::size_t>(i - intervals_.begin())] + std::min(t, i->end) - i->start;
  }

  const std::vector<Interval>& intervals_;
  std::vector<Time> before_;
};

// Calls visit(task, interval) for every interval of each step, which are disjoint.
template <class Visit>
void each_interval(std::vector<Stretch> stretches, Visit visit) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return a.task != b.task ? a.task < b.task : a.start < b.start;
  });
  for (std::size_t i = 0; i < stretches.size();) {
    const std::uint32_t task = stretches[i].task;
    Interval whole{stretches[i].start, stretches[i].end};
    for (++i; i < stretches.size() && stretches[i].task == task && stretches[i].start <= whole.end; ++i)
      whole.end = std::max(whole.end, stretches[i].end);
    visit(task, whole);
  }
}

void raise(WorkTimes& worst, const WorkTimes& chip) {
  worst.compute = std::max(worst.compute, chip.compute);
  worst.comm = std::max(worst.comm, chip.comm);
  worst.exposed_comm = std::max(worst.exposed_comm, chip.exposed_comm);
}

}  // namespace

void measure(const Activity& activity, std::uint32_t chips, RunResult& result) {
  std::vector<WorkTimes> of_chip(result.steps.size());
  for (std::uint32_t c = 0; c < chips; ++c) {
    const IntervalSet compute = activity.compute[c].all(), communication = activity.communication[c].all();
    raise(result, {compute.total(), communication.total(), communication.without(compute)});
    const Coverage computing(compute);
    each_interval(activity.compute[c].stretches(),
                  [&](std::uint32_t task, const Interval& i) { of_chip[task].compute += i.end - i.start; });
    each_interval(activity.communication[c].stretches(), [&](std::uint32_t task, const Interval& i) {
      of_chip[task].comm += i.end - i.start;
      of_chip[task].exposed_comm += i.end - i.start - computing.of(i);
    });
    for (std::size_t s = 0; s < of_chip.size(); ++s) raise(result.steps[s].work, std::exchange(of_chip[s], {}));
  }
}

std::vector<Interval> exposed_communication(const Activity& activity, ChipId chip) {
  const IntervalSet compute = activity.compute[index(chip)].all();
  std::vector<Interval> exposed;
  auto next = compute.intervals().begin();
  const auto end = compute.intervals().end();
  const IntervalSet communication = activity.communication[index(chip)].all();
  for (Interval i : communication.intervals()) {
    while (next != end && next->end <= i.start) ++next;
    for (auto k = next; k != end && k->start < i.end; ++k) {
      if (k->start > i.start) exposed.push_back({i.start, k->start});
      i.start = std::min(k->end, i.end);
    }
    if (i.start < i.end) exposed.push_back(i);
  }
  return exposed;
}

}  // namespace hopsim

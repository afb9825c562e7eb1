#include "tools/perfetto/held_records.hpp"

namespace hopsim::perfetto {

void HeldRecords::hold(Time until, const What& what) {
  const Time now = Time::picoseconds(now_.picoseconds.load(std::memory_order_relaxed));
  while (!waiting_.empty() && waiting_.top().until <= now) pass_on();
  waiting_.push({until, held_++, what});
}

void HeldRecords::release() {
  while (!waiting_.empty()) pass_on();
}

void HeldRecords::pass_on() {
  const What what = waiting_.top().what;
  waiting_.pop();
  if (const auto* h = std::get_if<HopRecord>(&what)) return to_.hop(*h);
  const auto& c = std::get<Computation>(what);
  to_.compute(c.chip, c.task, c.start, c.end);
}

}  // namespace hopsim::perfetto

#include "scenarios/cross_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hopsim {
namespace {

constexpr double kInstant = 2e-12;  // seconds: an instant of either engine is rounded up to a picosecond

constexpr std::array<DifferenceKind, 3> kKinds{{
    {"mixed ways",
     "ways of different latency begin on one link, so that flows meet on it, too; they are slow on their whole way, "
     "and waiting hides no latency",
     0.5},
    {"chips go on",
     "in turn, the first to come is sent on while others wait; side by side all come last, after all their latency",
     0.45},
    {"shared ways", "flows that share a later link are slow on their whole way, and waiting hides no latency", 0.35},
}};

const DifferenceKind* kind_of(const LinkMeetings& meetings, std::uint32_t task) {
  if (meetings.contact(task) != Contact::meeting) return nullptr;
  return &kKinds[meetings.mixed(task) ? 0 : meetings.goes_on(task) ? 1 : 2];
}

// Whether what comes behind it begins on all chips at once.
std::vector<bool> parting(const Program& program) {
  std::vector<bool> parts(program.size(), false);
  const std::vector<std::uint32_t> stage = stages(program);
  for (std::size_t t = 0; t + 1 < stage.size(); ++t) parts[t] = stage[t] < stage[t + 1];
  return parts;
}

// Fills `limit` of all steps. By what comes before: `apart` of a step is by how much chips may end it apart that
// would end it at once on the other engine; `behind` by how much all that led to it may differ.
template <class Share>
void allow(CrossCheck& check, const Program& program, Share share, double CrossStep::*limit) {
  const std::vector<bool> parts = parting(program);
  std::vector<double> apart(program.size(), 0), behind(program.size(), 0);
  for (std::size_t t = 0; t < program.size(); ++t) {
    CrossStep& step = check.steps[t];
    for (const std::uint32_t before : program[t].after) {
      if (!parts[before]) apart[t] = std::max(apart[t], apart[before]);
      behind[t] = std::max(behind[t], behind[before]);
    }
    const double own = share(step) * step.event.seconds();
    step.*limit = own + apart[t] + kInstant;
    if (step.contact == Contact::meeting) apart[t] += own;
    behind[t] += own;
    check.whole.*limit = std::max(check.whole.*limit, behind[t] + kInstant);
  }
}

// Whether one comes after the other, for all pairs.
class Order {
 public:
  explicit Order(const Program& program) {
    for (std::size_t t = 0; t < program.size(); ++t) {
      std::vector<bool> before(t);
      for (const std::uint32_t b : program[t].after) {
        before[b] = true;
        for (std::size_t k = 0; k < b; ++k) before[k] = before[k] || before_[b][k];
      }
      before_.push_back(std::move(before));
    }
  }
  bool ordered(std::uint32_t first, std::uint32_t second) const { return before_[second][first]; }

 private:
  std::vector<std::vector<bool>> before_;
};

// In turn one of two steps goes first; side by side both end with the last.
void allow_for_steps_beside(CrossCheck& check, const Program& program, const LinkMeetings& meetings) {
  std::vector<std::uint32_t> meeting;
  for (std::uint32_t t = 0; t < program.size(); ++t)
    if (check.steps[t].contact == Contact::meeting) meeting.push_back(t);
  if (meeting.size() < 2) return;
  const Order order(program);
  std::vector<double> longest(program.size(), 0);
  for (std::size_t i = 0; i < meeting.size(); ++i)
    for (std::size_t k = i + 1; k < meeting.size(); ++k) {
      const std::uint32_t a = meeting[i], b = meeting[k];
      if (order.ordered(a, b) || !meetings.meet(a, b)) continue;
      const double most = std::max(check.steps[a].event, check.steps[b].event).seconds();
      for (const std::uint32_t t : {a, b}) {
        check.steps[t].beside = true;
        longest[t] = std::max(longest[t], most);
      }
    }
  for (std::size_t t = 0; t < program.size(); ++t) check.steps[t].explained_s += longest[t];
}

double common_share(const CrossStep& step) { return step.contact == Contact::meeting ? kMeetingModel : kSameModel; }

double explained_share(const CrossStep& step) { return step.kind ? step.kind->most : common_share(step); }

}  // namespace

double CrossStep::difference() const {
  if (event == Time{}) return simgrid == Time{} ? 0 : 1;
  return simgrid.seconds() / event.seconds() - 1;
}

Verdict CrossStep::verdict() const {
  const double by = std::abs(simgrid.seconds() - event.seconds());
  if (by <= allowed_s) return Verdict::agrees;
  return by <= explained_s ? Verdict::explained : Verdict::disagrees;
}

bool CrossCheck::agrees() const {
  return whole.verdict() != Verdict::disagrees && std::none_of(steps.begin(), steps.end(), [](const CrossStep& s) {
           return s.verdict() == Verdict::disagrees;
         });
}

CrossCheck cross_check(const MachineModel& machine, const Plan& plan, const RunOptions& simgrid,
                       const RunResult& ran) {
  LinkMeetings meetings(machine.fabric(), plan.program);
  const RunResult event = simulate(machine, plan, {.recorder = &meetings, .fold = Fold::off});
  const bool known = ran.engine == simgrid.engine.name;
  const RunResult other = known ? ran : simulate(machine, plan, simgrid);
  CrossCheck check;
  for (std::uint32_t i = 0; i < plan.steps.size(); ++i)
    check.steps.push_back({.contact = meetings.contact(i),
                           .kind = kind_of(meetings, i),
                           .event = event.steps[i].time(),
                           .simgrid = other.steps[i].time()});
  check.whole.event = event.time;
  check.whole.simgrid = other.time;
  for (const CrossStep& step : check.steps) check.whole.contact = std::max(check.whole.contact, step.contact);
  allow(check, plan.program, common_share, &CrossStep::allowed_s);
  allow(check, plan.program, explained_share, &CrossStep::explained_s);
  allow_for_steps_beside(check, plan.program, meetings);
  return check;
}

}  // namespace hopsim

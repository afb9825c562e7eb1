#include "scenarios/strategy_costs.hpp"

#include <algorithm>

#include "scenarios/wiring.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

Time slowest(const ComputeTask& task) {
  return task.busy_of ? *std::max_element(task.busy_of->begin(), task.busy_of->end()) : task.busy;
}

}  // namespace

StrategyCosts::StrategyCosts(const MachineModel& machine, CollectiveOptions options)
    : machine_(machine), steps_(machine), options_(std::move(options)), trials_(machine) {}

// ---- by formula ----

Request StrategyCosts::request(const ResolvedCollective& c) const {
  const auto [known, added] = rows_.try_emplace(c.axes);
  if (added) {
    known->second = steps_.request(c);
    known->second.wiring = wiring_of(machine_, *known->second.row);
    known->second.book = planned_options(options_, known->second).book;
  }
  Request r = known->second;
  r.operation = operation_of(c.kind);
  r.bytes = c.bytes;
  r.chunks = options_.chunks.value_or(1);
  return r;
}

Time StrategyCosts::collective(const ResolvedCollective& c) const {
  Request r = request(c);
  try {
    const Choice choice = choose(options_.algorithm == "best" ? "auto" : options_.algorithm, r, !options_.chunks);
    r.chunks = choice.chunks;
    return modelled_cost(*choice.algorithm, r);
  } catch (const InputError&) {
    return kImpossible;
  }
}

Time StrategyCosts::product(const LocalProduct& p) const {
  return steps_.compute_cost(p.flops, p.bytes, p.dtype).time();
}

StrategyCosts::Collective& StrategyCosts::known(const ResolvedCollective& c) {
  const Key key{c.kind, c.axes, c.bytes.count()};
  const auto found = collectives_.find(key);
  if (found != collectives_.end()) return found->second;
  const Request r = request(c);
  return collectives_.emplace(key, Collective{steps_.collective(r, planned_options(options_, r)), {}}).first->second;
}

std::vector<StrategyCosts::Collective*> StrategyCosts::collectives(const Strategy& s) {
  std::vector<Collective*> all;
  for (const StrategyStep& step : s.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step); c != nullptr && moves_data(*c))
      all.push_back(&known(*c));
  return all;
}

CostedStrategy StrategyCosts::by_formula(const Strategy& s) {
  CostedStrategy costed;
  costed.strategy = s;
  for (const Collective* c : collectives(s))
    costed.closed_form = later(costed.closed_form, c->planned.step.closed_form);
  for (const StrategyStep& step : s.steps)
    if (const auto* p = std::get_if<LocalProduct>(&step)) {
      const ComputeCost cost = steps_.compute_cost(p->flops, p->bytes, p->dtype);
      costed.flops = cost.flops;
      costed.hbm = cost.hbm;
      costed.math = slowest(steps_.product(*p).task);
      costed.closed_form = later(costed.closed_form, cost.time());
    }
  return costed;
}

Time StrategyCosts::lower_bound(const Strategy& s) {
  Time bound = by_formula(s).math;
  for (const Collective* c : collectives(s)) bound = later(bound, c->planned.step.lower_bound);
  return bound;
}

// ---- simulated ----

// A moment of computation behind it starts on each chip as the collective ends there.
void StrategyCosts::simulate(Collective& c) {
  if (c.simulated) return;
  const std::vector<TaskTotals> tasks =
      trials_
          .run({{.work = c.planned.task, .after = {}}, {.work = ComputeTask{Time::picoseconds(1)}, .after = {0}}},
               trials_.folds(c.planned.step))
          .tasks;
  c.alone = tasks[0].end;
  c.uniform = tasks[1].start == c.alone;
  c.simulated = true;
}

// Steps that end on all chips at once follow one another as if each were alone.
void StrategyCosts::simulate(CostedStrategy& costed) {
  const std::vector<Collective*> all = collectives(costed.strategy);
  bool uniform = true;
  Time sum;
  for (Collective* c : all) {
    simulate(*c);
    sum = later(sum, c->alone);
    uniform = uniform && c->uniform;
  }
  costed.comm = sum;
  costed.time = later(sum, costed.math);
  if (uniform && machine_.speeds.empty()) return;
  Program communication, everything;
  const auto push = [](Program& program, auto work) {
    const auto last = static_cast<std::uint32_t>(program.size());
    program.push_back(
        {.work = std::move(work), .after = last == 0 ? std::vector<std::uint32_t>{} : std::vector{last - 1}});
  };
  for (const StrategyStep& step : costed.strategy.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step); c == nullptr) {
      push(everything, steps_.product(std::get<LocalProduct>(step)).task);
    } else if (moves_data(*c)) {
      push(communication, known(*c).planned.task);
      push(everything, known(*c).planned.task);
    }
  if (all.size() > 1) costed.comm = trials_.run(communication, false).end;
  costed.time = trials_.run(everything, false).end;
}

}  // namespace hopsim

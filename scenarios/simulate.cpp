#include "scenarios/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "collectives/proof.hpp"
#include "scenarios/engine_run.hpp"
#include "scenarios/estimate.hpp"
#include "scenarios/measure.hpp"
#include "scenarios/require_memory.hpp"
#include "scenarios/trial_runs.hpp"
#include "sharding/layer_values.hpp"
#include "sharding/values.hpp"
#include "sim/critical_path.hpp"
#include "sim/error.hpp"
#include "sim/machine.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kBusiest = 5;

void prove_all(const MachineModel& machine, const Plan& plan) {
  std::set<const Schedule*> proven;  // equal collectives of a line may share one
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const CollectiveTask* task = plan.steps[i].collective ? collective_of(plan.program[i]) : nullptr;
    if (task != nullptr && proven.insert(task->schedule.get()).second)
      prove(machine.shape, *plan.steps[i].collective, *task->schedule);
  }
  for (const PlannedLine& line : plan.planned_lines)
    std::visit([&](const auto& of) { prove_values(line.strategy, of, machine.mesh); }, line.of);
  for (const Layer& layer : plan.layers) prove_layer(layer, machine.mesh);
}

// `copies`: chips that each simulated one stands for.
StepResult step_result(const PlannedStep& step, const TaskTotals& t, std::uint64_t copies) {
  StepResult r{.step = step,
               .start = t.start,
               .end = t.end,
               .messages = t.messages * copies,
               .hops = t.hops * copies,
               .started = t.started,
               .finished = t.finished};
  if (!step.collective || t.end == t.start || !t.finished) return r;
  const NcclSize nccl = nccl_size(step.collective->operation, step.collective->bytes, step.collective->row->size());
  r.algbw = static_cast<double>(nccl.size.count()) / r.time().seconds();
  r.busbw = r.algbw * nccl.bus_factor;
  return r;
}

bool fold(const TrialRuns& trials, const Plan& plan, const RunOptions& options) {
  if (options.fold == Fold::off) return false;
  std::string obstacle = trials.obstacle(plan);
  if (options.engine.make) obstacle = "only the event engine folds";
  if (options.recorder || options.activity) obstacle = "a trace is of all chips";
  if (options.critical_path) obstacle = "a critical path is looked for among all chips";
  if (options.fold == Fold::on && !obstacle.empty())
    throw InputError("the run cannot be folded: " + obstacle, {}, "--fold auto, off");
  return obstacle.empty();
}

Estimate estimated(const MachineModel& machine, const Plan& plan, const RunOptions& options, bool folded) {
  Estimate e = estimate(machine, plan, folded);
  if (options.engine.seconds) e.seconds = options.engine.seconds(machine, plan, e);
  if (options.critical_path)  // its records, in a vector that grows
    e.bytes += std::min<std::uint64_t>(e.hops, PathRecorder::kMostHops) * sizeof(PathRecorder::Hop) * 3 / 2;
  return e;
}

void check_bound(const StepResult& r, double precision) {
  if (!r.finished) return;
  if (r.time().seconds() < r.step.lower_bound.seconds() * (1 - precision))
    throw BoundBeaten(fmt::format("step {} ({}) took {} us, below its lower bound of {} us", r.step.line, r.step.text,
                                  r.time().seconds() * 1e6, r.step.lower_bound.seconds() * 1e6));
}

void add_critical_path(RunResult& result, EngineRun& run) {
  if (result.partial())
    result.warnings.push_back("no critical path: the run was stopped before its end");
  else if (run.path_overflowed)
    result.warnings.push_back(
        fmt::format("no critical path: more than {} million hops, of which it keeps records in memory",
                    PathRecorder::kMostHops / 1'000'000));
  else
    result.critical_path = std::move(run.critical_path);
}

struct BusyLink {
  Time busy;
  LinkId link;
  friend bool operator<(const BusyLink& a, const BusyLink& b) {
    return a.busy != b.busy ? a.busy > b.busy : a.link < b.link;
  }
};

// The first few of `copies`: the links of the whole box for which this one of a chip that stands for all does.
void unfold(const BusyLink& one, const Shape& folded, const Shape& whole, std::uint64_t copies,
            std::vector<BusyLink>& links) {
  const std::uint32_t port = index(one.link) / folded.chips();
  const Coordinates at = folded.at(ChipId{index(one.link) % folded.chips()});
  for (std::uint32_t k = 0; k < std::min<std::uint64_t>(copies, kBusiest); ++k) {
    Coordinates copy = at;
    std::uint32_t rest = k;
    for (int d = kMaxDimensions; d-- > 0;) {
      const auto n = static_cast<std::uint32_t>(whole.size[d] / folded.placed(d));
      if (n > 1) copy[d] = static_cast<std::int16_t>(rest % n);
      rest /= n;
    }
    links.push_back({one.busy, LinkId{port * whole.chips() + index(whole.chip(copy))}});
  }
}

void add_links(RunResult& result, const MachineModel& machine, const Fabric& ran, std::uint64_t copies,
               const std::vector<Time>& busy) {
  if (result.time == Time{}) return;
  std::vector<BusyLink> links;
  Uint128 sum = 0;  // whole numbers, lest folding shows in a last digit
  std::uint64_t existing = 0;
  for (std::uint32_t l = 0; l < busy.size(); ++l) {
    if (!ran.links[l].exists()) continue;
    existing += copies;
    sum += Uint128{copies} * busy[l].ps();
    const BusyLink one{busy[l], LinkId{l}};
    result.folded ? unfold(one, ran.shape, machine.shape, copies, links) : links.push_back(one);
  }
  const auto top = links.begin() + static_cast<std::ptrdiff_t>(std::min(kBusiest, links.size()));
  std::partial_sort(links.begin(), top, links.end());
  Fabric whole;  // a grid, whose links' names only its shape is asked for
  whole.shape = machine.shape;
  for (auto l = links.begin(); l != top; ++l)
    if (l->busy > Time{})
      result.busiest.push_back(
          {(result.folded ? whole : ran).link_name(l->link), l->busy.seconds() / result.time.seconds()});
  if (existing > 0)
    result.mean_utilization =  // at most 1 but for rounding
        std::min(1.0, static_cast<double>(sum) / 1e12 / static_cast<double>(existing) / result.time.seconds());
  if (!result.busiest.empty()) result.max_utilization = result.busiest.front().utilization;
}

// Of the worst chip, which is any: all do the same.
void add_flops(RunResult& result, const MachineModel& machine) {
  double at_peak = 0;
  for (const StepResult& r : result.steps) {
    if (!r.finished) continue;
    result.flops += r.step.flops.value() * machine.shape.logical_chips();
    at_peak += r.step.seconds_at_peak;
  }
  if (at_peak > 0 && result.time > Time{} && !result.partial()) result.mfu = at_peak / result.time.seconds();
}

std::string fingerprint(const EngineTotals& totals, Time makespan) {
  std::uint64_t z =
      totals.fingerprint ^ makespan.ps() * 0x9e3779b97f4a7c15u ^ totals.messages << 32 ^ totals.link_hops;
  z = (z ^ z >> 31) * 0x94d049bb133111ebu;
  return fmt::format("{:016x}", z ^ z >> 30);
}

}  // namespace

bool RunResult::passed() const {
  return std::none_of(expect.begin(), expect.end(), [](const ExpectResult& e) { return e.failed(); });
}

RunResult simulate(const MachineModel& machine, const Plan& plan, const RunOptions& options) {
  const TrialRuns trials(machine);
  const bool folded = fold(trials, plan, options);
  const Estimate expected = estimated(machine, plan, options, folded);
  if (!options.engine.make) require_memory(machine, plan, trials, expected, options.memory);
  if (options.verify) prove_all(machine, plan);
  if (options.before) options.before(expected);
  const Fabric& fabric = folded ? trials.folded() : machine.fabric();
  const std::uint64_t copies = folded ? machine.shape.logical_chips() / fabric.chips() : 1;
  Activity own(fabric.actors());
  Activity& activity = options.activity ? *options.activity : own;
  EngineRun run = run_engine(fabric, machine.overheads, plan.program, options, activity);

  RunResult result;
  result.wall_seconds = run.wall_seconds;
  result.engine = options.engine.name;
  result.folded = folded;
  result.verified = options.verify;
  result.lines_proven = options.verify ? plan.planned_lines.size() + plan.layers.size() : 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    result.steps.push_back(step_result(plan.steps[i], run.tasks[i], copies));
    check_bound(result.steps.back(), options.engine.precision);
    result.time = std::max(result.time, result.steps.back().end);
  }
  result.totals = run.totals;
  if (run.stop != Stop::none) {
    result.time = run.now;
    result.stopped = Stopped{run.stop, result.totals.events, result.time};
    activity.end_at(result.time);
  }
  result.link_bytes = Bytes(result.totals.link_bytes.count() * copies);
  result.fingerprint = fingerprint(result.totals, result.time);
  measure(activity, fabric.chips(), result);
  add_links(result, machine, fabric, copies, run.link_busy);
  if (!folded) result.link_busy = std::move(run.link_busy);
  add_flops(result, machine);
  result.arrays = plan.arrays;
  result.peak_bytes_per_chip = plan.bytes_per_chip();
  result.warnings = machine.warnings;
  result.warnings.insert(result.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  if (options.critical_path) add_critical_path(result, run);
  result.peak_rss_bytes = run.peak_rss_bytes;
  return result;
}

}  // namespace hopsim

#include "scenarios/simulate.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>

#include "collectives/proof.hpp"
#include "scenarios/measure.hpp"
#include "scenarios/trial_runs.hpp"
#include "sharding/layer_values.hpp"
#include "sharding/values.hpp"
#include "sim/critical_path.hpp"
#include "sim/error.hpp"
#include "sim/event_engine.hpp"
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
  StepResult r{
      .step = step, .start = t.start, .end = t.end, .messages = t.messages * copies, .hops = t.hops * copies};
  if (!step.collective || t.end == t.start) return r;
  const NcclSize nccl = nccl_size(step.collective->operation, step.collective->bytes, step.collective->row->size());
  r.algbw = static_cast<double>(nccl.size.count()) / r.time().seconds();
  r.busbw = r.algbw * nccl.bus_factor;
  return r;
}

std::unique_ptr<Engine> make_engine(const MachineModel& m, const Fabric& fabric, const EngineChoice& choice,
                                    Recorder* recorder, Activity& activity) {
  if (choice.make) return choice.make(fabric, m.overheads, recorder, &activity);
  return std::make_unique<EventEngine>(fabric, m.overheads, recorder, &activity);
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

// Of every link of the whole fabric, from those of the chips that stand for all.
std::vector<Time> unfolded(const std::vector<Time>& busy, const Fabric& folded, const Fabric& whole) {
  std::vector<Time> all(whole.links.size());
  for (std::uint32_t l = 0; l < all.size(); ++l) {
    const ChipId chip = folded.shape.chip(whole.shape.at(ChipId{l % whole.chips()}));
    all[l] = busy[l / whole.chips() * folded.chips() + index(chip)];
  }
  return all;
}

void check_bound(const StepResult& r, double precision) {
  if (r.time().seconds() < r.step.lower_bound.seconds() * (1 - precision))
    throw BoundBeaten(fmt::format("step {} ({}) took {} us, below its lower bound of {} us", r.step.line, r.step.text,
                                  r.time().seconds() * 1e6, r.step.lower_bound.seconds() * 1e6));
}

void add_critical_path(RunResult& result, PathRecorder& recorder, const MachineModel& machine, const Plan& plan) {
  if (recorder.overflowed())
    result.warnings.push_back(
        fmt::format("no critical path: more than {} million hops, of which it keeps records in memory",
                    PathRecorder::kMostHops / 1'000'000));
  else
    result.critical_path = recorder.path(plan.program, machine.overheads);
}

void add_links(RunResult& result, const Fabric& fabric, const std::vector<Time>& busy) {
  if (result.time == Time{}) return;
  std::vector<std::uint32_t> links;
  double sum = 0;
  for (std::uint32_t l = 0; l < busy.size(); ++l)
    if (fabric.links[l].exists()) {
      links.push_back(l);
      sum += busy[l].seconds();
    }
  const auto top = links.begin() + static_cast<std::ptrdiff_t>(std::min(kBusiest, links.size()));
  std::partial_sort(links.begin(), top, links.end(),
                    [&](auto a, auto b) { return busy[a] != busy[b] ? busy[a] > busy[b] : a < b; });
  for (auto l = links.begin(); l != top; ++l)
    if (busy[*l] > Time{})
      result.busiest.push_back({fabric.link_name(LinkId{*l}), busy[*l].seconds() / result.time.seconds()});
  if (!links.empty()) result.mean_utilization = sum / static_cast<double>(links.size()) / result.time.seconds();
  if (!result.busiest.empty()) result.max_utilization = result.busiest.front().utilization;
}

// Of the worst chip, which is any: all do the same.
void add_flops(RunResult& result, const MachineModel& machine, const Plan& plan) {
  double at_peak = 0;
  for (const PlannedStep& s : plan.steps) {
    result.flops += s.flops.value() * machine.shape.logical_chips();
    at_peak += s.seconds_at_peak;
  }
  if (at_peak > 0 && result.time > Time{}) result.mfu = at_peak / result.time.seconds();
}

std::string fingerprint(const EngineTotals& totals, Time makespan) {
  std::uint64_t z =
      totals.fingerprint ^ makespan.ps() * 0x9e3779b97f4a7c15u ^ totals.messages << 32 ^ totals.link_hops;
  z = (z ^ z >> 31) * 0x94d049bb133111ebu;
  return fmt::format("{:016x}", z ^ z >> 30);
}

std::uint64_t peak_rss() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

bool RunResult::passed() const {
  return std::all_of(expect.begin(), expect.end(), [](const ExpectResult& e) { return e.pass(); });
}

RunResult simulate(const MachineModel& machine, const Plan& plan, const RunOptions& options) {
  if (options.verify) prove_all(machine, plan);
  const TrialRuns trials(machine);
  const bool folded = fold(trials, plan, options);
  const Fabric& fabric = folded ? trials.folded() : machine.fabric;
  const std::uint64_t copies = folded ? machine.shape.logical_chips() / fabric.chips() : 1;
  Activity own(fabric.actors());
  Activity& activity = options.activity ? *options.activity : own;
  PathRecorder path(machine.fabric, options.recorder);
  Recorder* const recorder = options.critical_path ? &path : options.recorder;
  const auto engine = make_engine(machine, fabric, options.engine, recorder, activity);
  Machine chips(fabric, *engine, machine.overheads, recorder);
  const auto begin = std::chrono::steady_clock::now();
  chips.run(plan.program);

  RunResult result;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.engine = options.engine.name;
  result.folded = folded;
  result.verified = options.verify;
  result.lines_proven = options.verify ? plan.planned_lines.size() + plan.layers.size() : 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    result.steps.push_back(step_result(plan.steps[i], chips.totals()[i], copies));
    check_bound(result.steps.back(), options.engine.precision);
    result.time = std::max(result.time, result.steps.back().end);
  }
  result.totals = engine->totals();
  result.link_bytes = Bytes(result.totals.link_bytes.count() * copies);
  result.fingerprint = fingerprint(result.totals, result.time);
  measure(activity, fabric.chips(), result);
  add_links(result, machine.fabric,
            folded ? unfolded(engine->link_busy(), fabric, machine.fabric) : engine->link_busy());
  add_flops(result, machine, plan);
  result.arrays = plan.arrays;
  result.peak_bytes_per_chip = plan.bytes_per_chip();
  result.warnings = machine.warnings;
  result.warnings.insert(result.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  if (options.critical_path) add_critical_path(result, path, machine, plan);
  result.peak_rss_bytes = peak_rss();
  return result;
}

}  // namespace hopsim

#include "scenarios/simulate.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "collectives/proof.hpp"
#include "sharding/values.hpp"
#include "sim/event_engine.hpp"
#include "sim/machine.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kBusiest = 5;

void prove_all(const MachineModel& machine, const Plan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].collective)
      prove(machine.shape, *plan.steps[i].collective, *std::get<CollectiveTask>(plan.program[i].work).schedule);
  for (const PlannedLine& line : plan.planned_lines)
    std::visit([&](const auto& of) { prove_values(line.strategy, of, machine.mesh); }, line.of);
}

StepResult step_result(const PlannedStep& step, const TaskTotals& t) {
  StepResult r{.step = step, .start = t.start, .end = t.end, .messages = t.messages, .hops = t.hops};
  if (!step.collective || t.end == t.start) return r;
  const NcclSize nccl = nccl_size(step.collective->operation, step.collective->bytes, step.collective->row->size());
  r.algbw = static_cast<double>(nccl.size.count()) / r.time().seconds();
  r.busbw = r.algbw * nccl.bus_factor;
  return r;
}

std::unique_ptr<Engine> make_engine(const MachineModel& m, const RunOptions& options, Activity& activity) {
  if (options.engine.make) return options.engine.make(m.fabric, m.overheads, options.recorder, &activity);
  return std::make_unique<EventEngine>(m.fabric, m.overheads, options.recorder, &activity);
}

void check_bound(const StepResult& r, double precision) {
  if (r.time().seconds() < r.step.lower_bound.seconds() * (1 - precision))
    throw BoundBeaten(fmt::format("step {} ({}) took {} us, below its lower bound of {} us", r.step.line, r.step.text,
                                  r.time().seconds() * 1e6, r.step.lower_bound.seconds() * 1e6));
}

// The worst chip of each: the one that computes longest, communicates longest, is exposed longest.
void add_activity(RunResult& result, const Activity& activity, std::size_t chips) {
  for (std::size_t c = 0; c < chips; ++c) {
    result.compute = std::max(result.compute, activity.compute[c].total());
    result.comm = std::max(result.comm, activity.communication[c].total());
    result.exposed_comm = std::max(result.exposed_comm, activity.communication[c].without(activity.compute[c]));
  }
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
  Activity activity(machine.fabric.actors());
  const auto engine = make_engine(machine, options, activity);
  Machine chips(machine.fabric, *engine, machine.overheads, options.recorder);
  const auto begin = std::chrono::steady_clock::now();
  chips.run(plan.program);

  RunResult result;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.engine = options.engine.name;
  result.verified = options.verify;
  result.lines_proven = options.verify ? plan.planned_lines.size() : 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    result.steps.push_back(step_result(plan.steps[i], chips.totals()[i]));
    check_bound(result.steps.back(), options.engine.precision);
    result.time = std::max(result.time, result.steps.back().end);
  }
  result.totals = engine->totals();
  result.link_bytes = result.totals.link_bytes;
  result.fingerprint = fingerprint(result.totals, result.time);
  add_activity(result, activity, machine.fabric.chips());
  add_links(result, machine.fabric, engine->link_busy());
  add_flops(result, machine, plan);
  result.arrays = plan.arrays;
  result.peak_bytes_per_chip = plan.bytes_per_chip();
  result.warnings = machine.warnings;
  result.warnings.insert(result.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  result.peak_rss_bytes = peak_rss();
  return result;
}

}  // namespace hopsim

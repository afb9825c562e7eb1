#include "scenarios/step_planner.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/bounds.hpp"
#include "collectives/box_bounds.hpp"
#include "scenarios/choose_by_trying.hpp"
#include "scenarios/wiring.hpp"

namespace hopsim {
namespace {

// Of listed chips of a torus no formula knows the ways, so trying is the cost model.
bool no_formula(const Request& r) {
  return r.wiring.kind == Wiring::Kind::grid && r.row->dimensions().empty() && r.size() > 1 &&
         !is_point_to_point(r.operation);
}

// Of a chip at a share of its speed; rounded up.
Time slowed(Time t, Ratio speed) {
  return Time::picoseconds(
      static_cast<std::uint64_t>((Uint128{t.ps()} * speed.denominator + speed.numerator - 1) / speed.numerator));
}

// What it takes each chip, where some are slow.
std::shared_ptr<const std::vector<Time>> on_slow_chips(const MachineModel& machine, Time time) {
  if (machine.speeds.empty()) return nullptr;
  std::vector<Time> times;
  for (const Ratio& speed : machine.speeds) times.push_back(slowed(time, speed));
  return std::make_shared<const std::vector<Time>>(std::move(times));
}

}  // namespace

CollectiveOptions planned_options(CollectiveOptions options, const Request& request) {
  options.book = options.book && (request.row->dimensions().size() < 2 || request.row->size() <= 4);
  return options;
}

Operation operation_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_gather:
      return Operation::all_gather;
    case CollectiveKind::reduce_scatter:
      return Operation::reduce_scatter;
    case CollectiveKind::all_reduce:
      return Operation::all_reduce;
    case CollectiveKind::all_to_all:
      return Operation::all_to_all;
    case CollectiveKind::slice:
      break;
  }
  throw InputError("a Slice moves nothing");
}

Request StepPlanner::request(const ResolvedCollective& r) const {
  return {.operation = operation_of(r.kind), .row = rows_.over_axes(r.axes, machine_.row_by_row), .bytes = r.bytes};
}

Time StepPlanner::bound(const Request& request) const {
  if (machine_.graph->is_box() && !request.row->dimensions().empty())
    return lower_bound(PlainBox{machine_.shape, machine_.link}, request);
  return lower_bound(machine_.fabric(), request);
}

PlannedTask<CollectiveTask> StepPlanner::collective(Request request, const CollectiveOptions& options) const {
  request.chunks = options.chunks.value_or(1);
  request.book = options.book;
  request.wiring = wiring_of(machine_, *request.row);
  const bool own_chunks = !options.chunks;
  const bool tried = options.algorithm == "best" || (options.algorithm == "auto" && no_formula(request));
  Choice choice =
      tried ? choose_by_trying(machine_, request, own_chunks) : choose(options.algorithm, request, own_chunks);
  request.chunks = choice.chunks;
  PlannedStep step;
  step.kind = name(request.operation);
  step.algorithm = choice.algorithm->name;
  step.considered = std::move(choice.costs);
  step.tried = tried;
  step.formula = choice.algorithm->closed_form(request);
  step.closed_form = Time::picoseconds(static_cast<std::uint64_t>(step.formula.seconds(request.wiring) * 1e12));
  step.lower_bound = bound(request);
  step.collective = request;
  return {std::move(step), collective_task(*choice.algorithm, request)};
}

PlannedTask<CollectiveTask> StepPlanner::collective(const ResolvedCollective& r,
                                                    const CollectiveOptions& options) const {
  PlannedTask<CollectiveTask> task = collective(request(r), options);
  task.step.text = line(StrategyStep(r));
  task.step.axes = r.axes;
  task.step.local_shape = layout(r.output, {}, machine_.mesh).local_shape;
  task.step.output = sharding_text(r.output);
  return task;
}

ComputeCost StepPlanner::compute_cost(Flops flops, Bytes bytes, DType dtype) const {
  const ChipModel& chip = machine_.chip;
  ComputeCost cost;
  if (flops.count() > 0)
    cost.flops = scaled(peak_flops(chip, name(dtype)), chip.flops_efficiency.value).duration(flops);
  if (bytes.count() > 0) {
    if (chip.hbm_bandwidth.value == Bandwidth{})
      throw InputError("this machine has no HBM bandwidth", {}, "machine.overrides: {hbm_bandwidth: 819 GB/s}");
    cost.hbm = chip.hbm_bandwidth.value.duration(bytes);
  }
  return cost;
}

PlannedTask<ComputeTask> StepPlanner::compute(Flops flops, ComputeCost cost, DType dtype) const {
  const Time time = cost.time();
  PlannedStep step;
  step.kind = step.text = "compute";
  step.closed_form = step.lower_bound = time;
  step.flops = flops;
  if (flops.count() > 0) step.seconds_at_peak = peak_flops(machine_.chip, name(dtype)).duration(flops).seconds();
  step.compute = cost;
  return {std::move(step), ComputeTask{time, on_slow_chips(machine_, time)}};
}

PlannedTask<ComputeTask> StepPlanner::product(const LocalProduct& p) const {
  PlannedTask<ComputeTask> task = compute(p.flops, compute_cost(p.flops, p.bytes, p.dtype), p.dtype);
  task.step.kind = "matmul";
  task.step.text = line(p);
  task.step.local_shape = layout(p.output, {}, machine_.mesh, p.dtype).local_shape;
  task.step.output = sharding_text(p.output);
  return task;
}

}  // namespace hopsim

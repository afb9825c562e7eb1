#include "scenarios/build_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/layer_lines.hpp"
#include "scenarios/notation_lines.hpp"
#include "scenarios/row_finder.hpp"
#include "scenarios/step_options.hpp"
#include "scenarios/step_planner.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

class Builder {
 public:
  Builder(const Scenario& scenario, const MachineModel& machine) : scenario_(scenario), machine_(machine) {}

  Plan build() {
    int line = 0;
    for (const ProgramStep& step : scenario_.program) {
      line_ = ++line;
      add(step);
    }
    check_memory();
    if (scenario_.sweep) plan_.warnings.push_back("sweep is left alone: a run is of the base point");
    return std::move(plan_);
  }

 private:
  void add(const ProgramStep& step) {
    try {
      add_action(step);
    } catch (const std::overflow_error& e) {
      throw PlacedError(step.place, e.what());
    }
  }

  void add_action(const ProgramStep& step) {
    if (const auto* s = std::get_if<NotationStep>(&step.action)) return push(notation_.add(*s, line_), s->options);
    if (const auto* s = std::get_if<LayerCall>(&step.action)) return push(layers_.add(*s, line_), s->options);
    if (const auto* s = std::get_if<CollectiveStep>(&step.action)) return add_collective(*s, step);
    if (const auto* s = std::get_if<ComputeStep>(&step.action)) return add_compute(*s, step.place);
    if (const auto* s = std::get_if<LocalMatmulStep>(&step.action)) return add_matmul(*s, step.place);
    if (const auto* s = std::get_if<ParallelStep>(&step.action)) return add_parallel(*s);
    if (const auto* s = std::get_if<HostLoadStep>(&step.action)) return add_host_load(*s, step.place);
    add_barrier();
  }

  // Nothing is ever freed, so this is what a chip holds if all lines' arrays live at once.
  void check_memory() {
    const Bytes capacity = machine_.chip.hbm_capacity.value, held = plan_.bytes_per_chip();
    if (capacity > Bytes{} && held > capacity && !notation_.too_large())
      plan_.warnings.push_back("all arrays together need " + too_much(held, capacity));
  }

  // --- operations ---
  void add_collective(const CollectiveStep& call, const ProgramStep& step) {
    const Operation operation = *operation_named(call.operation);
    std::vector<std::string> names;
    for (const auto& [axis, size] : machine_.mesh.axes()) names.push_back(axis);
    const auto axes = call.axis             ? resolve_axes(*call.axis, names)
                      : call.groups.empty() ? names
                                            : std::vector<std::string>{};
    PlannedStep planned;
    planned.text = call.groups.empty() ? fmt::format("{} over {}", title(operation), axes_text(axes))
                                       : fmt::format("{} in {} {}", title(operation), call.groups.size(),
                                                     call.groups.size() == 1 ? "group" : "groups");
    planned.axes = axes;
    Request request{.operation = operation, .row = rows_.row(call, axes), .bytes = call.bytes.value};
    if (is_point_to_point(operation)) request.pairs = rows_.pairs(call, *request.row);
    if (call.root && !is_rooted(operation)) throw PlacedError(call.root->place, call.operation + " has no root");
    if (call.root) request.root = rows_.root(*call.root, *request.row);
    if (call.paths) request.paths = call.paths->value;
    run_collective(std::move(planned), std::move(request), call.options, step.place);
  }

  void run_collective(PlannedStep planned, Request request, const StepOptions& options, const FilePlace& place) {
    auto task =
        blaming(options, place, [&] { return planner_.collective(std::move(request), collective_options(options)); });
    task.step.text = std::move(planned.text);
    task.step.axes = std::move(planned.axes);
    push(std::move(task.step), std::move(task.task));
  }

  // --- computation ---
  void add_compute(const ComputeStep& s, const FilePlace& place) {
    PlannedTask<ComputeTask> task =
        computation(s.flops ? s.flops->value : Flops{}, s.bytes ? s.bytes->value : Bytes{}, s.dtype, place);
    if (s.time) {
      task = planner_.compute(Flops{}, {.flops = s.time->value, .hbm = {}}, dtype_of(s.dtype));
      task.step.compute.reset();
    }
    push(std::move(task.step), std::move(task.task));
  }

  // Every operand is read once from HBM and the result written once.
  void add_matmul(const LocalMatmulStep& s, const FilePlace& place) {
    const Uint128 m = s.m.value, n = s.n.value, k = s.k.value;
    if (m * n >> 62 || m * k >> 62 || k * n >> 62)
      throw PlacedError(place, "the matmul is too large", {}, "operands of less than 2^62 elements");
    const Uint128 elements = m * k + k * n + m * n;
    const Uint128 bytes = (elements * static_cast<Uint128>(bits(dtype_of(s.dtype))) + 7) / 8;
    if (bytes >> 63) throw PlacedError(place, "the matmul is too large");
    auto task = computation(Flops(2 * m * n * k), Bytes(static_cast<std::uint64_t>(bytes)), s.dtype, place);
    task.step.kind = "matmul";
    task.step.text = fmt::format("matmul {} x {} x {}", s.m.value, s.k.value, s.n.value);
    push(std::move(task.step), std::move(task.task));
  }

  PlannedTask<ComputeTask> computation(Flops flops, Bytes bytes, const std::optional<Placed<DType>>& dtype,
                                       const FilePlace& place) const {
    try {
      const DType type = dtype_of(dtype);
      return planner_.compute(flops, planner_.compute_cost(flops, bytes, type), type);
    } catch (const InputError& e) {
      throw PlacedError(dtype ? dtype->place : place, e);
    }
  }

  DType dtype_of(const std::optional<Placed<DType>>& given) const {
    return given ? given->value : scenario_.dtype.value;
  }

  // A chip's PCIe takes its loads one after the other, also those of branches that run at once.
  void add_host_load(const HostLoadStep& s, const FilePlace& place) {
    const auto& pcie = machine_.chip.pcie_bandwidth;
    if (!pcie)
      throw PlacedError(place, fmt::format("no PCIe bandwidth of {} is known", machine_.name), {},
                        "machine.overrides: {pcie_bandwidth: 16 GB/s}");
    PlannedStep planned;
    planned.kind = "host_load";
    planned.text = fmt::format("load {} from the host", format_bytes(s.bytes.value));
    planned.closed_form = planned.lower_bound = pcie->value.duration(s.bytes.value);
    if (last_load_ && std::find(after_.begin(), after_.end(), *last_load_) == after_.end())
      after_.push_back(*last_load_);
    const Time time = planned.closed_form;
    push(std::move(planned), HostLoadTask{time});
    last_load_ = after_.front();
  }

  // --- order ---
  void add_parallel(const ParallelStep& p) {
    const auto fork = after_;
    std::vector<std::uint32_t> ends;
    for (const ProgramStep& branch : p.steps) {
      after_ = fork;
      add(branch);
      ends.insert(ends.end(), after_.begin(), after_.end());
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    after_ = std::move(ends);
  }

  void add_barrier() {
    PlannedStep planned;
    planned.text = planned.kind = "barrier";
    push(std::move(planned), BarrierTask{});
  }

  void warn_of_book(const std::vector<PlannedWork>& line, const StepOptions& options) {
    if (!options.schedule || options.schedule->value != StepSchedule::book) return;
    for (const PlannedWork& w : line)
      if (w.step.collective && !w.step.collective->book)
        return plan_.warnings.push_back(
            fmt::format("step {}: schedule: book is for one axis; {} takes the optimal one", line_, w.step.text));
  }

  // What nothing of the line comes after are its ends.
  void push(std::vector<PlannedWork> line, const StepOptions& options) {
    if (line.empty()) return;
    warn_of_book(line, options);
    const auto first = static_cast<std::uint32_t>(plan_.program.size());
    const auto before = after_;
    std::vector<bool> followed(line.size());
    for (PlannedWork& w : line) {
      after_ = before;
      if (!w.after.empty()) after_.clear();
      for (const std::uint32_t i : w.after) {
        after_.push_back(first + i);
        followed[i] = true;
      }
      push(std::move(w.step), std::move(w.task));
    }
    after_.clear();
    for (std::uint32_t i = 0; i < followed.size(); ++i)
      if (!followed[i]) after_.push_back(first + i);
  }

  void push(PlannedStep planned, decltype(Task::work) work) {
    planned.line = line_;
    plan_.program.push_back({.work = std::move(work), .after = after_});
    plan_.steps.push_back(std::move(planned));
    after_ = {static_cast<std::uint32_t>(plan_.program.size() - 1)};
  }

  const Scenario& scenario_;
  const MachineModel& machine_;
  const RowFinder rows_{machine_};
  const StepPlanner planner_{machine_};
  Plan plan_;
  NotationLines notation_{scenario_, planner_, plan_};
  LayerLines layers_{scenario_, planner_, plan_};
  std::vector<std::uint32_t> after_;        // what the next step comes after
  std::optional<std::uint32_t> last_load_;  // from the host
  int line_ = 0;
};

}  // namespace

Plan build_plan(const Scenario& scenario, const MachineModel& machine) { return Builder(scenario, machine).build(); }

}  // namespace hopsim

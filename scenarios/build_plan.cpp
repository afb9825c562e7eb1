#include "scenarios/build_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/bounds.hpp"
#include "scenarios/choose_by_trying.hpp"
#include "scenarios/row_finder.hpp"
#include "scenarios/wiring.hpp"
#include "sharding/collective_step.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

[[noreturn]] void refuse(const FilePlace& place, const std::string& what) {
  throw PlacedError(place, what + " is not supported yet");
}

// Where the character at `column` (from 1) of a line of notation stands in its file.
FilePlace place_in(const NotationStep& step, int column) {
  const std::string& text = step.text.value;
  std::size_t byte = 0;
  for (int c = 1; byte < text.size() && c < column; ++c) do
      ++byte;
    while (byte < text.size() && (text[byte] & 0xc0) == 0x80);
  return step.source.place_of(byte);
}

Operation operation_of(CollectiveKind kind, const FilePlace& place) {
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
  refuse(place, "a Slice by itself");
}

// Of a chip at a share of its speed; rounded up.
Time slowed(Time t, Ratio speed) {
  return Time::picoseconds(
      static_cast<std::uint64_t>((Uint128{t.ps()} * speed.denominator + speed.numerator - 1) / speed.numerator));
}

class Builder {
 public:
  Builder(const Scenario& scenario, const MachineModel& machine) : scenario_(scenario), machine_(machine) {
    for (const NamedSize& d : scenario.dims) sizes_[d.name] = d.size;
  }

  Plan build() {
    int line = 0;
    for (const ProgramStep& step : scenario_.program) {
      line_ = ++line;
      add(step);
    }
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
    if (const auto* s = std::get_if<NotationStep>(&step.action)) return add_notation(*s, step.place);
    if (const auto* s = std::get_if<CollectiveStep>(&step.action)) return add_collective(*s, step);
    if (const auto* s = std::get_if<ComputeStep>(&step.action)) return add_compute(*s, step.place);
    if (const auto* s = std::get_if<LocalMatmulStep>(&step.action)) return add_matmul(*s, step.place);
    if (const auto* s = std::get_if<ParallelStep>(&step.action)) return add_parallel(*s);
    if (std::holds_alternative<BarrierStep>(step.action)) return add_barrier();
    refuse(step.place, step.kind);
  }

  // --- notation ---
  void add_notation(const NotationStep& step, const FilePlace& place) {
    try {
      const Statement statement = parse(step.text.value, machine_.mesh.names());
      add_inline_sizes(statement, sizes_);
      if (const auto* c = std::get_if<Collective>(&statement)) return add_collective_line(*c, step, print(statement));
      if (const auto* d = std::get_if<Declaration>(&statement)) return define(with_sizes(d->array, sizes_));
    } catch (const NotationError& e) {
      throw PlacedError(place_in(step, e.column()), e);
    } catch (const PlacedError&) {
      throw;
    } catch (const InputError& e) {
      throw PlacedError(place, e);
    }
    refuse(place, "this kind of line (matmuls and elementwise steps come later)");
  }

  void add_collective_line(const Collective& c, const NotationStep& step, std::string text) {
    const ResolvedCollective r = collective_step(
        c, {.mesh = machine_.mesh, .sizes = sizes_, .dtype = scenario_.dtype.value, .arrays = arrays_});
    define(r.input);
    define(r.output);
    PlannedStep planned;
    planned.line = line_;
    planned.text = std::move(text);
    planned.axes = r.axes;
    planned.local_shape = layout(r.output, sizes_, machine_.mesh, scenario_.dtype.value).local_shape;
    planned.output = sharding_text(r.output);
    Request request{.operation = operation_of(r.kind, step.text.place),
                    .row = rows_.over_axes(r.axes, machine_.row_by_row),
                    .bytes = r.bytes};
    run_collective(std::move(planned), std::move(request), step.options, step.text.place);
    if (r.padded) plan_.warnings.push_back(fmt::format("step {}: shards do not divide evenly and are padded", line_));
  }

  static std::string sharding_text(ArrayRef a) {
    for (Dimension& d : a.dimensions)
      if (!d.name.empty()) d.size.reset();
    a.dtype.reset();
    return print(a);
  }

  void define(const ArrayRef& array) {
    if (!array.name.empty()) arrays_[array.name] = array;
    HeldArray held{array.name, sharding_text(array), layout(array, sizes_, machine_.mesh, scenario_.dtype.value)};
    const auto same = [&](const HeldArray& a) { return a.sharding == held.sharding; };
    if (std::none_of(plan_.arrays.begin(), plan_.arrays.end(), same)) plan_.arrays.push_back(std::move(held));
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
    planned.line = line_;
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
    request.chunks = options.chunks ? options.chunks->value : 1;
    request.book = options.schedule && options.schedule->value == StepSchedule::book;
    request.wiring = wiring_of(machine_, *request.row);
    const FilePlace& blame = options.algorithm ? options.algorithm->place
                             : options.chunks  ? options.chunks->place
                                               : place;
    const std::string name = options.algorithm ? options.algorithm->value : "auto";
    try {
      // Of listed chips of a torus no formula knows the ways, so trying is the cost model.
      const bool tried = name == "best" || (name == "auto" && request.wiring.kind == Wiring::Kind::grid &&
                                            request.row->dimensions().empty() && request.size() > 1 &&
                                            !is_point_to_point(request.operation));
      Choice choice =
          tried ? choose_by_trying(machine_, request, !options.chunks) : choose(name, request, !options.chunks);
      request.chunks = choice.chunks;
      planned.algorithm = choice.algorithm->name;
      planned.considered = std::move(choice.costs);
      planned.tried = tried;
      planned.formula = choice.algorithm->closed_form(request);
      planned.closed_form =
          Time::picoseconds(static_cast<std::uint64_t>(planned.formula.seconds(request.wiring) * 1e12));
      planned.lower_bound = lower_bound(machine_.fabric, request);
      planned.kind = hopsim::name(request.operation);
      planned.collective = request;
      push(std::move(planned), collective_task(*choice.algorithm, request));
    } catch (const PlacedError&) {
      throw;
    } catch (const InputError& e) {
      throw PlacedError(blame, e);
    }
  }

  // --- computation ---
  void add_compute(const ComputeStep& s, const FilePlace& place) {
    const Flops flops = s.flops ? s.flops->value : Flops{};
    const Time time = s.time ? s.time->value : roofline(flops, s.bytes ? s.bytes->value : Bytes{}, s.dtype, place);
    push_compute("compute", "compute", flops, at_peak(flops, s.dtype, place), time);
  }

  // Every operand is read once from HBM and the result written once.
  void add_matmul(const LocalMatmulStep& s, const FilePlace& place) {
    const Uint128 m = s.m.value, n = s.n.value, k = s.k.value;
    if (m * n >> 62 || m * k >> 62 || k * n >> 62)
      throw PlacedError(place, "the matmul is too large", {}, "operands of less than 2^62 elements");
    const Uint128 elements = m * k + k * n + m * n;
    const Uint128 bytes =
        (elements * static_cast<Uint128>(bits(s.dtype ? s.dtype->value : scenario_.dtype.value)) + 7) / 8;
    if (bytes >> 63) throw PlacedError(place, "the matmul is too large");
    const Flops flops(2 * m * n * k);
    push_compute("matmul", fmt::format("matmul {} x {} x {}", s.m.value, s.k.value, s.n.value), flops,
                 at_peak(flops, s.dtype, place),
                 roofline(flops, Bytes(static_cast<std::uint64_t>(bytes)), s.dtype, place));
  }

  // max(FLOPs / (peak x efficiency), bytes / HBM bandwidth).
  Time roofline(Flops flops, Bytes bytes, const std::optional<Placed<DType>>& dtype, const FilePlace& place) const {
    const ChipModel& chip = machine_.chip;
    Time math, memory;
    if (flops.count() > 0) math = scaled(peak(dtype, place), chip.flops_efficiency.value).duration(flops);
    if (bytes.count() > 0) {
      if (chip.hbm_bandwidth.value == Bandwidth{})
        throw PlacedError(place, "this machine has no HBM bandwidth", {},
                          "machine.overrides: {hbm_bandwidth: 819 GB/s}");
      memory = chip.hbm_bandwidth.value.duration(bytes);
    }
    return std::max(math, memory);
  }

  FlopRate peak(const std::optional<Placed<DType>>& dtype, const FilePlace& place) const {
    try {
      return peak_flops(machine_.chip, name(dtype ? dtype->value : scenario_.dtype.value));
    } catch (const InputError& e) {
      throw PlacedError(dtype ? dtype->place : place, e);
    }
  }

  double at_peak(Flops flops, const std::optional<Placed<DType>>& dtype, const FilePlace& place) const {
    return flops.count() > 0 ? peak(dtype, place).duration(flops).seconds() : 0;
  }

  void push_compute(std::string kind, std::string text, Flops flops, double seconds_at_peak, Time time) {
    PlannedStep planned;
    planned.line = line_;
    planned.text = std::move(text);
    planned.kind = std::move(kind);
    planned.closed_form = planned.lower_bound = time;
    planned.flops = flops;
    planned.seconds_at_peak = seconds_at_peak;
    push(std::move(planned), ComputeTask{time, on_slow_chips(time)});
  }

  // What it takes each chip, where some are slow.
  std::shared_ptr<const std::vector<Time>> on_slow_chips(Time time) const {
    if (machine_.speeds.empty()) return nullptr;
    std::vector<Time> times;
    for (const Ratio& speed : machine_.speeds) times.push_back(slowed(time, speed));
    return std::make_shared<const std::vector<Time>>(std::move(times));
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
    planned.line = line_;
    planned.text = planned.kind = "barrier";
    push(std::move(planned), BarrierTask{});
  }

  void push(PlannedStep planned, decltype(Task::work) work) {
    plan_.program.push_back({.work = std::move(work), .after = after_});
    plan_.steps.push_back(std::move(planned));
    after_ = {static_cast<std::uint32_t>(plan_.program.size() - 1)};
  }

  const Scenario& scenario_;
  const MachineModel& machine_;
  const RowFinder rows_{machine_};
  Plan plan_;
  Sizes sizes_;
  Arrays arrays_;
  std::vector<std::uint32_t> after_;  // what the next step comes after
  int line_ = 0;
};

}  // namespace

Plan build_plan(const Scenario& scenario, const MachineModel& machine) { return Builder(scenario, machine).build(); }

}  // namespace hopsim

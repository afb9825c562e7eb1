#include "scenarios/notation_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/overlapped_plan.hpp"
#include "scenarios/step_options.hpp"
#include "sharding/array_lines.hpp"

namespace hopsim {
namespace {

// Where the character at `column` (from 1) of a line of notation stands in its file.
FilePlace place_in(const NotationStep& step, int column) {
  const std::string& text = step.text.value;
  std::size_t byte = 0;
  for (int c = 1; byte < text.size() && c < column; ++c) do
      ++byte;
    while (byte < text.size() && (text[byte] & 0xc0) == 0x80);
  return step.source.place_of(byte);
}

template <class Option>
void refuse_option(const std::optional<Option>& option, const char* name, const char* what) {
  if (option) throw PlacedError(option->place, fmt::format("{} has no {}", what, name), name);
}

void refuse_collective_options(const StepOptions& o, const char* what) {
  refuse_option(o.algorithm, "algorithm", what);
  refuse_option(o.chunks, "chunks", what);
  refuse_option(o.schedule, "schedule", what);
}

void refuse_product_options(const StepOptions& o, const char* what) {
  refuse_option(o.plan, "plan", what);
  refuse_option(o.overlap, "overlap", what);
}

PlanOptions plan_options(const StepOptions& o) {
  PlanOptions options;
  options.collectives = collective_options(o);
  if (o.plan && o.plan->value != "auto")
    options.kind = o.plan->value == "gather" ? PlanKind::gather : PlanKind::partial;
  return options;
}

bool same_array(const HeldArray& a, const HeldArray& b) {
  return a.of_layer == b.of_layer && a.sharding == b.sharding && a.layout.dtype == b.layout.dtype &&
         a.layout.global_shape == b.layout.global_shape;
}

std::vector<std::string> names_of(const ArrayRef& a) {
  std::vector<std::string> names;
  for (const Dimension& d : a.dimensions) names.push_back(d.name);
  return names;
}

bool overlaps(const PlannedWork& w) { return w.step.kind == "collective_matmul" || !w.step.piece.empty(); }

// Names of arrays that some line sums up by their bare name: AllReduce(Z_partial). Lines that cannot be read are for
// whoever adds them to refuse.
void add_summed(const std::vector<ProgramStep>& program, const AxisNames& axes, std::set<std::string>& names) {
  for (const ProgramStep& step : program) {
    if (const auto* p = std::get_if<ParallelStep>(&step.action)) add_summed(p->steps, axes, names);
    const auto* line = std::get_if<NotationStep>(&step.action);
    if (line == nullptr) continue;
    try {
      const Statement statement = parse(line->text.value, axes);
      const auto* c = std::get_if<Collective>(&statement);
      if (c != nullptr && c->input.bare &&
          (c->kind == CollectiveKind::all_reduce || c->kind == CollectiveKind::reduce_scatter))
        names.insert(c->input.name);
    } catch (const InputError&) {
    }
  }
}

// Axes that both operands have on a contracted dimension: over these a chip's product is a partial sum.
std::vector<std::string> partial_axes(const Product& p) {
  std::vector<std::string> axes;
  for (const Dimension& d : p.lhs.dimensions)
    for (const Dimension& e : p.rhs.dimensions)
      if (d.name == e.name && p.dimension(d.name).role == Role::contracted)
        for (const std::string& axis : d.axes)
          if (std::find(e.axes.begin(), e.axes.end(), axis) != e.axes.end()) axes.push_back(axis);
  return axes;
}

// The ways that end as asked, and the one taken.
std::vector<ConsideredStrategy> considered(const StrategyPlan& p) {
  std::vector<ConsideredStrategy> list;
  for (std::size_t i = 0; i < p.strategies.size(); ++i)
    if (const CostedStrategy& s = p.strategies[i]; s.strategy.as_asked || i == p.chosen)
      list.push_back({s.strategy.name, s.time, s.fits});
  return list;
}

}  // namespace

std::string too_much(Bytes needed, Bytes capacity) {
  const auto gb = [](Bytes b) { return static_cast<double>(b.count()) / 1e9; };
  return fmt::format("{:.4g} GB a chip, which has {:.4g} GB of memory", gb(needed), gb(capacity));
}

NotationLines::NotationLines(const Scenario& scenario, const StepPlanner& planner, Plan& plan)
    : scenario_(scenario), planner_(planner), plan_(plan) {
  for (const NamedSize& d : scenario.dims) sizes_[d.name] = d.size;
  add_summed(scenario.program, machine().mesh.names(), summed_later_);
}

std::vector<PlannedWork> NotationLines::add(const NotationStep& step, int number) {
  try {
    const Statement statement = parse(step.text.value, machine().mesh.names());
    if (step.matmul && !std::holds_alternative<Matmul>(statement))
      throw NotationError(1, "matmul needs a product", print(statement), "C[I, K] = A[I, J] * B[J, K]");
    add_inline_sizes(statement, sizes_);
    Line line{step, number, print(statement), {}};
    std::visit([&](const auto& s) { add(line, s); }, statement);
    return std::move(line.work);
  } catch (const NotationError& e) {
    throw PlacedError(place_in(step, e.column()), e);
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(step.text.place, e);
  }
}

void NotationLines::add(Line& line, const Declaration& d) {
  refuse_collective_options(line.step.options, "a declaration");
  refuse_product_options(line.step.options, "a declaration");
  ArrayRef array = with_sizes(d.array, sizes_);
  array.dtype = array.dtype.value_or(scenario_.dtype.value);
  made_.erase(array.name);
  make(line, array);
}

void NotationLines::add(Line& line, const Collective& c) {
  refuse_product_options(line.step.options, "a collective");
  const ResolvedCollective r = collective_step(c, context());
  use(line, r.input);
  make(line, r.output);
  if (r.padded) {  // blocks may not line up, which the proof on values finds
    Strategy alone;
    alone.name = line.text;
    alone.steps = {r};
    alone.output = r.output;
    plan_.planned_lines.push_back({line.number, std::move(alone), r.input});
  }
  if (r.kind == CollectiveKind::slice)
    refuse_collective_options(line.step.options, "a Slice, which moves nothing,");
  else
    add_collective(line, r, line.text, false);
}

void NotationLines::add(Line& line, const Elementwise& e) {
  refuse_collective_options(line.step.options, "an elementwise step");
  refuse_product_options(line.step.options, "an elementwise step");
  const ResolvedElementwise r = elementwise_step(e, context());
  for (const ArrayRef& input : r.inputs) use(line, input);
  make(line, r.output);
  auto task = planner_.compute(Flops{}, planner_.compute_cost(Flops{}, r.bytes, *r.output.dtype), *r.output.dtype);
  task.step.kind = "elementwise";
  task.step.text = line.text;
  task.step.local_shape = layout(r.output, {}, machine().mesh).local_shape;
  task.step.output = sharding_text(r.output);
  line.push(std::move(task));
}

void NotationLines::add(Line& line, const Matmul& m) {
  const StepOptions& o = line.step.options;
  Product product = resolve_product(m, context());
  if (product.output.unreduced.empty() && summed_later_.count(product.output.name) > 0)
    product.output.unreduced = partial_axes(product);
  use(line, product.lhs);
  use(line, product.rhs);
  const Overlap overlap = overlap_of(o);
  const StrategyPlan p = blaming(o, line.step.text.place, [&] {
    PlanOptions options = plan_options(o);
    if (overlap != Overlap::none) options.collectives.chunks.reset();  // they are those of the pair
    return plan_product(machine(), product, options);
  });
  if (overlap == Overlap::none) {
    add_strategy(line, p, product);
  } else if (!add_overlapped(line, p, product)) {
    NotationStep in_turn = line.step;
    in_turn.options.chunks.reset();
    Line without{in_turn, line.number, line.text, {}};
    add_strategy(without, p, product);
    line.work = std::move(without.work);
  }
  if (!line.work.empty()) line.work.front().step.product_case = classify(product).number;
}

void NotationLines::add(Line& line, const Reshard& s) {
  const StepOptions& o = line.step.options;
  refuse_product_options(o, "a resharding");
  const ResolvedResharding r = resharding_step(s, context());
  use(line, r.from);
  const StrategyPlan p =
      blaming(o, line.step.text.place, [&] { return plan_resharding(machine(), r.from, r.to, plan_options(o)); });
  add_strategy(line, p, r.from);
}

void NotationLines::add_collective(Line& line, const ResolvedCollective& r, std::string text, bool planned) {
  auto task = blaming(line.step.options, line.step.text.place, [&] {
    const CollectiveOptions options = collective_options(line.step.options);
    return planner_.collective(r, planned ? planned_options(options, planner_.request(r)) : options);
  });
  task.step.text = std::move(text);
  line.push(std::move(task));
}

// Whether some way is overlapped; with `overlap: auto` also whether that is faster than the best that is not.
bool NotationLines::add_overlapped(Line& line, const StrategyPlan& p, const Product& product) {
  const StepOptions& o = line.step.options;
  const bool must = overlap_of(o) == Overlap::collective_matmul;
  auto best = blaming(o, line.step.text.place,
                      [&] { return plan_overlapped(planner_, p, collective_options(o), must || o.chunks); });
  if (!best && must)
    throw PlacedError(o.overlap->place, "no way of doing this product has an AllGather before it, or a sum behind it",
                      o.overlap->value, "overlap: none, auto, or another plan or sharding");
  if (!best || (!must && best->time >= p.best().time)) return false;
  const Strategy& strategy = p.strategies[best->strategy].strategy;
  for (const StrategyStep& s : strategy.steps) hold(line, s);
  line.work = std::move(best->work);
  finish_strategy(line, p, best->strategy, product);
  PlannedStep& first = line.work.front().step;
  if (std::none_of(line.work.begin(), line.work.end(), overlaps)) return true;
  for (PlannedWork& w : line.work) w.step.strategy += ", overlapped";
  first.strategies.insert(first.strategies.begin(), {first.strategy, best->time, true});
  return true;
}

void NotationLines::hold(Line& line, const StrategyStep& s) {
  for_each_array(s, [&](const ArrayRef& a) { hold(line, a); });
}

void NotationLines::add_strategy(Line& line, const StrategyPlan& p, std::variant<Product, ArrayRef> of) {
  const Strategy& strategy = p.best().strategy;
  for (const StrategyStep& s : strategy.steps) {
    hold(line, s);
    const auto* c = std::get_if<ResolvedCollective>(&s);
    if (c == nullptr)
      line.push(planner_.product(std::get<LocalProduct>(s)));
    else if (moves_data(*c))
      add_collective(line, *c, hopsim::line(s), true);
  }
  finish_strategy(line, p, p.chosen, std::move(of));
}

void NotationLines::finish_strategy(Line& line, const StrategyPlan& p, std::size_t chosen,
                                    std::variant<Product, ArrayRef> of) {
  const Strategy& strategy = p.strategies[chosen].strategy;
  make(line, strategy.output);
  for (PlannedWork& w : line.work) w.step.strategy = strategy.name;
  if (!line.work.empty()) line.work.front().step.strategies = considered(p);
  if (!p.chosen_fits) warn_of_size(line, strategy);
  plan_.planned_lines.push_back({line.number, strategy, std::move(of)});
}

void NotationLines::warn_of_size(const Line& line, const Strategy& strategy) {
  too_large_ = true;
  plan_.warnings.push_back(fmt::format("step {}: {} needs {}", line.number, strategy.name,
                                       too_much(strategy.bytes_per_chip, machine().chip.hbm_capacity.value)));
}

void NotationLines::use(Line& line, const ArrayRef& array) {
  const auto made = made_.find(array.name);
  const std::string now = sharding_text(array);
  if (!array.name.empty() && made != made_.end() && made->second.dimensions == names_of(array) &&
      std::find(made->second.shardings.begin(), made->second.shardings.end(), now) == made->second.shardings.end())
    throw NotationError(array.place.column, array.name + " is not there in this sharding", now,
                        fmt::format("{}, as line {} of the program left it; an AllReduce, AllGather or Slice first",
                                    made->second.shardings.back(), made->second.line));
  define(line, array);
}

void NotationLines::make(Line& line, const ArrayRef& array) {
  Made& made = made_[array.name];
  if (made.dimensions != names_of(array)) made = {names_of(array), {}, 0};
  // What it was before the line is there still.
  if (const auto before = arrays_.find(array.name);
      before != arrays_.end() && names_of(before->second) == made.dimensions)
    made.shardings.push_back(sharding_text(before->second));
  made.shardings.push_back(sharding_text(array));
  made.line = line.number;
  define(line, array);
}

void NotationLines::hold(Line& line, const ArrayRef& array) {
  HeldArray held{array.name, sharding_text(array), layout(array, {}, machine().mesh)};
  const std::string padded = fmt::format("step {}: shards do not divide evenly and are padded", line.number);
  if (held.layout.padded && std::find(plan_.warnings.begin(), plan_.warnings.end(), padded) == plan_.warnings.end())
    plan_.warnings.push_back(padded);
  const auto same = [&](const HeldArray& a) { return same_array(a, held); };
  if (std::none_of(plan_.arrays.begin(), plan_.arrays.end(), same)) plan_.arrays.push_back(std::move(held));
}

void NotationLines::define(Line& line, const ArrayRef& array) {
  if (!array.name.empty()) arrays_[array.name] = array;
  hold(line, array);
}

ArrayContext NotationLines::context() const {
  return {.mesh = machine().mesh, .sizes = sizes_, .dtype = scenario_.dtype.value, .arrays = arrays_};
}

}  // namespace hopsim

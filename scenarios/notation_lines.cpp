#include "scenarios/notation_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  return a.sharding == b.sharding && a.layout.dtype == b.layout.dtype &&
         a.layout.global_shape == b.layout.global_shape;
}

std::vector<std::string> names_of(const ArrayRef& a) {
  std::vector<std::string> names;
  for (const Dimension& d : a.dimensions) names.push_back(d.name);
  return names;
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
  line.work.push_back({std::move(task.step), std::move(task.task)});
}

void NotationLines::add(Line& line, const Matmul& m) {
  const StepOptions& o = line.step.options;
  if (o.overlap && o.overlap->value == "collective_matmul")
    throw PlacedError(o.overlap->place, "overlap: collective_matmul is not supported yet", {}, "none, auto");
  const Product product = resolve_product(m, context());
  use(line, product.lhs);
  use(line, product.rhs);
  const StrategyPlan p =
      blaming(o, line.step.text.place, [&] { return plan_product(machine(), product, plan_options(o)); });
  add_strategy(line, p, product);
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
    const Request request = planner_.request(r);
    const CollectiveOptions options = collective_options(line.step.options);
    return planner_.collective(request, planned ? planned_options(options, request) : options);
  });
  task.step.text = std::move(text);
  task.step.axes = r.axes;
  task.step.local_shape = layout(r.output, {}, machine().mesh).local_shape;
  task.step.output = sharding_text(r.output);
  line.work.push_back({std::move(task.step), std::move(task.task)});
}

void NotationLines::add_strategy(Line& line, const StrategyPlan& p, std::variant<Product, ArrayRef> of) {
  const Strategy& strategy = p.best().strategy;
  for (const StrategyStep& s : strategy.steps) {
    if (const auto* c = std::get_if<ResolvedCollective>(&s)) {
      hold(line, c->input);
      hold(line, c->output);
      if (moves_data(*c)) add_collective(line, *c, hopsim::line(s), true);
      continue;
    }
    const auto& local = std::get<LocalProduct>(s);
    for (const ArrayRef* a : {&local.lhs, &local.rhs, &local.output}) hold(line, *a);
    auto task = planner_.product(local);
    line.work.push_back({std::move(task.step), std::move(task.task)});
  }
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

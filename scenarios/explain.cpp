#include "scenarios/explain.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/explain_duality.hpp"
#include "scenarios/explain_line.hpp"
#include "scenarios/explain_notes.hpp"
#include "scenarios/strategy_costs.hpp"
#include "sharding/array_lines.hpp"
#include "sharding/partition_spec.hpp"
#include "sharding/values.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

using Names = std::vector<std::string>;

Statement parsed(const ExplainQuestion& q) {
  if (q.machine != nullptr) return parse(q.line, q.machine->mesh.names());
  return parse(q.line, q.mesh ? q.mesh->names() : AxisNames::any());
}

// What the machine lacks for the line (a peak, memory) is an error of the line.
template <class Answer>
auto on_the_machine(Answer answer) {
  try {
    return answer();
  } catch (const NotationError&) {
    throw;
  } catch (const InputError& e) {
    throw NotationError(1, e.what());
  }
}

class Explainer {
 public:
  explicit Explainer(const ExplainQuestion& question) : question_(question), statement_(parsed(question)) {
    mesh_ = question.machine ? question.machine->mesh : question.mesh ? *question.mesh : mesh_of(statement_);
    sizes_ = question.sizes;
    add_inline_sizes(statement_, sizes_);
    known_.sizes = sizes_;
    const std::uint64_t stand_in = mesh_.chips() * ((mesh_.chips() + 1023) / mesh_.chips());
    for (const std::string& d : dimensions_of(statement_))
      if (sizes_.emplace(d, stand_in).second) known_.missing.push_back(d);
    notes_.emplace(question.machine, question.book, known_);
  }

  Explanation answer() {
    check_flags();
    return std::visit([this](const auto& s) { return (*this)(s); }, statement_);
  }

  Explanation operator()(const Declaration& s) {
    Explanation e = begun(ExplainedKind::array);
    const auto rest = std::find_if(s.array.dimensions.begin(), s.array.dimensions.end(),
                                   [](const Dimension& d) { return d.ellipsis(); });
    if (rest != s.array.dimensions.end()) e.missing_sizes.push_back(rest->name);
    ArrayRef array = e.missing_sizes.empty() ? with_sizes(s.array, sizes_) : s.array;
    array.dtype = array.dtype.value_or(question_.dtype);
    e.only = array;
    add_array(e, array);
    warn_of_memory(e, e.sized() ? layout(array, {}, mesh_).bytes_per_chip : Bytes{});
    return e;
  }

  Explanation operator()(const Matmul& s) {
    const Product product = resolve_product(s, context());
    Explanation e = explained(product, print(statement_), question_.best);
    if (!question_.backward || e.strategies.empty()) return e;
    const Strategy& forward = e.shown()->costed.strategy;
    const BackwardProducts backward = hopsim::backward(carried_out(product, forward));
    for (const Matmul* m : {&backward.lhs, &backward.rhs}) {
      const Product p = resolve_product(*m, context());
      const std::string line = sharding_text(p.output) + " = " + sharding_text(p.lhs) + " * " + sharding_text(p.rhs);
      e.backward.push_back(explained(p, line, false));
    }
    e.duality = duality_of(forward);
    return e;
  }

  Explanation operator()(const Collective& s) {
    Explanation e = begun(ExplainedKind::collective);
    const ResolvedCollective step = collective_step(s, context());
    Strategy written;
    written.steps = {step};
    written.name = name_of(written);
    written.output = step.output;
    written.plain = true;
    written.bytes_per_chip = held_bytes(written, {step.input}, mesh_);
    add(e, costed(written));
    if (e.timed() && moves_data(step)) add_faster_ways(e, step);
    finish(e, {step.input});
    if (question_.verify && question_.machine != nullptr) prove(e, step.input);
    return e;
  }

  Explanation operator()(const Reshard& s) {
    Explanation e = begun(ExplainedKind::resharding);
    const ResolvedResharding r = resharding_step(s, context());
    if (e.timed()) {
      add(e, on_the_machine([&] { return plan_resharding(*question_.machine, r.from, r.to, options(false)); }));
    } else {
      for (const Strategy& w : resharding_strategies(r.from, r.to, mesh_, BookCosts()).list) add(e, uncosted(w));
    }
    finish(e, {r.from});
    if (question_.verify) prove(e, r.from);
    return e;
  }

  Explanation operator()(const Elementwise& s) {
    Explanation e = begun(ExplainedKind::elementwise);
    const ResolvedElementwise r = elementwise_step(s, context());
    CostedStrategy c;
    c.strategy.name = s.function;
    c.strategy.output = r.output;
    c.strategy.bytes_per_chip = r.bytes;
    if (e.timed()) {
      c.hbm = on_the_machine(
          [&] { return StepPlanner(*question_.machine).compute_cost({}, r.bytes, *r.output.dtype).hbm; });
      c.math = c.time = c.closed_form = c.hbm;
    }
    add(e, std::move(c));
    std::vector<ArrayRef> arrays = r.inputs;
    arrays.push_back(r.output);
    finish(e, arrays);
    return e;
  }

 private:
  void check_flags() const {
    const bool product = std::holds_alternative<Matmul>(statement_);
    if (question_.backward && !product) throw InputError("--backward is of products", print(statement_));
    if (question_.best && !product) throw InputError("--best is of products", print(statement_));
    if (!question_.best && !question_.memory) return;
    std::string needs = question_.machine == nullptr ? "--machine" : "";
    for (const std::string& d : known_.missing)
      needs += (needs.empty() ? "--dims " : d == known_.missing.front() ? " and --dims " : ",") + d + "=...";
    if (!needs.empty())
      throw InputError(question_.best ? "--best compares times" : "--memory needs sizes", "", "with " + needs);
  }

  ArrayContext context() const { return {.mesh = mesh_, .sizes = sizes_, .dtype = question_.dtype, .arrays = none_}; }

  Explanation begun(ExplainedKind kind) const {
    Explanation e;
    e.kind = kind;
    e.line = print(statement_);
    e.missing_sizes = known_.missing;
    e.has_machine = question_.machine != nullptr;
    e.has_mesh = e.has_machine || question_.mesh;
    e.mesh = mesh_;
    return e;
  }

  PlanOptions options(bool best) const {
    PlanOptions o;
    o.collectives.book = question_.book;
    o.memory = question_.memory;
    o.must_fit = question_.memory.has_value();
    o.free_operands = best;
    return o;
  }

  // ---- products

  Explanation explained(const Product& product, std::string line, bool best) {
    Explanation e = begun(ExplainedKind::matmul);
    e.line = std::move(line);
    e.product_case = classify(product);
    order_ = order_of(product);
    if (e.timed()) {
      add(e, on_the_machine([&] { return plan_product(*question_.machine, product, options(best)); }));
    } else {
      add_plain(e, product_strategies(product, mesh_, BookCosts()));
    }
    e.free_operands = best;
    if (!best) e.local_product = local_product(product, e);
    finish(e, best ? std::vector<ArrayRef>{} : std::vector<ArrayRef>{product.lhs, product.rhs});
    if (question_.verify) prove(e, product);
    return e;
  }

  // What does better for reference sizes may not for others, so it is left out.
  void add_plain(Explanation& e, Strategies all) {
    e.considered = all.considered;
    const auto alternatives =
        std::stable_partition(all.list.begin(), all.list.end(), [](auto& s) { return s.as_asked; });
    const bool any = std::any_of(all.list.begin(), alternatives, [](auto& s) { return s.plain; });
    for (const Strategy& s : all.list)
      if (s.plain || !any) add(e, uncosted(s));
  }

  // Missing sizes first, then what is contracted.
  Names order_of(const Product& product) const {
    Names order;
    for (const ProductDimension& d : product.dimensions)
      if (std::find(known_.missing.begin(), known_.missing.end(), d.name) != known_.missing.end())
        add_name(order, d.name);
    for (const ProductDimension& d : product.dimensions)
      if (d.role == Role::contracted) add_name(order, d.name);
    for (const ProductDimension& d : product.dimensions) add_name(order, d.name);
    return order;
  }

  static std::string local_product(const Product& product, const Explanation& e) {
    for (const ExplainedStrategy& s : e.strategies) {
      const auto* p = std::get_if<LocalProduct>(&s.costed.strategy.steps.front());
      if (p != nullptr && p->lhs.dimensions == product.lhs.dimensions && p->rhs.dimensions == product.rhs.dimensions)
        return sharding_text(p->output);
    }
    return {};
  }

  // The same array, however sharded. An operand may be used twice: A[I, J] * A[J, K].
  static bool is_of(const ArrayRef& a, const ArrayRef& other) {
    return a.name == other.name &&
           std::equal(a.dimensions.begin(), a.dimensions.end(), other.dimensions.begin(), other.dimensions.end(),
                      [](const Dimension& x, const Dimension& y) { return x.name == y.name; });
  }

  static ArrayRef with_sums(ArrayRef output, const Names& unreduced) {
    output.unreduced = unreduced;
    return output;
  }

  // The product with the shardings that a strategy begins and ends with.
  static Product carried_out(Product product, const Strategy& s) {
    bool lhs = false, rhs = false;  // seen
    const auto begins = [&](const ArrayRef& a) {
      if (!lhs && is_of(a, product.lhs)) {
        product.lhs = a;
        lhs = true;
      } else if (!rhs && is_of(a, product.rhs)) {
        product.rhs = a;
        rhs = true;
      }
    };
    for (const StrategyStep& step : s.steps) {
      const auto* c = std::get_if<ResolvedCollective>(&step);
      if (c == nullptr) {
        begins(std::get<LocalProduct>(step).lhs);
        begins(std::get<LocalProduct>(step).rhs);
        break;
      }
      begins(c->input);
    }
    product.output = with_sums(s.output, product.output.unreduced);
    return product;
  }

  // ---- strategies

  static CostedStrategy uncosted(const Strategy& s) {
    CostedStrategy c;
    c.strategy = s;
    return c;
  }

  // Of one collective.
  CostedStrategy costed(const Strategy& s) {
    if (question_.machine == nullptr || !known_.missing.empty()) return uncosted(s);
    StrategyCosts costs(*question_.machine, options(false).collectives);
    CostedStrategy c = costs.by_formula(s);
    costs.simulate(c);
    return c;
  }

  // What takes less time than the collective as it is written.
  void add_faster_ways(Explanation& e, const ResolvedCollective& step) {
    PlanOptions o = options(false);
    o.must_fit = false;
    const StrategyPlan plan = plan_resharding(*question_.machine, step.input, step.output, o);
    const Time written = e.strategies.front().costed.time;
    for (const CostedStrategy& s : plan.strategies)
      if (s.strategy.as_asked && s.time < written) add(e, s);
    std::stable_sort(e.strategies.begin(), e.strategies.end(),
                     [](const auto& a, const auto& b) { return a.costed.time < b.costed.time; });
  }

  void add(Explanation& e, CostedStrategy c) {
    ExplainedStrategy s;
    s.communication = notes_->communication(c.strategy);
    if (product_of(c.strategy) != nullptr) s.compute_bound = notes_->compute_bound(c.strategy, order_);
    if (e.kind == ExplainedKind::collective && e.timed()) s.lower_bound = notes_->lower_bound(c.strategy);
    s.costed = std::move(c);
    e.strategies.push_back(std::move(s));
  }

  void add(Explanation& e, const StrategyPlan& plan) {
    for (const CostedStrategy& s : plan.strategies) add(e, s);
    e.chosen = plan.chosen;
    e.considered = plan.considered;
  }

  void finish(Explanation& e, const std::vector<ArrayRef>& arrays) {
    if (e.timed() && !e.chosen && !e.strategies.empty()) e.chosen = 0;
    for (const ArrayRef& a : arrays) add_array(e, a);
    const ExplainedStrategy* shown = e.shown();
    if (shown == nullptr) return;
    const Strategy& strategy = shown->costed.strategy;
    e.output = sharding_text(strategy.output);
    for (const StrategyStep& step : strategy.steps) for_each_array(step, [&](const ArrayRef& a) { add_array(e, a); });
    if (e.sized()) warn_of_memory(e, strategy.bytes_per_chip);
  }

  void add_array(Explanation& e, const ArrayRef& array) const {
    ExplainedArray a{.array = array,
                     .sharding = sharding_text(array),
                     .local_shape = local_shape_text(array),
                     .bytes = bytes_text(array),
                     .copies = {},
                     .layout = {},
                     .partition_spec = {}};
    if (std::any_of(e.arrays.begin(), e.arrays.end(), [&](auto& other) { return other.sharding == a.sharding; }))
      return;
    const bool whole = array.unreduced.empty() && std::none_of(array.dimensions.begin(), array.dimensions.end(),
                                                               [](const Dimension& d) { return d.ellipsis(); });
    if (whole) a.partition_spec = partition_spec(array);
    if (e.has_mesh) a.copies = copies(array, mesh_);
    if (e.missing_sizes.empty()) {
      const ArrayLayout counted =
          layout(array, {}, mesh_, question_.dtype);  // also where there is no mesh to show it of
      if (e.sized()) a.layout = counted;
    }
    e.arrays.push_back(std::move(a));
  }

  void warn_of_memory(Explanation& e, Bytes needed) const {
    if (question_.machine == nullptr) return;
    const Bytes has = question_.machine->chip.hbm_capacity.value;
    if (has > Bytes{} && needed > has)
      e.warnings.push_back(e.line + " needs " + format_bytes(needed) + " a chip, and " + question_.machine->name +
                           " has " + format_bytes(has));
  }

  // ---- proofs: of the values of every way, and, where there is a machine, of the data flow of the one chosen

  template <class Of>
  void prove(Explanation& e, const Of& of) {
    for (const ExplainedStrategy& s : e.strategies) {
      const Strategy& strategy = s.costed.strategy;
      if constexpr (std::is_same_v<Of, Product>) {
        prove_values(strategy, carried_out(of, strategy), mesh_);
      } else {
        prove_values(strategy, of, mesh_);
      }
    }
    if (question_.machine != nullptr && e.shown() != nullptr) notes_->prove_data_flow(e.shown()->costed.strategy);
    e.verified = true;
  }

  const ExplainQuestion& question_;
  const Statement statement_;
  const Arrays none_;
  Mesh mesh_;
  Sizes sizes_;  // with those that stand in
  KnownSizes known_;
  std::optional<ExplainNotes> notes_;
  Names order_;  // of the product's dimensions
};

}  // namespace

std::string_view name(ExplainedKind kind) {
  switch (kind) {
    case ExplainedKind::matmul:
      return "matmul";
    case ExplainedKind::collective:
      return "collective";
    case ExplainedKind::resharding:
      return "resharding";
    case ExplainedKind::elementwise:
      return "elementwise";
    case ExplainedKind::array:
      return "array";
  }
  return {};
}

std::vector<std::string> explained_dimensions(const ExplainQuestion& q) { return dimensions_of(parsed(q)); }

Explanation explain(const ExplainQuestion& question) { return Explainer(question).answer(); }

}  // namespace hopsim

#include "scenarios/explain_notes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "collectives/proof.hpp"

namespace hopsim {
namespace {

using Names = std::vector<std::string>;

// Large enough that rounding to picoseconds does not show.
constexpr std::uint64_t kProbe = 1'000'000'000'000'000;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double bytes_per_element(const ArrayRef& a) { return bits(a.dtype.value_or(DType::bf16)) / 8.0; }

// The number of its elements, those of the chips along `whole` together, times a coefficient.
Term elements(double coefficient, const std::vector<const ArrayRef*>& arrays, const Names& whole, const Mesh& mesh) {
  Term term{.coefficient = coefficient, .dimensions = {}};
  for (const ArrayRef* a : arrays)
    for (const Dimension& d : a->dimensions) {
      if (!d.name.empty() && contains(term.dimensions, d.name)) continue;
      if (d.name.empty()) term.coefficient *= static_cast<double>(d.size.value_or(1));
      if (!d.name.empty()) term.dimensions.push_back(d.name);
      for (const std::string& axis : d.axes)
        if (!contains(whole, axis)) term.coefficient /= mesh.size(axis);
    }
  return term;
}

std::set<std::string> axes_of(const LocalProduct& p) {
  std::set<std::string> axes;
  for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output})
    for (const Dimension& d : a->dimensions) axes.insert(d.axes.begin(), d.axes.end());
  return axes;
}

std::optional<AxisLaw> law_of(const PlannedStep& step) {
  const std::string& a = step.algorithm;
  const Request& r = *step.collective;
  if (r.operation == Operation::all_to_all) return std::nullopt;
  if (a == "bidirectional_ring") return r.book && r.size() % 2 == 0 ? AxisLaw::constant : AxisLaw::share;
  if (a == "ring" || a == "line" || a == "halving_doubling") return AxisLaw::share;
  return std::nullopt;
}

}  // namespace

const LocalProduct* product_of(const Strategy& s) {
  for (const StrategyStep& step : s.steps)
    if (const auto* p = std::get_if<LocalProduct>(&step)) return p;
  return nullptr;
}

std::vector<const ResolvedCollective*> moves_of(const Strategy& s) {
  std::vector<const ResolvedCollective*> moves;
  for (const StrategyStep& step : s.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step); c != nullptr && c->kind != CollectiveKind::slice)
      moves.push_back(c);
  return moves;
}

Time BookCosts::collective(const ResolvedCollective& c) const {
  constexpr Bandwidth kBothLinks(180'000'000'000);
  const WireRule rule{.dimensions = static_cast<int>(c.axes.size()), .spans = {}, .switched = false};
  return kBothLinks.duration(Bytes(static_cast<std::uint64_t>(wire_bytes(c, rule) / rule.dimensions)));
}

Time BookCosts::product(const LocalProduct& p) const { return FlopRate(459'000'000'000'000).duration(p.flops); }

ExplainNotes::ExplainNotes(const MachineModel* machine, bool book, KnownSizes known)
    : machine_(machine), book_(book), known_(std::move(known)) {
  if (machine != nullptr) planner_.emplace(*machine);
}

const PlannedTask<CollectiveTask>& ExplainNotes::planned(const ResolvedCollective& c) {
  const auto [found, fresh] = planned_.try_emplace({c.kind, c.axes, c.bytes.count()});
  if (fresh) {
    const Request request = planner_->request(c);
    found->second = planner_->collective(request, planned_options({.book = book_}, request));
  }
  return found->second;
}

WireRule ExplainNotes::rule(const ResolvedCollective& c) const {
  WireRule rule{.dimensions = static_cast<int>(c.axes.size()), .spans = {}, .switched = false};
  if (machine_ == nullptr) return rule;
  rule.switched = machine_->wires != Wires::grid;
  rule.dimensions = 0;
  for (const std::string& axis : c.axes)
    for (const int d : machine_->dimensions[machine_->mesh.position(axis)]) {
      const int size = machine_->shape.size[d];
      if (size > 1) rule.spans.push_back(static_cast<std::uint32_t>(size));
    }
  rule.dimensions = std::max(1, static_cast<int>(rule.spans.size()));
  return rule;
}

CommunicationNote ExplainNotes::communication(const ResolvedCollective& c) {
  CommunicationNote note;
  note.step = c;
  note.rule = rule(c);
  note.array_bytes = array_bytes_text(c);
  note.wire_cost = wire_text(c, note.rule);
  note.wire_bytes = wire_bytes(c, note.rule);
  if (machine_ == nullptr || c.kind == CollectiveKind::slice || c.group == 1) return note;
  const PlannedStep& step = planned(c).step;
  note.algorithm = step.algorithm;
  note.schedule = step.formula.formula;
  if (known_.missing.empty()) {
    note.closed_form = step.closed_form;
    const auto link = static_cast<double>(machine_->link.bandwidth.bytes_per_second());
    note.book_seconds = note.wire_bytes / ((note.rule.switched ? link : 2 * link) * bandwidths(c, note.rule));
  }
  return note;
}

std::vector<CommunicationNote> ExplainNotes::communication(const Strategy& s) {
  std::vector<CommunicationNote> notes;
  for (const StrategyStep& step : s.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step)) notes.push_back(communication(*c));
  return notes;
}

// By bandwidth alone.
Terms ExplainNotes::cost(const ResolvedCollective& c) {
  if (c.group == 1) return {};
  const PlannedStep& step = planned(c).step;
  const double seconds =
      step.formula.transfer_seconds(step.collective->wiring) / static_cast<double>(c.bytes.count());
  const bool gathers = c.kind == CollectiveKind::all_gather;
  const ArrayRef& array = gathers ? c.output : c.input;
  const Names whole = gathers || c.kind == CollectiveKind::all_to_all ? c.axes : Names{};
  return {elements(seconds * bytes_per_element(array), {&array}, whole, machine_->mesh)};
}

std::optional<Threshold> ExplainNotes::along_axis(const LocalProduct& p,
                                                  const std::vector<const ResolvedCollective*>& moves,
                                                  const Terms& work, const Terms& cost) {
  const Names& axes = moves.front()->axes;
  if (axes.size() != 1 || !axes_of(p).contains(axes.front())) return std::nullopt;
  std::optional<AxisLaw> law;
  for (const ResolvedCollective* c : moves) {
    const auto its = c->group > 1 ? law_of(planned(*c).step) : std::nullopt;
    if (c->axes != axes || !its || (law && *law != *its)) return std::nullopt;
    law = its;
  }
  const auto ratio = quotient(work, cost, known_.sizes);
  if (!ratio) return std::nullopt;
  return axis_threshold(axes.front(), moves.front()->group, *ratio, *law);
}

Time ExplainNotes::lower_bound(const Strategy& s) {
  Time bound;
  for (const ResolvedCollective* c : moves_of(s))
    if (c->group > 1) bound = later(bound, planned(*c).step.lower_bound);
  return bound;
}

void ExplainNotes::prove_data_flow(const Strategy& s) {
  for (const ResolvedCollective* c : moves_of(s)) {
    if (c->group == 1) continue;
    const auto& [step, task] = planned(*c);
    prove(machine_->shape, *step.collective, *task.schedule);
  }
}

ComputeBound ExplainNotes::compute_bound(const Strategy& s, const Names& order) {
  const LocalProduct& p = *product_of(s);
  const auto moves = moves_of(s);
  std::vector<WiredCollective> wired;
  for (const ResolvedCollective* c : moves) wired.push_back({*c, rule(*c)});
  ComputeBound bound{.condition = condition_text(p, wired), .against_memory = moves.empty(), .all = {}, .main = {}};
  if (machine_ == nullptr || machine_->chip.peak_flops.empty()) return bound;
  if (moves.empty() && machine_->chip.hbm_bandwidth.value == Bandwidth{}) return bound;

  const auto probe = [&](Flops f, Bytes b) { return planner_->compute_cost(f, b, p.dtype); };
  const double flop = probe(Flops(kProbe), {}).flops.seconds() / static_cast<double>(kProbe);
  const Terms work{elements(2 * flop, {&p.output, &p.lhs, &p.rhs}, {}, machine_->mesh)};
  Terms costs;
  for (const ResolvedCollective* c : moves)
    for (Term& term : cost(*c)) costs.push_back(std::move(term));
  if (moves.empty()) {
    const double byte = probe({}, Bytes(kProbe)).hbm.seconds() / static_cast<double>(kProbe);
    for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output})
      costs.push_back(elements(byte * bytes_per_element(*a), {a}, {}, machine_->mesh));
  }
  bound.all = thresholds(work, costs, order, known_.sizes);
  if (!bound.all.empty()) {
    const auto told = std::find_if(bound.all.begin(), bound.all.end(), [](auto& t) { return t.has_value(); });
    const bool first = told == bound.all.end() || contains(known_.missing, bound.all.front().variable);
    bound.main = first ? bound.all.front() : *told;
    if (!bound.main->has_value()) bound.main->variable.clear();
  }
  if (moves.empty()) return bound;
  if (const auto axis = along_axis(p, moves, work, costs)) bound.all.push_back(*axis);
  return bound;
}

}  // namespace hopsim

#include "sharding/symbolic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace hopsim {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const Names& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string dimension_text(const Dimension& d) { return d.name.empty() && d.size ? std::to_string(*d.size) : d.name; }

// "I/X", without axes "I".
std::string share_text(const Dimension& d, const Names& whole) {
  Names axes;
  for (const std::string& axis : d.axes)
    if (!contains(whole, axis)) axes.push_back(axis);
  return dimension_text(d) + (axes.empty() ? "" : "/" + axes_text(axes));
}

// "2 (I/X) K"; a coefficient of 1 is left out where something follows.
std::string product_text(double coefficient, const std::string& elements) {
  if (elements.empty()) return number_text(coefficient);
  return (coefficient == 1 ? "" : number_text(coefficient) + " ") + elements;
}

double element_bytes(const ArrayRef& a) { return bits(a.dtype.value_or(DType::bf16)) / 8.0; }

// The axes that V is not divided by, and the array to look at.
const ArrayRef& array_of(const ResolvedCollective& c) {
  return c.kind == CollectiveKind::all_gather ? c.output : c.input;
}

Names whole_axes(const ResolvedCollective& c) {
  return c.kind == CollectiveKind::all_to_all || c.kind == CollectiveKind::all_gather ? c.axes : Names{};
}

// What V is multiplied by, but for the bandwidth.
double wire_factor(const ResolvedCollective& c, const WireRule& rule) {
  switch (c.kind) {
    case CollectiveKind::all_reduce:
      return 2;
    case CollectiveKind::all_to_all: {
      const auto group = static_cast<double>(c.group);
      if (rule.switched) return 1 / group;
      if (rule.dimensions <= 1 || rule.spans.empty()) return 0.25;
      return *std::max_element(rule.spans.begin(), rule.spans.end()) / (4 * group);
    }
    case CollectiveKind::slice:
      return 0;
    default:
      return 1;
  }
}

std::string over_text(int bandwidths) { return bandwidths == 1 ? "W" : "(" + std::to_string(bandwidths) + " W)"; }

}  // namespace

// ---- formulas

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 1000 ? "%.0f" : "%.4g", value);
  return text;
}

std::string elements_text(const ArrayRef& a, const Names& whole) {
  Names factors;
  for (const Dimension& d : a.dimensions) {
    const std::string share = share_text(d, whole);
    factors.push_back(share.find('/') == std::string::npos && !d.name.empty() ? share : "(" + share + ")");
  }
  return joined(factors, " ");
}

std::string bytes_text(const ArrayRef& a, const Names& whole) {
  return product_text(element_bytes(a), elements_text(a, whole));
}

std::string local_shape_text(const ArrayRef& a) {
  Names shares;
  for (const Dimension& d : a.dimensions) shares.push_back(share_text(d, {}));
  return "[" + joined(shares, ", ") + "]";
}

std::string array_bytes_text(const ResolvedCollective& c) { return bytes_text(array_of(c), whole_axes(c)); }

std::string wire_text(const ResolvedCollective& c, const WireRule& rule) {
  if (c.kind == CollectiveKind::slice) return "0";
  return product_text(element_bytes(array_of(c)) * wire_factor(c, rule), elements_text(array_of(c), whole_axes(c))) +
         " / " + over_text(bandwidths(c, rule));
}

int bandwidths(const ResolvedCollective& c, const WireRule& rule) {
  return c.kind == CollectiveKind::all_to_all || rule.switched ? 1 : std::max(rule.dimensions, 1);
}

double wire_bytes(const ResolvedCollective& c, const WireRule& rule) {
  return static_cast<double>(c.bytes.count()) * wire_factor(c, rule);
}

namespace {

// A product of dimensions over axes, with a number.
struct Monomial {
  double number = 1;
  Names dimensions;
  std::multiset<std::string> axes;  // that divide it
};

void take_in(Monomial& m, const ArrayRef& a, const Names& whole) {
  for (const Dimension& d : a.dimensions) {
    if (contains(m.dimensions, d.name)) continue;
    m.dimensions.push_back(d.name);
    for (const std::string& axis : d.axes)
      if (!contains(whole, axis)) m.axes.insert(axis);
  }
}

Monomial work_of(const LocalProduct& p) {
  Monomial m{.number = 2, .dimensions = {}, .axes = {}};
  take_in(m, p.output, {});
  take_in(m, p.lhs, {});
  take_in(m, p.rhs, {});
  return m;
}

// "J/Y"; empty for one.
std::string text_of(const Monomial& m) {
  std::string text = joined(m.dimensions, " ");
  if (text.empty() && !m.axes.empty()) text = "1";
  if (!m.axes.empty()) text += "/" + axes_text(Names(m.axes.begin(), m.axes.end()));
  return text;
}

template <class Container>
void remove_one(Container& from, const std::string& name) {
  const auto found = std::find(from.begin(), from.end(), name);
  if (found != from.end()) from.erase(found);
}

// work/C >= moved/(k W), with what is common to both taken off.
std::string reduced_condition(Monomial work, Monomial moved, int bandwidths) {
  for (const std::string& d : Names(moved.dimensions)) {
    if (!contains(work.dimensions, d)) continue;
    remove_one(work.dimensions, d);
    remove_one(moved.dimensions, d);
  }
  for (const std::string& axis : Names(moved.axes.begin(), moved.axes.end())) {
    if (work.axes.count(axis) == 0) continue;
    work.axes.erase(work.axes.find(axis));
    moved.axes.erase(moved.axes.find(axis));
  }
  const std::string left = text_of(work).empty() ? "1" : text_of(work);
  std::string right = text_of(moved);
  if (!right.empty() && !moved.axes.empty()) right = "(" + right + ")";
  right = product_text(moved.number / work.number, right.empty() ? "C" : right + " C");
  return left + " >= " + right + " / " + over_text(bandwidths);
}

std::string work_text(const LocalProduct& p) {
  Names factors;
  const Monomial all = work_of(p);
  for (const std::string& name : all.dimensions)
    for (const ArrayRef* a : {&p.output, &p.lhs, &p.rhs}) {
      const auto d = std::find_if(a->dimensions.begin(), a->dimensions.end(),
                                  [&](const Dimension& dimension) { return dimension.name == name; });
      if (d == a->dimensions.end()) continue;
      factors.push_back(d->axes.empty() ? share_text(*d, {}) : "(" + share_text(*d, {}) + ")");
      break;
    }
  return "2 " + joined(factors, " ") + " / C";
}

}  // namespace

std::string condition_text(const LocalProduct& p, const std::vector<WiredCollective>& moves) {
  Names costs;
  std::vector<const WiredCollective*> moving;
  for (const WiredCollective& m : moves)
    if (m.step.kind != CollectiveKind::slice) moving.push_back(&m);
  if (moving.size() == 1) {
    const auto& [step, rule] = *moving.front();
    Monomial moved{.number = element_bytes(array_of(step)) * wire_factor(step, rule), .dimensions = {}, .axes = {}};
    take_in(moved, array_of(step), whole_axes(step));
    return reduced_condition(work_of(p), std::move(moved), bandwidths(step, rule));
  }
  for (const WiredCollective* m : moving) costs.push_back(wire_text(m->step, m->rule));
  if (!costs.empty()) return work_text(p) + " >= " + joined(costs, " + ");
  for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output}) costs.push_back(bytes_text(*a));
  return work_text(p) + " >= (" + joined(costs, " + ") + ") / W_hbm";
}

// ---- thresholds

namespace {

// A sum of terms as a x + b; nothing where a size is missing.
struct Line {
  double slope = 0, constant = 0;
};

std::optional<Line> in_terms_of(const std::string& x, const Terms& terms, const std::set<std::string>& cancelled,
                                const Sizes& known) {
  Line line;
  for (const Term& term : terms) {
    double value = term.coefficient;
    bool has_x = false;
    for (const std::string& d : term.dimensions) {
      if (d == x) {
        has_x = true;
      } else if (!cancelled.contains(d)) {
        const auto size = known.find(d);
        if (size == known.end()) return std::nullopt;
        value *= static_cast<double>(size->second);
      }
    }
    (has_x ? line.slope : line.constant) += value;
  }
  return line;
}

std::set<std::string> factors_of_all(const Terms& work, const Terms& cost) {
  std::set<std::string> common;
  bool first = true;
  for (const Terms* terms : {&work, &cost})
    for (const Term& term : *terms) {
      const std::set<std::string> here(term.dimensions.begin(), term.dimensions.end());
      std::set<std::string> both;
      std::set_intersection(common.begin(), common.end(), here.begin(), here.end(), std::inserter(both, both.end()));
      common = first ? here : both;
      first = false;
    }
  return common;
}

bool occurs(const std::string& x, const Terms& terms) {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return contains(t.dimensions, x); });
}

// Where slope x + constant >= 0, for x > 0.
Threshold zero_of(const std::string& x, double slope, double constant) {
  Threshold t{.variable = x, .above = {}, .below = {}, .always = false};
  if (slope > 0 && constant < 0) {
    t.above = -constant / slope;
  } else if (slope < 0 && constant > 0) {
    t.below = constant / -slope;
  } else {
    t.always = slope >= 0 && constant >= 0;
  }
  return t;
}

}  // namespace

std::vector<Threshold> thresholds(const Terms& work, const Terms& cost, const Names& order, const Sizes& known) {
  const std::set<std::string> cancelled = factors_of_all(work, cost);
  std::vector<Threshold> found;
  bool candidates = false;
  for (const std::string& x : order) {
    if (cancelled.contains(x) || !(occurs(x, work) || occurs(x, cost))) continue;
    candidates = true;
    const auto left = in_terms_of(x, work, cancelled, known), right = in_terms_of(x, cost, cancelled, known);
    if (left && right) found.push_back(zero_of(x, left->slope - right->slope, left->constant - right->constant));
  }
  if (candidates) return found;
  const auto left = in_terms_of({}, work, cancelled, known), right = in_terms_of({}, cost, cancelled, known);
  if (left && right)
    found.push_back({.variable = {}, .above = {}, .below = {}, .always = left->constant >= right->constant});
  return found;
}

std::optional<double> quotient(const Terms& work, const Terms& cost, const Sizes& known) {
  const std::set<std::string> cancelled = factors_of_all(work, cost);
  const auto left = in_terms_of({}, work, cancelled, known), right = in_terms_of({}, cost, cancelled, known);
  if (!left || !right || right->constant <= 0) return std::nullopt;
  return left->constant / right->constant;
}

// work(n) = work N/n; cost(n) = cost, or cost (n-1)/n N/(N-1).
Threshold axis_threshold(const std::string& axis, std::uint64_t chips, double quotient, AxisLaw law) {
  const auto n = static_cast<double>(chips);
  return {.variable = axis,
          .above = {},
          .below = law == AxisLaw::constant ? quotient * n : 1 + quotient * (n - 1),
          .always = false};
}

}  // namespace hopsim

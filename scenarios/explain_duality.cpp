#include "scenarios/explain_duality.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {
namespace {

// "dA[I_X, J]", without sizes.
ArrayRef gradient(ArrayRef a) {
  a.name = "d" + a.name;
  a.dtype.reset();
  for (Dimension& d : a.dimensions)
    if (!d.name.empty()) d.size.reset();
  return a;
}

// The dimensions with more axes in `b` than in `a`.
std::vector<std::size_t> grown(const ArrayRef& a, const ArrayRef& b) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < a.dimensions.size(); ++d)
    if (b.dimensions[d].axes.size() > a.dimensions[d].axes.size()) dimensions.push_back(d);
  return dimensions;
}

std::string text(CollectiveKind kind, const std::vector<std::string>& axes, std::optional<std::string> dimension,
                 ArrayRef input, ArrayRef output) {
  Collective c;
  c.kind = kind;
  c.axes = axes;
  c.dimension = std::move(dimension);
  c.input = std::move(input);
  c.output = std::move(output);
  return print(Statement(std::move(c)));
}

// Of a gather: one dimension after the other.
std::string scattered(const ResolvedCollective& gather) {
  ArrayRef now = gradient(gather.output);
  now.unreduced = gather.axes;
  std::string all;
  for (const std::size_t d : grown(gather.output, gather.input)) {
    ArrayRef next = now;
    const std::vector<std::string>& split = gather.input.dimensions[d].axes;
    const std::vector<std::string> axes(
        split.begin() + static_cast<std::ptrdiff_t>(gather.output.dimensions[d].axes.size()), split.end());
    next.dimensions[d].axes = split;
    for (const std::string& axis : axes) std::erase(next.unreduced, axis);
    all += (all.empty() ? "" : "; ") + text(CollectiveKind::reduce_scatter, axes, now.dimensions[d].name, now, next);
    now = std::move(next);
  }
  return all;
}

bool has(const ArrayRef& a, const std::string& axis) {
  return std::any_of(a.dimensions.begin(), a.dimensions.end(), [&](const Dimension& d) {
    return std::find(d.axes.begin(), d.axes.end(), axis) != d.axes.end();
  });
}

// The axes of a gather before the product along which chips do different work, so that each has its own part of the
// gradient's sum. Along the others all do the same: the gradient is whole on each, and they keep their parts of it.
std::vector<std::string> working_axes(const Strategy& s, const ResolvedCollective& c) {
  std::vector<std::string> axes = c.axes;
  for (const StrategyStep& step : s.steps)
    if (const auto* p = std::get_if<LocalProduct>(&step))
      std::erase_if(axes, [&](const std::string& axis) { return !has(p->lhs, axis) && !has(p->rhs, axis); });
  return axes;
}

std::string transposed(const ResolvedCollective& c) {
  ArrayRef from = gradient(c.output), to = gradient(c.input);
  switch (c.kind) {
    case CollectiveKind::all_gather:
      return scattered(c);
    case CollectiveKind::all_reduce:
      return "nothing: " + sharding_text(std::move(from)) + " is whole already";
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::slice:
      to.unreduced.clear();
      return text(CollectiveKind::all_gather, c.axes, {}, std::move(from), std::move(to));
    case CollectiveKind::all_to_all:
      break;
  }
  const auto back = grown(c.output, c.input);
  const std::optional<std::string> dimension =
      back.empty() ? std::nullopt : std::optional(c.input.dimensions[back.front()].name);
  return text(CollectiveKind::all_to_all, c.axes, dimension, std::move(from), std::move(to));
}

std::string transposed_gather(const ResolvedCollective& c, const std::vector<std::string>& working) {
  if (working == c.axes) return transposed(c);
  const std::string parts = sharding_text(gradient(c.input)) + ", its part of " + sharding_text(gradient(c.output));
  return working.empty() ? "nothing: each chip keeps " + parts
                         : "ReduceScatter over " + axes_text(working) + "; each chip keeps " + parts;
}

}  // namespace

std::vector<DualityNote> duality_of(const Strategy& s) {
  std::vector<DualityNote> notes;
  bool multiplied = false;
  for (const StrategyStep& step : s.steps) {
    const auto* c = std::get_if<ResolvedCollective>(&step);
    if (c == nullptr) {
      multiplied = true;
      continue;
    }
    const bool gathers_operand = !multiplied && c->kind == CollectiveKind::all_gather;
    notes.push_back({line(step), gathers_operand ? transposed_gather(*c, working_axes(s, *c)) : transposed(*c)});
  }
  return notes;
}

}  // namespace hopsim

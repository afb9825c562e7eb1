#include "scenarios/explain_duality.hpp"

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

}  // namespace

std::vector<DualityNote> duality_of(const Strategy& s) {
  std::vector<DualityNote> notes;
  for (const StrategyStep& step : s.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step)) notes.push_back({line(step), transposed(*c)});
  return notes;
}

}  // namespace hopsim

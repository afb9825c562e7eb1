#include "sharding/strategy.hpp"

#include <set>
#include <utility>

namespace hopsim {
namespace {

// "A[I, J] = AllGather_X(A[I, J_X])".
std::string line(const ResolvedCollective& c) {
  Collective written;
  written.kind = c.kind;
  written.axes = c.axes;
  written.input = c.input;
  written.output = c.output;
  for (std::size_t d = 0; d < c.output.dimensions.size(); ++d)
    if (c.kind != CollectiveKind::all_gather &&
        c.output.dimensions[d].axes.size() > c.input.dimensions[d].axes.size())
      written.dimension = c.output.dimensions[d].name;
  const auto plain = [](ArrayRef& a) {
    a.dtype.reset();
    for (Dimension& d : a.dimensions) d.size.reset();
  };
  plain(written.input);
  plain(*written.output);
  return print(Statement(written));
}

std::string line(const LocalProduct& p) {
  return sharding_text(p.output) + " = " + sharding_text(p.lhs) + " * " + sharding_text(p.rhs);
}

std::string phrase(const ResolvedCollective& c, bool of_output) {
  const std::string over = " over " + axes_text(c.axes);
  const std::string& what = c.input.name;
  std::string along;
  for (std::size_t d = 0; d < c.output.dimensions.size(); ++d)
    if (c.output.dimensions[d].axes.size() > c.input.dimensions[d].axes.size()) along = c.output.dimensions[d].name;
  switch (c.kind) {
    case CollectiveKind::all_gather:
      return "gather " + what + over;
    case CollectiveKind::slice:
      return "slice " + what + over + " along " + along;
    case CollectiveKind::all_to_all:
      return "AllToAll of " + what + over + " to " + along;
    case CollectiveKind::all_reduce:
      return (of_output ? "AllReduce" : "AllReduce " + what) + over;
    case CollectiveKind::reduce_scatter:
      return (of_output ? "ReduceScatter" : "ReduceScatter " + what) + over + " along " + along;
  }
  return {};
}

}  // namespace

void for_each_array(const StrategyStep& step, const std::function<void(const ArrayRef&)>& visit) {
  if (const auto* c = std::get_if<ResolvedCollective>(&step)) {
    visit(c->input);
    visit(c->output);
  } else {
    const auto& p = std::get<LocalProduct>(step);
    for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output}) visit(*a);
  }
}

std::string line(const StrategyStep& step) {
  return std::visit([](const auto& s) { return line(s); }, step);
}

std::string name_of(const Strategy& s) {
  std::string name;
  bool multiplied = false;
  for (const StrategyStep& step : s.steps) {
    std::string part;
    if (const auto* c = std::get_if<ResolvedCollective>(&step)) {
      part = phrase(*c, multiplied);
    } else {
      multiplied = true;
      if (s.partial) part = "partial sums";
    }
    if (!part.empty()) name += (name.empty() ? "" : ", ") + part;
  }
  return name.empty() ? "as it stands" : name;
}

std::string lines_of(const Strategy& s) {
  std::string text;
  for (const StrategyStep& step : s.steps) text += line(step) + '\n';
  return text;
}

Bytes held_bytes(const Strategy& s, std::vector<ArrayRef> arrays, const Mesh& mesh) {
  for (const StrategyStep& step : s.steps)
    if (const auto* c = std::get_if<ResolvedCollective>(&step))
      arrays.push_back(c->output);
    else
      arrays.push_back(std::get<LocalProduct>(step).output);
  std::set<std::string> seen;
  Bytes bytes;
  for (const ArrayRef& a : arrays)
    if (seen.insert(sharding_text(a)).second) bytes += layout(a, {}, mesh).bytes_per_chip;
  return bytes;
}

}  // namespace hopsim

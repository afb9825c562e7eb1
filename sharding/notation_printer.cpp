#include <algorithm>

#include "sharding/notation.hpp"

namespace hopsim {
namespace {

bool single_letters(const std::vector<std::string>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const std::string& a) { return a.size() == 1; });
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

std::string print(const Dimension& d) {
  std::string text = d.name;
  if (d.name.empty() && d.size) text = std::to_string(*d.size);
  if (d.open) {
    text += text.empty() ? "?" : "_?";
  } else if (d.divided) {
    text += "/" + joined(d.axes, "");
  } else if (!d.axes.empty()) {
    text += "_" + axes_text(d.axes);
  }
  if (!d.name.empty() && d.size) text += "=" + std::to_string(*d.size);
  return text;
}

std::string subscript(const Collective& c) {
  if (c.axes.empty()) return {};
  if (!c.dimension) return "_" + axes_text(c.axes);
  if (single_letters(c.axes)) return "_" + axes_text(c.axes) + "," + *c.dimension;
  return "_{" + joined(c.axes, ",") + "," + *c.dimension + "}";
}

std::string with_output(const std::optional<ArrayRef>& output, const std::string& operation) {
  return output ? print(*output) + " = " + operation : operation;
}

struct Printer {
  std::string operator()(const Declaration& s) const { return print(s.array); }
  std::string operator()(const Matmul& s) const {
    std::string sign = " * ";
    if (s.contraction.size() == 1) sign = " *_" + s.contraction.front() + " ";
    if (s.contraction.size() > 1) sign = " *_{" + joined(s.contraction, ",") + "} ";
    return with_output(s.output, print(s.lhs) + sign + print(s.rhs));
  }
  std::string operator()(const Collective& s) const {
    return with_output(s.output, std::string(name(s.kind)) + subscript(s) + "(" + print(s.input) + ")");
  }
  std::string operator()(const Elementwise& s) const {
    std::vector<std::string> inputs;
    for (const ArrayRef& input : s.inputs) inputs.push_back(print(input));
    return with_output(s.output, s.function + "(" + joined(inputs, ", ") + ")");
  }
  std::string operator()(const Reshard& s) const { return print(s.input) + " -> " + print(s.output); }
};

}  // namespace

std::string axes_text(const std::vector<std::string>& axes) {
  return single_letters(axes) ? joined(axes, "") : "{" + joined(axes, ",") + "}";
}

std::string print(const ArrayRef& a) {
  std::string text = a.dtype ? std::string(name(*a.dtype)) : "";
  if (a.dtype && !a.name.empty()) text += " ";
  text += a.name;
  if (a.bare) return text;
  std::vector<std::string> dimensions;
  for (const Dimension& d : a.dimensions) dimensions.push_back(print(d));
  text += "[" + joined(dimensions, ", ") + "]";
  if (!a.unreduced.empty()) text += "{U_" + axes_text(a.unreduced) + "}";
  return text;
}

std::string print(const Statement& s) { return std::visit(Printer{}, s); }

std::string_view name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_gather:
      return "AllGather";
    case CollectiveKind::reduce_scatter:
      return "ReduceScatter";
    case CollectiveKind::all_reduce:
      return "AllReduce";
    case CollectiveKind::all_to_all:
      return "AllToAll";
    case CollectiveKind::slice:
      return "Slice";
  }
  return {};
}

bool ArrayRef::open() const {
  return std::any_of(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.open; });
}

}  // namespace hopsim

#include "sharding/array_lines.hpp"

#include <algorithm>

namespace hopsim {
namespace {

ArrayRef definite(const ArrayRef& a, const ArrayContext& context, const Sizes& sizes) {
  ArrayRef d = with_sizes(resolved(a, context.arrays), sizes);
  d.dtype = d.dtype.value_or(context.dtype);
  return d;
}

// A dimension's name may be left out on either side, and so may its size.
void require_dimensions_of(const ArrayRef& model, const ArrayRef& a, const Sizes& sizes) {
  const auto fail = [&](Place place, const char* problem) {
    throw NotationError(place.column, problem, sharding_text(a), sharding_text(model));
  };
  if (a.dimensions.size() != model.dimensions.size()) fail(a.place, "the arrays differ in number of dimensions");
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const Dimension &d = a.dimensions[i], &m = model.dimensions[i];
    if (d.ellipsis() || (!d.name.empty() && !m.name.empty() && d.name != m.name))
      fail(d.place, "the arrays have different dimensions");
    const bool sized = d.size || sizes.contains(d.name);
    if (sized && size_of(d, sizes) != *m.size) fail(d.place, "the arrays have different sizes");
  }
}

void require_axes_of(const ArrayRef& model, const ArrayRef& a, const std::string& function) {
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const Dimension& d = a.dimensions[i];
    if (!d.open && d.axes != model.dimensions[i].axes)
      throw NotationError(d.place.column, function + " needs arrays that lie alike, and changes no sharding",
                          sharding_text(a), sharding_text(model));
  }
}

void require_whole(const ArrayRef& a, const std::string& function) {
  if (a.unreduced.empty()) return;
  const std::string axes = axes_text(a.unreduced);
  const auto named = std::find_if(a.dimensions.begin(), a.dimensions.end(), [](auto& d) { return !d.name.empty(); });
  const std::string along = named == a.dimensions.end() ? "" : "," + named->name;
  throw NotationError(a.place.column, function + " needs the whole array, and this one is a partial sum",
                      sharding_text(a), "AllReduce_" + axes + " or ReduceScatter_" + axes + along + " first");
}

// `written` in the sharding, sizes and, where it says no other, element type of `model`.
ArrayRef filled_in(const ArrayRef& written, const ArrayRef& model) {
  ArrayRef a = model;
  a.name = written.name;
  a.place = written.place;
  if (written.dtype) a.dtype = written.dtype;
  for (std::size_t i = 0; i < written.dimensions.size() && !written.bare; ++i) {
    a.dimensions[i].place = written.dimensions[i].place;
    if (!written.dimensions[i].name.empty()) a.dimensions[i].name = written.dimensions[i].name;
  }
  return a;
}

Bytes on_a_chip(const ArrayRef& a, const ArrayContext& context) { return layout(a, {}, context.mesh).bytes_per_chip; }

}  // namespace

ResolvedElementwise elementwise_step(const Elementwise& e, const ArrayContext& context) {
  Sizes sizes = context.sizes;
  add_inline_sizes(Statement{e}, sizes);
  ResolvedElementwise r;
  for (const ArrayRef& input : e.inputs) {
    ArrayRef a = definite(input, context, sizes);
    require_whole(a, e.function);
    if (!r.inputs.empty()) {
      require_dimensions_of(r.inputs.front(), a, sizes);
      require_axes_of(r.inputs.front(), a, e.function);
    }
    if (std::find(r.inputs.begin(), r.inputs.end(), a) == r.inputs.end()) r.inputs.push_back(std::move(a));
  }
  const ArrayRef& model = r.inputs.front();
  r.output = model;
  if (e.output) {
    if (!e.output->bare) {
      require_whole(*e.output, e.function);
      require_dimensions_of(model, *e.output, sizes);
      require_axes_of(model, *e.output, e.function);
    }
    r.output = filled_in(*e.output, model);
  }
  r.bytes = on_a_chip(r.output, context);
  for (const ArrayRef& input : r.inputs) r.bytes += on_a_chip(input, context);
  return r;
}

ResolvedResharding resharding_step(const Reshard& s, const ArrayContext& context) {
  Sizes sizes = context.sizes;
  add_inline_sizes(Statement{s}, sizes);
  const ArrayRef from = definite(s.input, context, sizes);
  require_dimensions_of(from, s.output, sizes);
  if (s.output.dtype && *s.output.dtype != *from.dtype)
    throw NotationError(s.output.place.column, "a resharding does not change the element type",
                        std::string(name(*s.output.dtype)), std::string(name(*from.dtype)));
  for (const std::string& axis : s.output.unreduced)
    if (std::find(from.unreduced.begin(), from.unreduced.end(), axis) == from.unreduced.end())
      throw NotationError(s.output.place.column, "no resharding makes partial sums of whole elements",
                          sharding_text(s.output), "partial sums the input has");
  ArrayRef to = filled_in(s.output, from);
  to.unreduced = s.output.unreduced;
  for (std::size_t i = 0; i < to.dimensions.size(); ++i) {
    if (s.output.dimensions[i].open)
      throw NotationError(s.output.dimensions[i].place.column, "a resharding needs its goal", "'?'", "axes, or none");
    to.dimensions[i].axes = s.output.dimensions[i].axes;
    to.dimensions[i].divided = s.output.dimensions[i].divided;
  }
  return {from, to};
}

}  // namespace hopsim

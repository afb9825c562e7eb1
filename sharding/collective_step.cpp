#include "sharding/collective_step.hpp"

#include <algorithm>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using Axes = std::vector<std::string>;

bool contains(const Axes& axes, const std::string& axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// What the array must look like afterwards, and along which axes shards lie.
struct Effect {
  ArrayRef output;
  Axes axes;
};

class Check {
 public:
  Check(const Collective& c, const ArrayRef& input, const std::optional<ArrayRef>& output)
      : c_(c), input_(input), written_(output), column_(c.place.column) {}

  Effect effect() {
    switch (c_.kind) {
      case CollectiveKind::all_gather:
        return all_gather();
      case CollectiveKind::reduce_scatter:
        return reduce_scatter();
      case CollectiveKind::all_reduce:
        return all_reduce();
      case CollectiveKind::all_to_all:
        return all_to_all();
      case CollectiveKind::slice:
        return slice();
    }
    return {};
  }

 private:
  Effect all_gather() {
    Effect e{input_, {}};
    take_off(e, {});
    return e;
  }

  Effect reduce_scatter() {
    Effect e{input_, c_.axes};
    sum(e);
    split(e, dimension());
    return e;
  }

  Effect all_reduce() {
    Effect e{input_, c_.axes.empty() ? input_.unreduced : c_.axes};
    if (e.axes.empty()) {
      fail("AllReduce of an array without partial sums", sharding_text(input_),
           sharding_text(with_unreduced({"X"})) + " and the like");
    }
    sum(e);
    return e;
  }

  Effect all_to_all() {
    Effect e{input_, {}};
    const std::size_t to = dimension();
    take_off(e, to);
    e.axes = c_.axes;  // they lie along J now, in the order written
    split(e, to);
    return e;
  }

  Effect slice() {
    Effect e{input_, c_.axes};
    split(e, dimension());
    return e;
  }

  // Takes the collective's axes off the ends of dimensions, other than `keep`.
  void take_off(Effect& e, std::optional<std::size_t> keep) {
    for (std::size_t i = 0; i < e.output.dimensions.size(); ++i) {
      Axes& axes = e.output.dimensions[i].axes;
      const auto first = std::find_if(axes.begin(), axes.end(), [&](auto& a) { return contains(c_.axes, a); });
      if (first == axes.end()) continue;
      if (i == keep) fail(label(i) + " is already split over " + *first, sharding_text(input_), "another dimension");
      if (!std::all_of(first, axes.end(), [&](auto& a) { return contains(c_.axes, a); })) {
        fail(operation() + " would leave " + label(i) + " in strided pieces", sharding_text(input_),
             "the last axes of " + axes_text(axes) + ", such as " + axes.back());
      }
      e.axes.insert(e.axes.end(), first, axes.end());
      axes.erase(first, axes.end());
      if (axes.empty()) e.output.dimensions[i].divided = false;
    }
    for (const std::string& axis : c_.axes) {
      if (!contains(e.axes, axis)) {
        fail(operation() + " needs an input sharded over " + axis, sharding_text(input_), sharded_axes());
      }
    }
  }

  void sum(Effect& e) {
    for (const std::string& axis : e.axes) {
      if (!contains(input_.unreduced, axis)) {
        fail(operation() + " needs an input unreduced over " + axis, sharding_text(input_),
             sharding_text(with_unreduced(e.axes)));
      }
    }
    std::erase_if(e.output.unreduced, [&](const std::string& a) { return contains(e.axes, a); });
  }

  void split(Effect& e, std::size_t to) {
    for (const std::string& axis : c_.axes) {
      if (contains(e.output.unreduced, axis)) {
        fail(operation() + " splits over an axis of a partial sum", sharding_text(input_),
             "AllReduce or ReduceScatter first");
      }
      for (std::size_t i = 0; i < e.output.dimensions.size(); ++i) {
        if (contains(e.output.dimensions[i].axes, axis)) {
          fail(operation() + " would use axis " + axis + " twice; " + label(i) + " is split over it",
               sharding_text(input_));
        }
      }
    }
    Dimension& d = e.output.dimensions[to];
    d.axes.insert(d.axes.end(), c_.axes.begin(), c_.axes.end());
    if (d.axes.size() > 1) d.divided = false;
  }

  // The dimension to split: as written, or the one that has the axes in the output.
  std::size_t dimension() const {
    const auto& dimensions = input_.dimensions;
    if (!c_.dimension) return dimension_from_output();
    const auto named = [this](const Dimension& d) { return d.name == *c_.dimension; };
    const auto found = std::find_if(dimensions.begin(), dimensions.end(), named);
    if (found == dimensions.end()) {
      std::string names;
      for (const Dimension& d : dimensions) {
        if (!d.name.empty()) names += (names.empty() ? "" : ", ") + d.name;
      }
      fail(operation() + " names a dimension that its input lacks", *c_.dimension, names);
    }
    if (std::find_if(found + 1, dimensions.end(), named) != dimensions.end()) {
      fail(operation() + " names a dimension that its input has twice", *c_.dimension);
    }
    return static_cast<std::size_t>(found - dimensions.begin());
  }

  std::size_t dimension_from_output() const {
    if (written_ && !written_->bare && written_->dimensions.size() == input_.dimensions.size()) {
      for (std::size_t i = 0; i < input_.dimensions.size(); ++i) {
        if (contains(written_->dimensions[i].axes, c_.axes.front())) return i;
      }
    }
    fail(operation() + " does not say which dimension it splits", {},
         std::string(name(c_.kind)) + "_X,K (over X, along K)");
  }

  std::string operation() const {
    return std::string(name(c_.kind)) + (c_.axes.empty() ? "" : "_" + axes_text(c_.axes));
  }
  std::string label(std::size_t i) const {
    const std::string& n = input_.dimensions[i].name;
    return n.empty() ? "dimension " + std::to_string(i + 1) : n;
  }
  std::string sharded_axes() const {
    std::string list;
    for (const Dimension& d : input_.dimensions) {
      for (const std::string& axis : d.axes) list += (list.empty() ? "" : ", ") + axis;
    }
    return list.empty() ? "an axis the input is sharded over; it has none" : list;
  }
  ArrayRef with_unreduced(Axes axes) const {
    ArrayRef a = input_;
    a.unreduced = std::move(axes);
    return a;
  }
  [[noreturn]] void fail(const std::string& problem, const std::string& got = {},
                         const std::string& valid = {}) const {
    throw NotationError(column_, problem, got, valid);
  }

  const Collective& c_;
  const ArrayRef& input_;
  const std::optional<ArrayRef>& written_;
  int column_;
};

// A dimension's name may be left out on either side, and so may its size.
bool same_dimension(const Dimension& written, const Dimension& computed) {
  return written.name.empty() || computed.name.empty() || written.name == computed.name;
}

bool same_axes(Axes a, Axes b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// The output as written, `?` filled in and sizes known; it must be what the collective gives.
ArrayRef checked_output(const ArrayRef& written, const ArrayRef& computed, const Sizes& sizes) {
  const auto fail = [&](int column, const std::string& problem) {
    ArrayRef expected = computed;
    expected.name = written.name;
    throw NotationError(column, problem, sharding_text(written), sharding_text(expected));
  };
  ArrayRef result = computed;
  result.name = written.name;
  result.place = written.place;
  if (written.dtype && *written.dtype != *computed.dtype) {
    throw NotationError(written.place.column, "a collective does not change the element type",
                        std::string(name(*written.dtype)), std::string(name(*computed.dtype)));
  }
  if (written.bare) return result;
  if (written.dimensions.size() != computed.dimensions.size()) {
    fail(written.place.column, "the output has another number of dimensions than the input");
  }
  for (std::size_t i = 0; i < written.dimensions.size(); ++i) {
    const Dimension& w = written.dimensions[i];
    Dimension& d = result.dimensions[i];
    if (w.ellipsis() || !same_dimension(w, d)) fail(w.place.column, "the output has other dimensions than the input");
    if (!w.open && w.axes != d.axes) fail(w.place.column, "the collective does not give this output sharding");
    if ((w.size || !w.name.empty()) && (w.size || sizes.contains(w.name)) && size_of(w, sizes) != *d.size) {
      fail(w.place.column, "the output has another size than the input");
    }
    d.place = w.place;
    d.divided = w.divided;
    if (!w.name.empty()) d.name = w.name;
  }
  if (!same_axes(written.unreduced, computed.unreduced)) {
    fail(written.place.column, "the collective does not leave these partial sums");
  }
  return result;
}

// V: one group's array in whole shards. Cut over the collective's axes on both sides, it is group x pieces of that.
Bytes group_bytes(const ResolvedCollective& s, const Mesh& mesh) {
  if (s.kind == CollectiveKind::slice) return Bytes(0);
  std::vector<std::uint64_t> shape;
  for (std::size_t i = 0; i < s.input.dimensions.size(); ++i) {
    const Dimension& in = s.input.dimensions[i];
    const Dimension& out = s.output.dimensions[i];
    const bool shrinks = out.axes.size() >= in.axes.size();
    const Axes& finest = shrinks ? out.axes : in.axes;
    const Axes& kept = shrinks ? in.axes : out.axes;
    const std::uint64_t pieces = mesh.ways(finest);
    const std::uint64_t piece = block_length(*in.size, pieces);
    shape.push_back(piece);
    shape.push_back(pieces / mesh.ways(kept));
  }
  return bytes_of(element_count(shape), *s.input.dtype);
}

}  // namespace

ArrayRef resolved(const ArrayRef& a, const Arrays& arrays) {
  if (!a.bare) return a;
  const auto known = arrays.find(a.name);
  if (known == arrays.end()) {
    std::string names;
    for (const auto& [name, array] : arrays) names += (names.empty() ? "" : ", ") + name;
    throw NotationError(a.place.column, "no line before defines this array", a.name,
                        (names.empty() ? "" : names + ", or ") + a.name + "[...] with its dimensions");
  }
  ArrayRef definition = known->second;
  if (a.dtype && definition.dtype && *a.dtype != *definition.dtype) {
    throw NotationError(a.place.column, "the array was defined with another element type",
                        std::string(name(*a.dtype)), std::string(name(*definition.dtype)));
  }
  if (a.dtype) definition.dtype = a.dtype;
  definition.place = a.place;
  for (Dimension& d : definition.dimensions) d.place = a.place;  // theirs are columns of another line
  return definition;
}

ResolvedCollective collective_step(const Collective& c, const ArrayContext& context) {
  Sizes sizes = context.sizes;
  if (!c.input.bare) add_inline_sizes(c.input, sizes);
  if (c.output) add_inline_sizes(*c.output, sizes);
  ArrayRef input = with_sizes(resolved(c.input, context.arrays), sizes);
  input.dtype = input.dtype.value_or(context.dtype);

  const Effect effect = Check(c, input, c.output).effect();
  ResolvedCollective step;
  step.kind = c.kind;
  step.axes = effect.axes;
  step.group = context.mesh.ways(effect.axes);
  step.input = std::move(input);
  step.output = c.output ? checked_output(*c.output, effect.output, sizes) : effect.output;
  step.padded = layout(step.input, sizes, context.mesh).padded || layout(step.output, sizes, context.mesh).padded;
  step.bytes = group_bytes(step, context.mesh);
  return step;
}

}  // namespace hopsim

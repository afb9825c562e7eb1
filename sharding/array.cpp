#include "sharding/array.hpp"

#include <algorithm>

#include "sim/error.hpp"

namespace hopsim {
namespace {

void require_dimensions(const ArrayRef& a) {
  if (a.bare)
    throw NotationError(a.place.column, "the array is not defined yet", a.name,
                        "its dimensions, " + a.name + "[...]");
}

std::uint64_t product(std::uint64_t a, std::uint64_t b, const char* problem) {
  const Uint128 value = static_cast<Uint128>(a) * b;
  if (value >> 63 != 0) throw InputError(problem, {}, "less than 2^63");
  return static_cast<std::uint64_t>(value);
}

struct EachArray {
  const std::function<void(const ArrayRef&)>& visit;

  void operator()(const std::optional<ArrayRef>& a) const {
    if (a) visit(*a);
  }
  void operator()(const Declaration& s) const { visit(s.array); }
  void operator()(const Matmul& s) const {
    visit(s.lhs);
    visit(s.rhs);
    (*this)(s.output);
  }
  void operator()(const Collective& s) const {
    visit(s.input);
    (*this)(s.output);
  }
  void operator()(const Elementwise& s) const {
    for (const ArrayRef& input : s.inputs) visit(input);
    (*this)(s.output);
  }
  void operator()(const Reshard& s) const {
    visit(s.input);
    visit(s.output);
  }
};

}  // namespace

// ---- Mesh
// -----------------------------------------------------------------------------------------------------------

Mesh::Mesh(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto& [axis, size] = axes_[i];
    const bool twice = std::any_of(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&axis = axis](const Axis& a) { return a.first == axis; });
    if (twice) throw InputError("a mesh has two axes of one name", axis);
    if (size == 0) throw InputError("a mesh axis has no chips", axis + ": 0", "at least 1");
    chips_ = product(chips_, size, "a mesh has too many chips");
  }
}

AxisNames Mesh::names() const {
  std::vector<std::string> names;
  for (const Axis& a : axes_) names.push_back(a.first);
  return AxisNames(std::move(names));
}

std::size_t Mesh::position(std::string_view axis) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].first == axis) return i;
  }
  throw InputError("unknown axis", std::string(axis), names().list());
}

std::uint32_t Mesh::size(std::string_view axis) const { return axes_[position(axis)].second; }

std::uint64_t Mesh::ways(const std::vector<std::string>& axes) const {
  std::uint64_t ways = 1;
  for (const std::string& axis : axes) ways *= size(axis);  // distinct axes of one mesh: at most its chips
  return ways;
}

// ---- Sizes
// ----------------------------------------------------------------------------------------------------------

void add_inline_sizes(const ArrayRef& a, Sizes& sizes) {
  for (const Dimension& d : a.dimensions) {
    if (d.name.empty() || !d.size) continue;
    const auto [known, added] = sizes.emplace(d.name, *d.size);
    if (!added && known->second != *d.size) {
      throw NotationError(d.place.column, "dimension " + d.name + " has two sizes", std::to_string(*d.size),
                          std::to_string(known->second));
    }
  }
}

void for_each_array(const Statement& s, const std::function<void(const ArrayRef&)>& visit) {
  std::visit(EachArray{visit}, s);
}

void add_inline_sizes(const Statement& s, Sizes& sizes) {
  for_each_array(s, [&](const ArrayRef& a) { add_inline_sizes(a, sizes); });
}

std::uint64_t size_of(const Dimension& d, const Sizes& sizes) {
  if (d.ellipsis() || (d.name.empty() && !d.size)) {
    throw NotationError(d.place.column, "the dimension has no size", d.ellipsis() ? "..." : "?",
                        "a name or a number");
  }
  const auto known = sizes.find(d.name);
  if (!d.size && known == sizes.end()) {
    std::string names;
    for (const auto& [name, size] : sizes) names += (names.empty() ? "" : ", ") + name;
    throw NotationError(d.place.column, "dimension " + d.name + " has no size", {},
                        (names.empty() ? "" : names + ", or ") + d.name + "=1024 inline");
  }
  if (d.size && known != sizes.end() && known->second != *d.size) {
    throw NotationError(d.place.column, "dimension " + d.name + " has two sizes", std::to_string(*d.size),
                        std::to_string(known->second));
  }
  return d.size ? *d.size : known->second;
}

ArrayRef with_sizes(ArrayRef a, const Sizes& sizes) {
  require_dimensions(a);
  for (Dimension& d : a.dimensions) {
    if (d.open) throw NotationError(d.place.column, "the sharding is still to be found", "'?'");
    d.size = size_of(d, sizes);
  }
  return a;
}

// ---- Layout
// ---------------------------------------------------------------------------------------------------------

std::uint64_t element_count(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (std::uint64_t n : shape) count = product(count, n, "an array has too many elements");
  return count;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (std::uint64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

std::string sharding_text(ArrayRef a) {
  for (Dimension& d : a.dimensions)
    if (!d.name.empty()) d.size.reset();
  a.dtype.reset();
  return print(a);
}

std::uint64_t copies(const ArrayRef& a, const Mesh& mesh) {
  require_dimensions(a);
  std::uint64_t different = mesh.ways(a.unreduced);
  for (const Dimension& d : a.dimensions) different *= mesh.ways(d.axes);
  return mesh.chips() / different;
}

ArrayLayout layout(const ArrayRef& array, const Sizes& sizes, const Mesh& mesh, DType otherwise) {
  const ArrayRef a = with_sizes(array, sizes);
  ArrayLayout l;
  l.dtype = a.dtype.value_or(otherwise);
  l.copies = copies(a, mesh);
  for (const Dimension& d : a.dimensions) {
    const std::uint64_t ways = mesh.ways(d.axes);
    l.global_shape.push_back(*d.size);
    l.local_shape.push_back(block_length(*d.size, ways));
    l.padded = l.padded || *d.size % ways != 0;
  }
  try {
    bytes_of(element_count(l.global_shape), l.dtype);  // an array nobody could count is refused, however cut
  } catch (const InputError&) {
    if (array.place.column == 0) throw;
    throw NotationError(array.place.column, "an array has too many elements or bytes", print(a), "less than 2^63");
  }
  l.bytes_per_chip = bytes_of(element_count(l.local_shape), l.dtype);
  l.total_bytes =
      Bytes(product(l.bytes_per_chip.count(), mesh.chips(), "an array takes too many bytes on all chips"));
  return l;
}

std::vector<IndexRange> index_ranges(const ArrayRef& array, const Sizes& sizes, const Mesh& mesh,
                                     const std::vector<std::uint32_t>& coordinates) {
  const ArrayRef a = with_sizes(array, sizes);
  std::vector<IndexRange> ranges;
  for (const Dimension& d : a.dimensions) {
    std::uint64_t block = 0;
    for (const std::string& axis : d.axes) block = block * mesh.size(axis) + coordinates.at(mesh.position(axis));
    const std::uint64_t length = block_length(*d.size, mesh.ways(d.axes));
    const auto bounded = [&](std::uint64_t blocks) {
      return blocks > *d.size / length ? *d.size : std::min(*d.size, blocks * length);
    };
    ranges.push_back({bounded(block), bounded(block + 1)});
  }
  return ranges;
}

}  // namespace hopsim

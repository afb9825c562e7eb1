#include "sharding/block_product.hpp"

#include <algorithm>

namespace hopsim {
namespace {

using Axes = Sharding::Axes;

bool contains(const Axes& axes, std::uint8_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int position(const ArrayRef& a, const std::string& name) {
  for (std::size_t d = 0; d < a.dimensions.size(); ++d)
    if (a.dimensions[d].name == name) return static_cast<int>(d);
  return -1;
}

Axes all_axes(const Sharding& s) {
  Axes all;
  for (const Axes& axes : s.dimensions) all.insert(all.end(), axes.begin(), axes.end());
  return all;
}

DType wider(DType a, DType b) { return bits(b) > bits(a) ? b : a; }

}  // namespace

BlockProduct::BlockProduct(const Product& p, const Mesh& mesh) : product_(p), mesh_(mesh) {
  for (const ProductDimension& d : p.dimensions)
    dimensions_.push_back({position(p.lhs, d.name), position(p.rhs, d.name), position(p.output, d.name), d.size});
}

std::optional<Sharding> BlockProduct::output(const Sharding& lhs, const Sharding& rhs) const {
  Sharding out;
  out.dimensions.resize(product_.output.dimensions.size());
  std::uint32_t used = 0;
  for (const Positions& p : dimensions_) {
    const Axes& axes = p.lhs >= 0 ? lhs.dimensions[at(p.lhs)] : rhs.dimensions[at(p.rhs)];
    if (p.lhs >= 0 && p.rhs >= 0 && axes != rhs.dimensions[at(p.rhs)]) return std::nullopt;
    for (const std::uint8_t axis : axes) {
      if (used >> axis & 1) return std::nullopt;
      used |= 1u << axis;
    }
    if (p.output >= 0)
      out.dimensions[at(p.output)] = axes;
    else
      out.unreduced.insert(out.unreduced.end(), axes.begin(), axes.end());
  }
  std::sort(out.unreduced.begin(), out.unreduced.end());
  return out;
}

LocalProduct BlockProduct::work(const Sharding& lhs, const Sharding& rhs) const {
  Uint128 multiplications = 1;
  std::uint64_t a = 1, b = 1, c = 1;
  for (const Positions& p : dimensions_) {
    const Axes& axes = p.lhs >= 0 ? lhs.dimensions[at(p.lhs)] : rhs.dimensions[at(p.rhs)];
    const std::uint64_t n = block_length(p.size, ways_of(axes, mesh_));
    multiplications *= n;
    if (p.lhs >= 0) a *= n;
    if (p.rhs >= 0) b *= n;
    if (p.output >= 0) c *= n;
  }
  LocalProduct work{{}, {}, {}, wider(*product_.lhs.dtype, *product_.rhs.dtype), Flops(2 * multiplications), {}};
  work.bytes =
      bytes_of(a, *product_.lhs.dtype) + bytes_of(b, *product_.rhs.dtype) + bytes_of(c, *product_.output.dtype);
  return work;
}

bool BlockProduct::plain(const Sharding& was, const Sharding& now, const Sharding& other, bool left) const {
  const Axes before = all_axes(was), elsewhere = all_axes(other);
  for (const Positions& p : dimensions_) {
    const int mine = left ? p.lhs : p.rhs, others = left ? p.rhs : p.lhs;
    if (mine < 0) continue;
    const Axes &had = was.dimensions[at(mine)], &has = now.dimensions[at(mine)];
    const auto follows = [&](std::uint8_t axis) {
      return others >= 0 && !contains(before, axis) && contains(other.dimensions[at(others)], axis);
    };
    const auto needless = [&](std::uint8_t axis) {
      return !contains(has, axis) && !contains(elsewhere, axis) && p.output >= 0 && may_have(at(p.output), axis);
    };
    if (!std::all_of(has.begin(), has.end(), [&](auto axis) { return contains(had, axis) || follows(axis); }))
      return false;
    if (std::any_of(had.begin(), had.end(), needless)) return false;
  }
  return true;
}

bool BlockProduct::may_have(std::size_t output_dimension, std::uint8_t axis) const {
  const Dimension& d = product_.output.dimensions[output_dimension];
  return d.open || std::count(d.axes.begin(), d.axes.end(), mesh_.axes()[axis].first) > 0;
}

}  // namespace hopsim

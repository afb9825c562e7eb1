#include "sharding/value_shapes.hpp"

#include <algorithm>

namespace hopsim {
namespace {

// Resharded arrays may have nameless dimensions.
std::string key(const ArrayRef& a, std::size_t i) {
  return a.dimensions[i].name.empty() ? "#" + std::to_string(i + 1) : a.dimensions[i].name;
}

// How far apart neighbours along each of these dimensions are in the row-major array; 0 along those it lacks.
Lengths strides(const ArrayRef& a, const Lengths& lengths, const std::vector<std::string>& dimensions) {
  Lengths result;
  for (const std::string& name : dimensions) {
    const std::optional<std::size_t> at = position_of(name, a);
    std::uint64_t stride = at ? 1 : 0;
    for (std::size_t i = lengths.size(); at && i-- > *at + 1;) stride *= lengths[i];
    result.push_back(stride);
  }
  return result;
}

}  // namespace

std::optional<std::size_t> position_of(const std::string& dimension, const ArrayRef& a) {
  for (std::size_t i = 0; i < a.dimensions.size(); ++i)
    if (a.dimensions[i].name == dimension) return i;
  return std::nullopt;
}

void CutSizes::add(const ArrayRef& a) {
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    Cut& cut = cuts_[key(a, i)];
    if (a.dimensions[i].size) cut.size = *a.dimensions[i].size;
    cut.axes.insert(a.dimensions[i].axes.begin(), a.dimensions[i].axes.end());
  }
}

std::uint64_t CutSizes::size(const std::string& dimension) const {
  const Cut& cut = cuts_.at(dimension);
  const std::uint64_t ways = mesh_.ways({cut.axes.begin(), cut.axes.end()});
  const std::uint64_t least = std::max<std::uint64_t>(ways, 2);
  return cut.size < 2 * ways ? cut.size : std::min(cut.size, least + cut.size % ways);
}

BlockShape CutSizes::shape(const ArrayRef& a) const {
  BlockShape s;
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const std::uint64_t n = size(key(a, i)), ways = mesh_.ways(a.dimensions[i].axes);
    s.global.push_back(n);
    s.local.push_back(n / ways + (n % ways != 0 ? 1 : 0));
  }
  return s;
}

std::string CutSizes::text() const {
  std::string text;
  for (const auto& [dimension, cut] : cuts_) {
    text += (text.empty() ? "" : ", ") + dimension + "=" + std::to_string(size(dimension));
  }
  return text;
}

Contraction::Contraction(const Product& p, const ArrayRef& lhs, const Lengths& lhs_lengths, const ArrayRef& rhs,
                         const Lengths& rhs_lengths, const ArrayRef& output) {
  std::vector<std::string> kept, summed;
  for (const Dimension& d : output.dimensions) kept.push_back(d.name);
  Lengths lengths;
  for (const ProductDimension& d : p.dimensions) {
    if (d.role != Role::contracted) continue;
    summed.push_back(d.name);
    lengths.push_back(lhs_lengths.at(position_of(d.name, lhs).value()));
  }
  lhs_ = strides(lhs, lhs_lengths, kept);
  rhs_ = strides(rhs, rhs_lengths, kept);
  const Lengths in_lhs = strides(lhs, lhs_lengths, summed), in_rhs = strides(rhs, rhs_lengths, summed);
  Odometer count(std::move(lengths));
  do sum_.emplace_back(offset(in_lhs, count.at()), offset(in_rhs, count.at()));
  while (count.next());
}

std::uint64_t Contraction::offset(const Lengths& strides, const Lengths& at) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) sum += at[i] * strides[i];
  return sum;
}

}  // namespace hopsim

// Sharded arrays on a mesh: what each chip holds.
//
// A dimension of n elements over axes of k chips in all is cut into k blocks of ceil(n / k), as XLA does: where k
// does not divide n, the last blocks are padded (some may be padding only), and bytes count the padding. The chip at
// (x, y, ...) of the mesh holds block number x * |Y| + y of a dimension over XY: the first axis is the outer one.
//
// Errors: InputError for names without a size, sizes that disagree, axes the mesh lacks, counts beyond 2^63.
// NotationError (with its column) where an array's text is at fault. Cost: linear in dimensions and axes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sharding/notation.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

// The logical mesh: named axes in order, the last one fastest.
class Mesh {
 public:
  using Axis = std::pair<std::string, std::uint32_t>;

  Mesh() = default;                       // no axes: one chip
  explicit Mesh(std::vector<Axis> axes);  // names distinct, sizes at least 1

  const std::vector<Axis>& axes() const { return axes_; }
  AxisNames names() const;
  std::uint64_t chips() const { return chips_; }
  std::uint32_t size(std::string_view axis) const;                 // throws InputError for an unknown one
  std::size_t position(std::string_view axis) const;               // in axes()
  std::uint64_t ways(const std::vector<std::string>& axes) const;  // product of their sizes

 private:
  std::vector<Axis> axes_;
  std::uint64_t chips_ = 1;
};

// Elements of a dimension on a chip, padded up: ceil(size / ways).
constexpr std::uint64_t block_length(std::uint64_t size, std::uint64_t ways) {
  return size / ways + (size % ways != 0 ? 1 : 0);
}

// All arrays a line names, operands before the output.
void for_each_array(const Statement&, const std::function<void(const ArrayRef&)>&);

using Sizes = std::map<std::string, std::uint64_t, std::less<>>;  // of dimensions, by name

// The sizes a line gives inline, added to those known. Throws where they disagree.
void add_inline_sizes(const ArrayRef&, Sizes&);
void add_inline_sizes(const Statement&, Sizes&);

// The size of a dimension: its own, or that of its name.
std::uint64_t size_of(const Dimension&, const Sizes&);
// The array with every size inline; a bare array, `?` and `...` are errors.
ArrayRef with_sizes(ArrayRef, const Sizes&);

struct ArrayLayout {
  std::vector<std::uint64_t> global_shape;
  std::vector<std::uint64_t> local_shape;  // padded up
  bool padded = false;                     // some dimension does not divide evenly
  DType dtype{};
  Bytes bytes_per_chip;
  Bytes total_bytes;         // on all chips
  std::uint64_t copies = 1;  // of the array; partial sums are not copies
};

// Sizes come from the array or from `sizes`; the type from the array, or it is `otherwise`.
ArrayLayout layout(const ArrayRef&, const Sizes&, const Mesh&, DType otherwise = DType::bf16);

// How many times the mesh holds the whole array; needs no sizes, so `...` may stand in it.
std::uint64_t copies(const ArrayRef&, const Mesh&);

// Which elements of each dimension the chip at these coordinates of the mesh holds, padding left out.
struct IndexRange {
  std::uint64_t begin = 0, end = 0;  // half open; empty for a chip with padding only
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};
std::vector<IndexRange> index_ranges(const ArrayRef&, const Sizes&, const Mesh&,
                                     const std::vector<std::uint32_t>& coordinates);

// "A[I_X, J]{U_Y}": as people write it, without element type, and with sizes only where a dimension has no name.
std::string sharding_text(ArrayRef);

// Elements of a shape. Throws InputError at 2^63 and above.
std::uint64_t element_count(const std::vector<std::uint64_t>& shape);
std::string shape_text(const std::vector<std::uint64_t>& shape);  // "[8, 2048]"

}  // namespace hopsim

// The chips a collective runs over: disjoint rows of the fabric, all alike and all at once. "Every row along X" is
// one Row value. A chip's place in its row is its position; a distance along a row is signed, the sign being the way
// round.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/coordinates.hpp"

namespace hopsim {

class Row {
 public:
  explicit Row(const Shape& shape, std::vector<int> dimensions = {})
      : shape_(shape), dimensions_(std::move(dimensions)) {}
  virtual ~Row() = default;
  const Shape& shape() const { return shape_; }
  const std::vector<int>& dimensions() const { return dimensions_; }  // it spans, outermost first; none: listed chips
  virtual int size() const = 0;
  virtual bool wraps() const = 0;              // the last and the first are neighbours; needs at least 3
  int position(const Coordinates& at) const {  // -1: in no row
    return Shape::is_switch(at) ? -1 : place(at);
  }
  virtual Coordinates at(int position) const = 0;  // in one of the rows
  // Whether positions are hops along one dimension, so that the way `distance` on passes all positions in between.
  virtual bool straight() const = 0;
  // The way to the chip `distance` positions on; past the ends only where the row wraps.
  virtual Offset way(const Coordinates& at, int distance) const = 0;
  // Names the row a chip is in, e.g. by the chip at position 0.
  virtual ChipId first(const Coordinates& at) const = 0;

 private:
  virtual int place(const Coordinates& at) const = 0;

  Shape shape_;
  std::vector<int> dimensions_;
};

using RowPtr = std::shared_ptr<const Row>;

// The rows along one dimension of the box.
RowPtr row_along(const Shape&, int dimension);

// Rows over several dimensions. A ring visits the box by steps of one hop and comes back to its beginning where that
// can be done (some size is even), else it is a line; on 2x2 it is (0,0), (0,1), (1,1), (1,0). Rows takes the chips
// row by row, the last dimension fastest: neighbours in the row may then be several hops apart, and share links.
enum class RowOrder { ring, rows };
RowPtr row_over(const Shape&, const std::vector<int>& dimensions, RowOrder);
// Any sets of chips, all of one size, each in the order of its list: a compiler's replica groups. Neighbours in a
// group may be several hops apart. Throws InputError for groups of different sizes, or a chip that is in two or twice
// in one.
RowPtr row_of_groups(const Shape&, const std::vector<std::vector<ChipId>>& groups);

// The same rows with their members in another cyclic order: order[p] is the position of the p-th.
RowPtr row_in_order(RowPtr, std::vector<int> order);

// Every chip by itself: an axis of 1.
RowPtr row_alone(const Shape&);

}  // namespace hopsim

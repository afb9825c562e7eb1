// The chips a collective runs over: disjoint rows of the fabric, all alike and all at once. "Every row along X" is one
// Row value. A chip's place in its row is its position; a distance along a row is signed, the sign being the way round.
#pragma once

#include <memory>
#include <string>

#include "sim/coordinates.hpp"

namespace hopsim {

class Row {
 public:
  virtual ~Row() = default;
  virtual int size() const = 0;
  virtual bool wraps() const = 0;                    // the last and the first are neighbours; needs at least 3
  virtual int position(const Coordinates& at) const = 0;   // -1: in no row
  // The way to the chip `distance` positions on; past the ends only where the row wraps.
  virtual Offset way(const Coordinates& at, int distance) const = 0;
  // Names the row a chip is in, e.g. by the chip at position 0.
  virtual ChipId first(const Coordinates& at) const = 0;
};

using RowPtr = std::shared_ptr<const Row>;

// The rows along one dimension of the box.
RowPtr row_along(const Shape&, int dimension);
// Every chip by itself: an axis of 1.
RowPtr row_alone(const Shape&);

}  // namespace hopsim

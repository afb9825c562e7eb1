#include "collectives/row.hpp"

namespace hopsim {
namespace {

class RowAlong final : public Row {
 public:
  RowAlong(const Shape& shape, int dimension) : shape_(shape), dimension_(dimension) {}
  int size() const override { return shape_.size[dimension_]; }
  bool wraps() const override { return shape_.wrap[dimension_]; }
  int position(const Coordinates& at) const override { return at[dimension_]; }
  Offset way(const Coordinates&, int distance) const override { return along(dimension_, distance); }
  ChipId first(const Coordinates& at) const override {
    Coordinates x = at;
    x[dimension_] = 0;
    return shape_.chip(x);
  }

 private:
  Shape shape_;
  int dimension_;
};

}  // namespace

RowPtr row_along(const Shape& shape, int dimension) { return std::make_shared<RowAlong>(shape, dimension); }

}  // namespace hopsim

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

class RowAlone final : public Row {
 public:
  explicit RowAlone(const Shape& shape) : shape_(shape) {}
  int size() const override { return 1; }
  bool wraps() const override { return false; }
  int position(const Coordinates&) const override { return 0; }
  Offset way(const Coordinates&, int) const override { return {}; }
  ChipId first(const Coordinates& at) const override { return shape_.chip(at); }

 private:
  Shape shape_;
};

}  // namespace

RowPtr row_along(const Shape& shape, int dimension) { return std::make_shared<RowAlong>(shape, dimension); }
RowPtr row_alone(const Shape& shape) { return std::make_shared<RowAlone>(shape); }

}  // namespace hopsim

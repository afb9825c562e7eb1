#include "collectives/row.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {
namespace {

class RowAlong final : public Row {
 public:
  RowAlong(const Shape& shape, int dimension) : shape_(shape), dimension_(dimension) {}
  int size() const override { return shape_.size[dimension_]; }
  bool wraps() const override { return shape_.wrap[dimension_]; }
  bool straight() const override { return true; }
  int position(const Coordinates& at) const override { return at[dimension_]; }
  Coordinates at(int position) const override {
    Coordinates x{};
    x[static_cast<std::size_t>(dimension_)] = static_cast<std::int16_t>(position);
    return x;
  }
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

// The chips of a box of these sizes, one hop at a time: boustrophedon, like lines of a ploughed field.
std::vector<std::vector<int>> path_through(const std::vector<int>& sizes) {
  std::vector<std::vector<int>> path{{}};
  for (const int n : sizes) {
    std::vector<std::vector<int>> longer;
    bool backwards = false;
    for (const auto& head : path) {
      for (int k = 0; k < n; ++k) {
        longer.push_back(head);
        longer.back().push_back(backwards ? n - 1 - k : k);
      }
      backwards = !backwards;
    }
    path = std::move(longer);
  }
  return path;
}

// A closed walk over a box of `a` by a path of `b`, `a` even: out along the first row, back and forth through all but
// the first column, home along that column.
std::vector<std::pair<int, int>> cycle_through(int a, int b) {
  std::vector<std::pair<int, int>> cycle{{0, 0}};
  for (int r = 0; r < a; ++r)
    for (int k = 1; k < b; ++k) cycle.emplace_back(r, r % 2 ? b - k : k);
  for (int r = a; r-- > 1;) cycle.emplace_back(r, 0);
  return cycle;
}

struct Visit {
  std::vector<std::vector<int>> order;              // coordinates by dimension of the row
  bool closed = false;
};

Visit ring_through(std::vector<int> sizes) {
  const auto even = std::find_if(sizes.begin(), sizes.end(), [](int n) { return n % 2 == 0; });
  if (sizes.size() < 2 || even == sizes.end()) return {path_through(sizes), false};
  const auto turn = static_cast<std::size_t>(even - sizes.begin());
  const int a = sizes[turn];
  sizes.erase(even);
  const auto path = path_through(sizes);
  Visit visit{{}, true};
  for (const auto& [row, column] : cycle_through(a, static_cast<int>(path.size()))) {
    visit.order.push_back(path[static_cast<std::size_t>(column)]);
    visit.order.back().insert(visit.order.back().begin() + static_cast<std::ptrdiff_t>(turn), row);
  }
  return visit;
}

class RowOver final : public Row {
 public:
  RowOver(const Shape& shape, std::vector<int> dimensions, const Visit& visit)
      : shape_(shape), dimensions_(std::move(dimensions)), wraps_(visit.closed && visit.order.size() > 2) {
    position_.resize(visit.order.size());
    for (std::size_t p = 0; p < visit.order.size(); ++p) {
      Coordinates at{};
      for (std::size_t k = 0; k < dimensions_.size(); ++k)
        at[static_cast<std::size_t>(dimensions_[k])] = static_cast<std::int16_t>(visit.order[p][k]);
      at_.push_back(at);
      position_[rank(at)] = static_cast<int>(p);
    }
  }
  int size() const override { return static_cast<int>(at_.size()); }
  bool wraps() const override { return wraps_; }
  bool straight() const override { return false; }
  int position(const Coordinates& at) const override { return position_[rank(at)]; }
  Coordinates at(int position) const override { return at_[static_cast<std::size_t>(position)]; }
  Offset way(const Coordinates& at, int distance) const override {
    const int n = size();
    const Coordinates& to = at_[static_cast<std::size_t>(((position(at) + distance) % n + n) % n)];
    Offset way;
    for (const int d : dimensions_) {
      int hops = to[d] - at[d];
      const int length = shape_.size[d];
      if (shape_.wrap[d] && 2 * hops > length) hops -= length;
      if (shape_.wrap[d] && 2 * hops < -length) hops += length;
      way = way.with(d, hops);
    }
    return way;
  }
  ChipId first(const Coordinates& at) const override {
    Coordinates x = at;
    for (const int d : dimensions_) x[d] = 0;
    return shape_.chip(x);
  }

 private:
  std::size_t rank(const Coordinates& at) const {
    std::size_t r = 0;
    for (const int d : dimensions_) r = r * static_cast<std::size_t>(shape_.size[d]) + static_cast<std::size_t>(at[d]);
    return r;
  }

  Shape shape_;
  std::vector<int> dimensions_;
  bool wraps_;
  std::vector<Coordinates> at_;                     // by position
  std::vector<int> position_;                       // by rank in the box
};

std::vector<std::vector<int>> row_by_row(const std::vector<int>& sizes) {
  std::vector<std::vector<int>> order{{}};
  for (const int n : sizes) {
    std::vector<std::vector<int>> longer;
    for (const auto& head : order)
      for (int k = 0; k < n; ++k) {
        longer.push_back(head);
        longer.back().push_back(k);
      }
    order = std::move(longer);
  }
  return order;
}

class RowAlone final : public Row {
 public:
  explicit RowAlone(const Shape& shape) : shape_(shape) {}
  int size() const override { return 1; }
  bool wraps() const override { return false; }
  bool straight() const override { return true; }
  int position(const Coordinates&) const override { return 0; }
  Coordinates at(int) const override { return {}; }
  Offset way(const Coordinates&, int) const override { return {}; }
  ChipId first(const Coordinates& at) const override { return shape_.chip(at); }

 private:
  Shape shape_;
};

}  // namespace

RowPtr row_along(const Shape& shape, int dimension) { return std::make_shared<RowAlong>(shape, dimension); }
RowPtr row_over(const Shape& shape, const std::vector<int>& dimensions, RowOrder order) {
  std::vector<int> sizes;
  for (const int d : dimensions) sizes.push_back(shape.size[d]);
  const Visit visit = order == RowOrder::ring ? ring_through(sizes) : Visit{row_by_row(sizes), order == RowOrder::rows};
  return std::make_shared<RowOver>(shape, dimensions, visit);
}

RowPtr row_alone(const Shape& shape) { return std::make_shared<RowAlone>(shape); }

}  // namespace hopsim

#include "collectives/row.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {
namespace {

class RowAlong final : public Row {
 public:
  RowAlong(const Shape& shape, int dimension) : Row(shape, {dimension}), dimension_(dimension) {}
  int size() const override { return shape().size[dimension_]; }
  bool wraps() const override { return shape().wrap[dimension_]; }
  bool straight() const override { return true; }
  int place(const Coordinates& at) const override { return at[dimension_]; }
  Coordinates at(int position) const override {
    Coordinates x{};
    x[static_cast<std::size_t>(dimension_)] = static_cast<std::int16_t>(position);
    return x;
  }
  Offset way(const Coordinates&, int distance) const override { return along(dimension_, distance); }
  ChipId first(const Coordinates& at) const override {
    Coordinates x = at;
    x[dimension_] = 0;
    return shape().chip(x);
  }

 private:
  int dimension_;
};

// The chips of a box of these sizes, one hop at a time: boustrophedon, like lines of a ploughed field.
std::vector<Coordinates> path_through(const std::vector<int>& sizes) {
  std::vector<Coordinates> path{{}};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<Coordinates> longer;
    longer.reserve(path.size() * static_cast<std::size_t>(sizes[d]));
    bool backwards = false;
    for (const Coordinates& head : path) {
      for (int k = 0; k < sizes[d]; ++k) {
        longer.push_back(head);
        longer.back()[d] = static_cast<std::int16_t>(backwards ? sizes[d] - 1 - k : k);
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
  std::vector<Coordinates> order;  // by dimension of the row
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
    Coordinates at = path[static_cast<std::size_t>(column)];
    std::copy_backward(at.begin() + static_cast<std::ptrdiff_t>(turn), at.end() - 1, at.end());
    at[turn] = static_cast<std::int16_t>(row);
    visit.order.push_back(at);
  }
  return visit;
}

// Dimension by dimension the shorter way round.
Offset shortest_way(const Shape& shape, const Coordinates& from, const Coordinates& to) {
  Offset way;
  for (int d = 0; d < shape.dimensions; ++d) {
    const auto k = static_cast<std::size_t>(d);
    int hops = to[k] - from[k];
    const int length = shape.size[k];
    if (shape.wrap[k] && 2 * hops > length) hops -= length;
    if (shape.wrap[k] && 2 * hops < -length) hops += length;
    way = way.with(d, hops);
  }
  return way;
}

class RowOver final : public Row {
 public:
  RowOver(const Shape& box, std::vector<int> over, const Visit& visit)
      : Row(box, std::move(over)), wraps_(visit.closed && visit.order.size() > 2) {
    position_.resize(visit.order.size());
    for (std::size_t p = 0; p < visit.order.size(); ++p) {
      Coordinates at{};
      for (std::size_t k = 0; k < this->dimensions().size(); ++k)
        at[static_cast<std::size_t>(this->dimensions()[k])] = visit.order[p][k];
      at_.push_back(at);
      position_[rank(at)] = static_cast<int>(p);
    }
  }
  int size() const override { return static_cast<int>(at_.size()); }
  bool wraps() const override { return wraps_; }
  bool straight() const override { return false; }
  int place(const Coordinates& at) const override { return position_[rank(at)]; }
  Coordinates at(int position) const override { return at_[static_cast<std::size_t>(position)]; }
  Offset way(const Coordinates& at, int distance) const override {
    const int n = size();
    const Coordinates& to = at_[static_cast<std::size_t>(((position(at) + distance) % n + n) % n)];
    Coordinates target = at;
    for (const int d : dimensions()) target[static_cast<std::size_t>(d)] = to[static_cast<std::size_t>(d)];
    return shortest_way(shape(), at, target);
  }
  ChipId first(const Coordinates& at) const override {
    Coordinates x = at;
    for (const int d : dimensions()) x[d] = 0;
    return shape().chip(x);
  }

 private:
  std::size_t rank(const Coordinates& at) const {
    std::size_t r = 0;
    for (const int d : dimensions())
      r = r * static_cast<std::size_t>(shape().size[d]) + static_cast<std::size_t>(at[d]);
    return r;
  }

  bool wraps_;
  std::vector<Coordinates> at_;  // by position
  std::vector<int> position_;    // by rank in the box
};

std::vector<Coordinates> row_by_row(const std::vector<int>& sizes) {
  std::vector<Coordinates> order{{}};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<Coordinates> longer;
    longer.reserve(order.size() * static_cast<std::size_t>(sizes[d]));
    for (const Coordinates& head : order)
      for (int k = 0; k < sizes[d]; ++k) {
        longer.push_back(head);
        longer.back()[d] = static_cast<std::int16_t>(k);
      }
    order = std::move(longer);
  }
  return order;
}

class RowOfGroups final : public Row {
 public:
  RowOfGroups(const Shape& box, const std::vector<std::vector<ChipId>>& groups)
      : Row(box), groups_(groups), member_(box.chips()) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].size() != groups.front().size())
        throw InputError("groups of different sizes", std::to_string(groups.front().size()) + " and " +
                                                          std::to_string(groups[g].size()) + " chips");
      for (std::size_t p = 0; p < groups[g].size(); ++p) {
        Member& place = member_[index(groups[g][p])];
        if (place.position >= 0)
          throw InputError("a chip stands twice in the groups", std::to_string(index(groups[g][p])));
        place = {static_cast<int>(g), static_cast<int>(p)};
      }
    }
  }
  int size() const override { return static_cast<int>(groups_.front().size()); }
  bool wraps() const override { return size() > 2; }
  bool straight() const override { return false; }
  int place(const Coordinates& at) const override { return member(at).position; }
  Coordinates at(int position) const override {
    return shape().at(groups_.front()[static_cast<std::size_t>(position)]);
  }
  Offset way(const Coordinates& at, int distance) const override {
    const Member& here = member(at);
    const int n = size();
    const auto to = static_cast<std::size_t>(((here.position + distance) % n + n) % n);
    return shortest_way(shape(), at, shape().at(groups_[static_cast<std::size_t>(here.group)][to]));
  }
  ChipId first(const Coordinates& at) const override {
    return groups_[static_cast<std::size_t>(member(at).group)].front();
  }

 private:
  struct Member {
    int group = -1, position = -1;
  };
  const Member& member(const Coordinates& at) const { return member_[index(shape().chip(at))]; }

  std::vector<std::vector<ChipId>> groups_;
  std::vector<Member> member_;  // by chip
};

class RowInOrder final : public Row {
 public:
  RowInOrder(RowPtr of, std::vector<int> order)
      : Row(of->shape(), of->dimensions()), of_(std::move(of)), order_(std::move(order)), rank_(order_.size()) {
    for (std::size_t p = 0; p < order_.size(); ++p) rank_[static_cast<std::size_t>(order_[p])] = static_cast<int>(p);
  }
  int size() const override { return of_->size(); }
  bool wraps() const override { return of_->size() > 2; }
  bool straight() const override { return false; }
  Coordinates at(int position) const override { return of_->at(order_[static_cast<std::size_t>(position)]); }
  Offset way(const Coordinates& at, int distance) const override {
    const int n = size(), here = position(at);
    const auto there = static_cast<std::size_t>(((here + distance) % n + n) % n);
    return of_->way(at, order_[there] - order_[static_cast<std::size_t>(here)]);
  }
  ChipId first(const Coordinates& at) const override { return of_->first(at); }

 private:
  int place(const Coordinates& at) const override {
    const int p = of_->position(at);
    return p < 0 ? p : rank_[static_cast<std::size_t>(p)];
  }

  RowPtr of_;
  std::vector<int> order_, rank_;
};

class RowAlone final : public Row {
 public:
  explicit RowAlone(const Shape& shape) : Row(shape) {}
  int size() const override { return 1; }
  bool wraps() const override { return false; }
  bool straight() const override { return true; }
  int place(const Coordinates&) const override { return 0; }
  Coordinates at(int) const override { return {}; }
  Offset way(const Coordinates&, int) const override { return {}; }
  ChipId first(const Coordinates& at) const override { return shape().chip(at); }
};

}  // namespace

RowPtr row_along(const Shape& shape, int dimension) { return std::make_shared<RowAlong>(shape, dimension); }
RowPtr row_over(const Shape& shape, const std::vector<int>& dimensions, RowOrder order) {
  std::vector<int> sizes;
  for (const int d : dimensions) sizes.push_back(shape.size[d]);
  const Visit visit = order == RowOrder::ring ? ring_through(sizes) : Visit{row_by_row(sizes), true};
  return std::make_shared<RowOver>(shape, dimensions, visit);
}

RowPtr row_of_groups(const Shape& shape, const std::vector<std::vector<ChipId>>& groups) {
  return std::make_shared<RowOfGroups>(shape, groups);
}

RowPtr row_in_order(RowPtr row, std::vector<int> order) {
  return std::make_shared<RowInOrder>(std::move(row), std::move(order));
}

RowPtr row_alone(const Shape& shape) { return std::make_shared<RowAlone>(shape); }

}  // namespace hopsim

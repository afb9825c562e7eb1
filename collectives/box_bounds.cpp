#include "collectives/box_bounds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "collectives/bound_facts.hpp"

namespace hopsim {
namespace {

// One dimension of the box.
struct Side {
  int n = 1;
  bool wrapped = false;
  bool of_row = false;  // whether a group spans it, or lies in one plane across it

  int ports(int x) const { return n == 1 ? 0 : (wrapped || x > 0) + (wrapped || x < n - 1); }
  double links() const { return 2.0 * (wrapped ? n : n - 1); }  // of one ring or line
  int hops(int from, int to) const {
    const int straight = std::abs(to - from);
    return wrapped ? std::min(straight, n - straight) : straight;
  }
  int farthest(int x) const { return wrapped ? n / 2 : std::max(x, n - 1 - x); }
};

class BoxFacts final : public BoundFacts {
 public:
  BoxFacts(const PlainBox& box, const Request& r)
      : r_(r),
        link_(box.link),
        w_(static_cast<double>(box.link.bandwidth.bytes_per_second())),
        chips_(box.shape.logical_chips()),
        members_(r.size()),
        groups_(chips_ / members_) {
    for (std::size_t d = 0; d < sides_.size(); ++d) sides_[d] = {box.shape.size[d], box.shape.wrap[d], false};
    for (const int d : r.row->dimensions()) sides_[static_cast<std::size_t>(d)].of_row = true;
  }

  double groups() const override { return groups_; }
  bool switches_add() const override { return false; }
  // No chip has fewer links than one at a corner. The row has another such one where the root is at a corner.
  Poorest chips() const override { return {chip(r_.root), rates(ports({}))}; }
  Rates chip(int position) const override { return rates(ports(r_.row->at(position))); }
  Poorest columns() const override {
    return {rates(groups_ * row_ports(r_.row->at(r_.root))), rates(groups_ * row_ports({}))};
  }
  double cuts(const Need& need) const override {
    double t = 0;
    for (std::size_t d = 0; d < sides_.size(); ++d)
      if (sides_[d].of_row && sides_[d].n > 1) t = std::max(t, worst(needed(d, need), has(d)));
    return t;
  }
  // cuts() says no less. Along a side, hops are crossings of its halves, so its links carry in the mean at most what
  // those of the worst half do (on a ring just that); and all sides' in the mean at most what the worst side's do.
  double byte_hops(const Need&) const override { return 0; }
  double chips_links() const override {
    double links = 0;
    for (const Side& s : sides_) links += chips_ / s.n * s.links();
    return links * w_;
  }
  Time shortest_link() const override { return link_.latency; }
  QuickestWay way(int from, int to) const override {
    const Coordinates a = r_.row->at(from), b = r_.row->at(to);
    return along_row(from, [&](const Side& s, std::size_t d) { return s.hops(a[d], b[d]); });
  }
  QuickestWay farthest(int from, bool) const override {
    const Coordinates a = r_.row->at(from);
    return along_row(from, [&](const Side& s, std::size_t d) { return s.farthest(a[d]); });
  }
  std::size_t ways_tried() const override { return r_.pairs.size(); }

 private:
  Rates rates(double links) const { return {links * w_, links * w_}; }
  int row_ports(const Coordinates& at) const {
    int sum = 0;
    for (std::size_t d = 0; d < sides_.size(); ++d)
      if (sides_[d].of_row) sum += sides_[d].ports(at[d]);
    return sum;
  }
  // Of the poorest chip that stands so in its row.
  int ports(const Coordinates& at) const {
    int sum = row_ports(at);
    for (const Side& s : sides_)
      if (!s.of_row) sum += s.ports(0);
    return sum;
  }
  template <class Hops>
  QuickestWay along_row(int from, const Hops& hops) const {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < sides_.size(); ++d)
      if (sides_[d].of_row) sum += static_cast<std::uint64_t>(hops(sides_[d], d));
    return {sum * link_.latency, chip(from)};
  }
  Slices needed(std::size_t d, const Need&) const;
  Slices has(std::size_t d) const;

  const Request& r_;
  LinkModel link_;
  double w_;
  double chips_, members_, groups_;
  std::array<Side, kMaxDimensions> sides_;
};

// Every plane holds as many members of each group.
Slices BoxFacts::needed(std::size_t d, const Need& need) const {
  const int n = sides_[d].n, k = r_.size() / n;
  Slices s(static_cast<std::size_t>(n));
  if (need.permutes()) {
    for (const auto& [from, to] : r_.pairs) s.add(r_.row->at(from)[d], r_.row->at(to)[d], groups_ * need.bytes);
    s.close();
    return s;
  }
  const int root = r_.row->at(r_.root)[d];
  for (int m = 0; m < n; ++m) {
    const auto at = static_cast<std::size_t>(m);
    s.into_plane[at] = groups_ * need.into(k, root == m);
    s.from_plane[at] = groups_ * need.out_of(k, root == m);
    s.down[at] = groups_ * need.into(m * k, root < m);
    s.up[at] = groups_ * need.out_of(m * k, root < m);
  }
  s.between_planes = groups_ * gossip(need, n);
  return s;
}

Slices BoxFacts::has(std::size_t d) const {
  const int n = sides_[d].n;
  const double between_two = chips_ / n * w_;
  Slices s(static_cast<std::size_t>(n));
  for (int m = sides_[d].wrapped ? 0 : 1; m < n; ++m) {
    const int below = m > 0 ? m - 1 : n - 1;
    s.add(below, m, between_two);
    s.add(m, below, between_two);
  }
  s.close();
  return s;
}

}  // namespace

Time lower_bound(const PlainBox& box, const Request& r) {
  return nothing_moves(r) ? Time{} : lower_bound(BoxFacts(box, r), r);
}

}  // namespace hopsim

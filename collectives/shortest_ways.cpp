#include "collectives/shortest_ways.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/fabric.hpp"

namespace hopsim {
namespace {

int round_index(int i, int n) { return (i % n + n) % n; }

int port_of(const Way& way) { return Fabric::port(way.order, way.offset[way.order] < 0); }

// Every offset of up to one turn of a twisted torus (once round a short dimension is a way like any other), kept by
// where it leads from chip 0 if none is shorter.
std::vector<std::vector<Offset>> lattice(const Shape& shape) {
  std::vector<std::vector<Offset>> best(shape.chips());
  std::vector<int> length(shape.chips(), std::numeric_limits<int>::max());
  const auto extent = [&](int d) { return d < shape.dimensions ? static_cast<int>(shape.size[d]) : 0; };
  for (int x = -extent(0); x <= extent(0); ++x)
    for (int y = -extent(1); y <= extent(1); ++y)
      for (int z = -extent(2); z <= extent(2); ++z)
        for (int w = -extent(3); w <= extent(3); ++w) {
          const Offset o = along(0, x).with(1, y).with(2, z).with(3, w);
          const auto chip = index(shape.peer({}, o));
          if (o.hops() > length[chip]) continue;
          if (o.hops() < length[chip]) best[chip].clear();
          length[chip] = o.hops();
          best[chip].push_back(o);
        }
  return best;
}

// Along one dimension: the shorter way round, or both.
std::vector<int> along_dimension(const Shape& shape, std::size_t d, int from, int to) {
  const int n = shape.size[d], hops = to - from;
  if (!shape.wrap[d]) return {hops};
  const int forwards = round_index(hops, n);
  if (2 * forwards == n) return {forwards, forwards - n};
  return {2 * forwards < n ? forwards : forwards - n};
}

std::vector<Offset> box_displacements(const Shape& shape, const Coordinates& from, const Coordinates& to) {
  std::vector<Offset> all{Offset{}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dimensions); ++d) {
    if (from[d] == to[d]) continue;
    std::vector<Offset> longer;
    for (const Offset& o : all)
      for (const int hops : along_dimension(shape, d, from[d], to[d]))
        longer.push_back(o.with(static_cast<int>(d), hops));
    all = std::move(longer);
  }
  return all;
}

// Which of all ways to another chip a whole block takes, on a row over dimensions that all wrap around. All pairs
// together load every link as if each block were split over all ways.
//
// * Halfway round dimension d it goes forwards if the displacement along the others (each 0 to size - 1) sums up to
//   an even number, else backwards. Either comes as often: with another even size every sum has one beside it that is
//   1 more or less; of 0 to n - 1, n odd, one more is even than odd, so products of such have one even sum too many,
//   which we take to be that of displacement 0. There a block goes half each way.
// * It begins with used dimension number (sum of i |hops along used dimension i|) + (dimensions whose shorter way is
//   backwards), in turn. The load does not depend on it, but by it all ports of a chip are busy from first to last:
//   blocks that go equally far begin differently, and so do those that go opposite ways. 1.0002 of the time the
//   busiest link needs, or less, for large blocks on boxes of three dimensions; 1.002 on 6x6x8x8.
class Turns {
 public:
  explicit Turns(const Row& row) : row_(row) {
    for (const int d : row.dimensions()) even_ += size(d) % 2 == 0;
  }
  void leave_one(std::vector<Way>& ways) const {
    std::erase_if(ways, [this](const Way& w) { return !takes(w.offset) || w.order != first(w.offset); });
    for (std::uint32_t k = 0; k < ways.size(); ++k) {
      ways[k].nth = k;
      ways[k].of = static_cast<std::uint32_t>(ways.size());
    }
  }

 private:
  int size(int d) const { return row_.shape().size[static_cast<std::size_t>(d)]; }
  bool takes(Offset way) const {
    int sum = 0;
    for (const int d : row_.dimensions()) sum += round_index(way[d], size(d));
    for (const int d : row_.dimensions()) {
      if (2 * std::abs(way[d]) != size(d)) continue;
      const int others = sum - size(d) / 2;
      if (others == 0 && even_ == 1) continue;  // this one goes both ways
      if ((way[d] > 0) != (others % 2 == 0)) return false;
    }
    return true;
  }
  std::uint8_t first(Offset way) const {
    std::array<std::uint8_t, kMaxDimensions> used{};
    int n = 0, turn = 0;
    for (const int d : row_.dimensions()) {
      if (way[d] == 0) continue;
      turn += n * std::abs(way[d]) + (way[d] < 0 && -2 * way[d] < size(d));
      used[static_cast<std::size_t>(n++)] = static_cast<std::uint8_t>(d);
    }
    return used[static_cast<std::size_t>(turn % n)];
  }

  const Row& row_;
  int even_ = 0;  // dimensions of even size
};

}  // namespace

ShortestWays::ShortestWays(RowPtr row, const Wiring& wiring)
    : row_(std::move(row)), grid_(wiring.kind == Wiring::Kind::grid) {
  if (grid_ && row_->shape().any_twist()) twisted_ = lattice(row_->shape());
}

std::vector<Offset> ShortestWays::displacements(const Coordinates& from, const Coordinates& to) const {
  if (twisted_.empty()) return box_displacements(row_->shape(), from, to);
  Offset o;
  for (int d = 0; d < row_->shape().dimensions; ++d)
    o = o.with(d, to[static_cast<std::size_t>(d)] - from[static_cast<std::size_t>(d)]);
  return twisted_[index(row_->shape().peer({}, o))];
}

std::vector<Way> ShortestWays::to(const Coordinates& at, int target) const {
  const Offset way = row_->way(at, target - row_->position(at));
  if (!grid_) return {{.offset = way}};
  const Shape& shape = row_->shape();
  const auto all = displacements(at, shape.at(shape.peer(at, way)));
  std::vector<Way> ways;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t first = ways.size();
    for (int d = 0; d < shape.dimensions; ++d)
      if (all[k][d] != 0) ways.push_back({.offset = all[k], .order = static_cast<std::uint8_t>(d)});
    const auto orders = static_cast<std::uint32_t>(ways.size() - first);
    for (std::uint32_t j = 0; j < orders; ++j) {
      ways[first + j].nth = static_cast<std::uint32_t>(k) * orders + j;
      ways[first + j].of = static_cast<std::uint32_t>(all.size()) * orders;
    }
  }
  return ways;
}

FarFirst::FarFirst(RowPtr row, const Wiring& wiring, Lanes lanes)
    : row_(std::move(row)), ways_(row_, wiring), local_(wiring.local > 0 ? wiring.local : row_->size()) {
  if (!ways_.on_grid()) return;
  const Shape& shape = row_->shape();
  lists_.resize(lists(*row_, wiring));
  each_chip_ = lists_.size() == shape.chips();
  for (const int d : row_->dimensions())
    if (!shape.wrap[static_cast<std::size_t>(d)] && !shape.twisted(d)) open_.push_back(static_cast<std::size_t>(d));
  whole_ = lanes == Lanes::one_a_port && !row_->dimensions().empty() && open_.empty() && !shape.any_twist();
  for (std::uint32_t c = 0; c < shape.chips(); ++c) {
    const Coordinates at = shape.at(ChipId{c});
    if (row_->position(at) < 0 || !lists_[list_of(at)].ways.empty()) continue;
    List& list = lists_[list_of(at)];
    list.ways = sorted(at);
    list.begin[1] = static_cast<std::uint32_t>(list.ways.size());
    for (const Way& w : list.ways) parts_ = std::lcm(parts_, w.of);
    if (lists_.size() == 1) break;
  }
  if (lanes == Lanes::one_a_port) sort_by_ports();
}

void FarFirst::sort_by_ports() {
  std::array<bool, 2 * kMaxDimensions> used{};
  for (const List& list : lists_)
    for (const Way& w : list.ways) used[2 * w.order] = used[2 * w.order + 1] = true;
  for (int port = 0; port < 2 * kMaxDimensions; ++port)
    if (used[static_cast<std::size_t>(port)]) ports_.push_back(port);
  for (List& list : lists_) {
    std::stable_sort(list.ways.begin(), list.ways.end(),
                     [](const Way& a, const Way& b) { return port_of(a) < port_of(b); });
    for (std::size_t lane = 0; lane < ports_.size(); ++lane)
      list.begin[lane + 1] =
          static_cast<std::uint32_t>(std::upper_bound(list.ways.begin(), list.ways.end(), ports_[lane],
                                                      [](int port, const Way& w) { return port < port_of(w); }) -
                                     list.ways.begin());
  }
}

std::uint64_t FarFirst::lists(const Row& row, const Wiring& wiring) {
  if (wiring.kind != Wiring::Kind::grid) return 0;
  const Shape& shape = row.shape();
  std::uint64_t n = 1, box = 1;
  for (const int d : row.dimensions()) {
    box *= static_cast<std::uint64_t>(shape.size[static_cast<std::size_t>(d)]);
    if (!shape.wrap[static_cast<std::size_t>(d)] && !shape.twisted(d))
      n *= static_cast<std::uint64_t>(shape.size[static_cast<std::size_t>(d)]);
  }
  // Listed chips; or a part of a twisted torus, whose rows are no rings.
  if (row.dimensions().empty() || (shape.any_twist() && box < shape.chips())) return shape.chips();
  return n;
}

std::size_t FarFirst::list_of(const Coordinates& at) const {
  if (each_chip_) return index(row_->shape().chip(at));
  std::size_t n = 0;
  for (const std::size_t d : open_)
    n = n * static_cast<std::size_t>(row_->shape().size[d]) + static_cast<std::size_t>(at[d]);
  return n;
}

std::vector<Way> FarFirst::sorted(const Coordinates& at) const {
  std::vector<int> targets(static_cast<std::size_t>(row_->size()));
  std::iota(targets.begin(), targets.end(), 0);
  targets.erase(targets.begin() + row_->position(at));
  if (whole_)  // by displacement, however the row winds
    std::sort(targets.begin(), targets.end(), [this](int a, int b) { return row_->at(a) < row_->at(b); });
  const Turns turns(*row_);
  std::vector<Way> all;
  for (const int q : targets) {
    auto ways = ways_.to(at, q);
    if (whole_) turns.leave_one(ways);
    all.insert(all.end(), ways.begin(), ways.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Way& a, const Way& b) { return a.offset.hops() > b.offset.hops(); });
  return all;
}

int FarFirst::count(const Coordinates& at, int lane) const {
  if (!ways_.on_grid()) return row_->size() - 1;
  const auto& begin = lists_[list_of(at)].begin;
  return static_cast<int>(begin[static_cast<std::size_t>(lane) + 1] - begin[static_cast<std::size_t>(lane)]);
}

// Split blocks come by the ways that others take to where they come from, turned round.
int FarFirst::arrivals(const Coordinates& at, int lane) const {
  return count(at, ports_.empty() || whole_ ? lane : lane ^ 1);
}

Way FarFirst::way(const Coordinates& at, int i, int lane) const {
  if (ways_.on_grid()) {
    const List& list = lists_[list_of(at)];
    return list.ways[list.begin[static_cast<std::size_t>(lane)] + static_cast<std::size_t>(i)];
  }
  const int p = row_->position(at), domains = row_->size() / local_, away = (domains - 1) * local_;
  const int domain = i < away ? 1 + i / local_ : 0, place = i < away ? i % local_ : 1 + i - away;
  const int target = (p / local_ + domain) % domains * local_ + (p % local_ + place) % local_;
  return {.offset = row_->way(at, target - p)};
}

int FarFirst::target(const Coordinates& at, const Way& way) const {
  if (whole_) {  // what follows would take a large row most of its time
    Coordinates to = at;
    for (const int d : row_->dimensions()) {
      const auto k = static_cast<std::size_t>(d);
      const int n = row_->shape().size[k], x = at[k] + way.offset[d];
      to[k] = static_cast<std::int16_t>(x < 0 ? x + n : x >= n ? x - n : x);
    }
    return row_->position(to);
  }
  return row_->position(row_->shape().at(row_->shape().peer(at, way.offset)));
}

}  // namespace hopsim

#include "collectives/shortest_ways.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hopsim {
namespace {

int round_index(int i, int n) { return (i % n + n) % n; }

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

FarFirst::FarFirst(RowPtr row, const Wiring& wiring)
    : row_(std::move(row)), ways_(row_, wiring), local_(wiring.local > 0 ? wiring.local : row_->size()) {
  if (!ways_.on_grid()) return;
  const Shape& shape = row_->shape();
  lists_.resize(lists(*row_, wiring));
  each_chip_ = lists_.size() == shape.chips();
  for (const int d : row_->dimensions())
    if (!shape.wrap[static_cast<std::size_t>(d)] && !shape.twisted(d)) open_.push_back(static_cast<std::size_t>(d));
  for (std::uint32_t c = 0; c < shape.chips(); ++c) {
    const Coordinates at = shape.at(ChipId{c});
    if (row_->position(at) < 0 || !lists_[list_of(at)].empty()) continue;
    for (const Way& w : lists_[list_of(at)] = sorted(at)) parts_ = std::lcm(parts_, w.of);
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
  std::vector<Way> all;
  for (int q = 0; q < row_->size(); ++q) {
    if (q == row_->position(at)) continue;
    const auto ways = ways_.to(at, q);
    all.insert(all.end(), ways.begin(), ways.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Way& a, const Way& b) { return a.offset.hops() > b.offset.hops(); });
  return all;
}

int FarFirst::count(const Coordinates& at) const {
  return ways_.on_grid() ? static_cast<int>(lists_[list_of(at)].size()) : row_->size() - 1;
}

Way FarFirst::way(const Coordinates& at, int i) const {
  if (ways_.on_grid()) return lists_[list_of(at)][static_cast<std::size_t>(i)];
  const int p = row_->position(at), domains = row_->size() / local_, away = (domains - 1) * local_;
  const int domain = i < away ? 1 + i / local_ : 0, place = i < away ? i % local_ : 1 + i - away;
  const int target = (p / local_ + domain) % domains * local_ + (p % local_ + place) % local_;
  return {.offset = row_->way(at, target - p)};
}

int FarFirst::target(const Coordinates& at, const Way& way) const {
  return row_->position(row_->shape().at(row_->shape().peer(at, way.offset)));
}

}  // namespace hopsim

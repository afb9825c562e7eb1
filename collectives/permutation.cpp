#include <algorithm>
#include <numeric>
#include <set>

#include "collectives/direct_phases.hpp"

namespace hopsim {
namespace {

using DirectedLink = std::pair<std::uint32_t, int>;  // the chip it leaves, and its port

// The links of a route, as an engine takes it: dimension by dimension, cyclically from the first.
std::vector<DirectedLink> links_of(const Shape& shape, Coordinates at, const Way& way) {
  std::vector<DirectedLink> links;
  for (int k = 0; k < kMaxDimensions; ++k) {
    const int d = (way.order + k) % kMaxDimensions, hops = way.offset[d];
    for (int h = 0; h < std::abs(hops); ++h) {
      links.emplace_back(index(shape.chip(at)), 2 * d + (hops < 0));
      at = shape.at(shape.peer(at, along(d, hops < 0 ? -1 : 1)));
    }
  }
  return links;
}

class Permutation final : public Phase {
 public:
  Permutation(const Request& r, std::shared_ptr<const ShortestWays> ways, std::uint32_t parts, std::uint32_t first)
      : row_(r.row),
        ways_(std::move(ways)),
        most_(r.paths),
        parts_(parts),
        per_member_(parts * static_cast<std::uint32_t>(r.chunks)),
        first_(first),
        target_(static_cast<std::size_t>(r.row->size()), -1),
        source_(target_) {
    for (const auto& [from, to] : r.pairs) {
      target_[static_cast<std::size_t>(from)] = to;
      source_[static_cast<std::size_t>(to)] = from;
    }
  }
  int length(const Coordinates& at) const override {
    return row_->position(at) < 0 ? 0 : static_cast<int>(sends(at).size()) + (arrivals(at) > 0);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const auto ways = sends(at);
    Passage p;
    if (i == static_cast<int>(ways.size())) {
      p.in = {.peer = {}, .chunk = {}, .channel = 0, .times = arrivals(at), .any_order = true};
      return p;
    }
    const Way& way = ways[static_cast<std::size_t>(i)];
    const std::uint32_t count = parts_ / way.of;
    const auto member = static_cast<std::uint32_t>(row_->position(at));
    p.out = {.peer = way.offset,
             .chunk = {member * per_member_ + first_ + way.nth * count, count},
             .channel = 0,
             .times = 1};
    p.order = way.order;
    return p;
  }

 private:
  std::vector<Way> sends(const Coordinates& at) const {
    const int p = row_->position(at), to = target_[static_cast<std::size_t>(p)];
    if (to < 0 || to == p) return {};
    return disjoint_ways(*ways_, at, to, most_);
  }
  std::uint32_t arrivals(const Coordinates& at) const {
    const int p = row_->position(at), from = source_[static_cast<std::size_t>(p)];
    if (from < 0 || from == p) return 0;
    const Shape& shape = row_->shape();
    const Coordinates sender = shape.at(shape.peer(at, row_->way(at, from - p)));
    return static_cast<std::uint32_t>(disjoint_ways(*ways_, sender, p, most_).size());
  }

  RowPtr row_;
  std::shared_ptr<const ShortestWays> ways_;
  int most_;
  std::uint32_t parts_, per_member_, first_;
  std::vector<int> target_, source_;  // by position; -1: none
};

// Into how many parts every message must be cut, whichever of the rows it is in.
std::uint32_t parts_of(const Request& r, const ShortestWays& ways) {
  const Shape& shape = r.row->shape();
  std::vector<int> target(static_cast<std::size_t>(r.row->size()), -1);
  for (const auto& [from, to] : r.pairs) target[static_cast<std::size_t>(from)] = to;
  std::uint32_t parts = 1;
  for (std::uint32_t c = 0; c < shape.chips() && ways.on_grid(); ++c) {
    const Coordinates at = shape.at(ChipId{c});
    const int p = r.row->position(at);
    if (p < 0 || target[static_cast<std::size_t>(p)] < 0 || target[static_cast<std::size_t>(p)] == p) continue;
    parts = std::lcm(parts, disjoint_ways(ways, at, target[static_cast<std::size_t>(p)], r.paths)[0].of);
  }
  return parts;
}

}  // namespace

std::vector<Way> disjoint_ways(const ShortestWays& all, const Coordinates& from, int target, int most) {
  auto ways = all.to(from, target);
  if (all.on_grid()) {
    std::set<DirectedLink> taken;
    std::erase_if(ways, [&](const Way& way) {
      const auto links = links_of(all.row().shape(), from, way);
      if (std::any_of(links.begin(), links.end(), [&](const DirectedLink& l) { return taken.contains(l); }))
        return true;
      taken.insert(links.begin(), links.end());
      return false;
    });
  }
  if (most > 0 && ways.size() > static_cast<std::size_t>(most)) ways.resize(static_cast<std::size_t>(most));
  for (std::uint32_t k = 0; k < ways.size(); ++k) {
    ways[k].nth = k;
    ways[k].of = static_cast<std::uint32_t>(ways.size());
  }
  return ways;
}

Schedule direct_permutation(const Request& r) {
  const auto ways = std::make_shared<const ShortestWays>(r.row, r.wiring);
  const std::uint32_t parts = parts_of(r, *ways), chunks = static_cast<std::uint32_t>(r.chunks);
  Schedule s;
  s.atoms = parts * chunks * static_cast<std::uint32_t>(r.row->size());
  const AtomSize atom(r.bytes, parts * chunks);
  s.parts.push_back({.first = 0, .per_member = parts * chunks, .atom = atom});
  for (std::uint32_t c = 0; c < chunks; ++c) {
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = 0});
    s.add(c, std::make_shared<Permutation>(r, ways, parts, c * parts));
  }
  return s;
}

}  // namespace hopsim

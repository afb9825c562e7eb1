#include "topologies/grid.hpp"

#include <algorithm>
#include <string>

#include "sim/error.hpp"

namespace hopsim {
namespace {
constexpr long kMostChips = 1L << 24;
constexpr int kLongest = 32767;  // coordinates are 16 bits

std::string text(const std::vector<int>& size) {
  std::string s;
  for (const int n : size) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}
}  // namespace

Shape grid_shape(const std::vector<int>& size, const std::vector<bool>& wrap) {
  if (size.empty() || size.size() > kMaxDimensions)
    throw InputError("a grid has 1 to 4 dimensions", std::to_string(size.size()));
  Shape s;
  s.dimensions = static_cast<int>(size.size());
  long chips = 1;
  for (int d = 0; d < s.dimensions; ++d) {
    const int n = size[static_cast<std::size_t>(d)];
    if (n < 1 || n > kLongest)
      throw InputError("a dimension has too few or too many chips", std::to_string(n), "1 to 32767");
    chips *= n;
    if (chips > kMostChips)
      throw InputError("the fabric is too large", std::to_string(chips) + " chips or more", "up to 16777216");
    s.size[static_cast<std::size_t>(d)] = static_cast<std::int16_t>(n);
    s.wrap[static_cast<std::size_t>(d)] = n > 2 && wrap[static_cast<std::size_t>(d)];
  }
  return s;
}

Shape twisted_shape(const std::vector<int>& size) {
  const int k = size.empty() ? 0 : *std::min_element(size.begin(), size.end());
  const auto count = [&](int n) { return std::count(size.begin(), size.end(), n); };
  if (size.size() != 3 || k < 3 || k > kLongest / 2 || count(k) + count(2 * k) != 3 || count(k) == 3)
    throw InputError("a torus of this shape has no twist", text(size), "k x k x 2k or k x 2k x 2k, k at least 3");
  Shape s = grid_shape(size, {true, true, true});
  for (std::size_t d = 0; d < size.size(); ++d) {
    if (size[d] != k) continue;
    s.wrap[d] = false;
    for (std::size_t e = 0; e < size.size(); ++e)
      if (size[e] == 2 * k) s.twist[d][e] = static_cast<std::int16_t>(k);
  }
  return s;
}

std::size_t grid_links(const Shape& s) {
  std::size_t links = 0;
  for (int d = 0; d < s.dimensions; ++d) {
    const auto n = static_cast<std::size_t>(s.placed(d));
    const bool closed = s.wrap[d] || s.folded[d] || s.twisted(d);
    if (s.size[d] > 1) links += 2 * (s.chips() / n) * (closed ? n : n - 1);
  }
  return links;
}

Topology grid(const Shape& shape, const LinkModel& link) {
  Topology t{shape, LinkGraph(shape.chips()), shape.chips()};
  for (std::uint32_t c = 0; c < shape.chips(); ++c) {
    const Coordinates at = shape.at(ChipId{c});
    for (int d = 0; d < shape.dimensions; ++d)
      for (const bool backwards : {false, true}) {
        const bool edge = backwards ? at[d] == 0 : at[d] == shape.size[d] - 1;
        const bool closed = shape.wrap[d] || shape.folded[d] || shape.twisted(d);
        if (shape.size[d] == 1 || (edge && !closed)) continue;
        const ChipId to = shape.peer(at, along(d, backwards ? -1 : 1));
        add_edge(c, index(to), {link.bandwidth, link.latency, Fabric::port(d, backwards)}, t.graph);
      }
  }
  return t;
}

std::optional<Fabric> folded(const Fabric& f) {
  const Shape shape = f.shape.fold();
  if (!f.grid() || f.routes > 1 || f.shape.any_twist() || f.nodes != f.chips() || shape.chips() == f.chips())
    return std::nullopt;
  const auto first = std::find_if(f.links.begin(), f.links.end(), [](const Link& l) { return l.exists(); });
  const auto alike = [&](const Link& l) {
    return !l.exists() || (l.bandwidth == first->bandwidth && l.latency == first->latency);
  };
  if (first == f.links.end() || !std::all_of(first, f.links.end(), alike)) return std::nullopt;
  return freeze(grid(shape, {first->bandwidth, first->latency}));
}

}  // namespace hopsim

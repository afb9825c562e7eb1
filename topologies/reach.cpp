#include "topologies/reach.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

Neighbours neighbours(const LinkGraph& graph, bool against_the_links) {
  Neighbours next(num_vertices(graph));
  for (const auto e : boost::make_iterator_range(edges(graph))) {
    const std::size_t from = source(e, graph), to = target(e, graph);
    next[against_the_links ? to : from].push_back(static_cast<std::uint32_t>(against_the_links ? from : to));
  }
  return next;
}

// The chips that messages from (or to) `start` do not get to (or come from).
std::vector<std::uint32_t> missed(const Topology& t, const Neighbours& next, std::uint32_t start) {
  std::vector<bool> seen(next.size());
  std::vector<std::uint32_t> queue{start};
  seen[start] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i] != start && !t.graph[queue[i]].forwards) continue;
    for (const std::uint32_t n : next[queue[i]])
      if (!seen[n]) {
        seen[n] = true;
        queue.push_back(n);
      }
  }
  std::vector<std::uint32_t> chips;
  for (std::uint32_t chip = 0; chip < t.shape.chips(); ++chip)
    if (!seen[chip]) chips.push_back(chip);
  return chips;
}

std::vector<std::uint32_t> others(const Topology& t, const std::vector<std::uint32_t>& chips) {
  std::vector<std::uint32_t> rest;
  for (std::uint32_t chip = 0; chip < t.shape.chips(); ++chip)
    if (!std::binary_search(chips.begin(), chips.end(), chip)) rest.push_back(chip);
  return rest;
}

struct Gap {
  std::uint32_t from, to;             // no way leads
  std::vector<std::uint32_t> missed;  // chips on one side
};

std::optional<Gap> find_gap(const Topology& t) {
  const std::uint32_t chips = t.shape.chips();
  bool all_forward = true;
  for (std::uint32_t chip = 0; chip < chips; ++chip) all_forward = all_forward && t.graph[chip].forwards;
  const Neighbours out = neighbours(t.graph, false);
  for (std::uint32_t chip = 0; chip < (all_forward ? 1 : chips); ++chip)
    if (auto none = missed(t, out, chip); !none.empty()) {
      const std::uint32_t to = none.front();
      return Gap{chip, to, std::move(none)};
    }
  if (!all_forward) return std::nullopt;
  auto none = missed(t, neighbours(t.graph, true), 0);
  if (none.empty()) return std::nullopt;
  const std::uint32_t from = none.front();
  return Gap{from, 0, std::move(none)};
}

}  // namespace

std::string node_name(const Topology& t, std::uint32_t node) {
  const std::string& name = t.graph[node].name;
  const std::uint32_t chips = t.shape.chips();
  std::string more = name;
  if (node < chips && name.empty() && t.shape.dimensions > 1) {
    const Coordinates at = t.shape.at(ChipId{node});
    for (int d = 0; d < t.shape.dimensions; ++d) more += (d ? "," : "") + std::to_string(at[d]);
  }
  return (node < chips ? "chip " : "switch ") + std::to_string(node < chips ? node : node - chips) +
         (more.empty() ? "" : " (" + more + ")");
}

std::string node_names(const Topology& t, const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i) text += (i ? ", " : "") + node_name(t, nodes[i]);
  if (nodes.size() > kShown) text += " and " + std::to_string(nodes.size() - kShown) + " more";
  return text;
}

bool is_connected(const Topology& t) { return !find_gap(t); }

void require_connected(const Topology& t) {
  const auto gap = find_gap(t);
  if (!gap) return;
  const auto rest = others(t, gap->missed);
  throw InputError("the machine falls apart: no way leads from " + node_name(t, gap->from) + " to " +
                       node_name(t, gap->to) +
                       "; cut off: " + node_names(t, gap->missed.size() <= rest.size() ? gap->missed : rest),
                   "", "chips that can all reach one another");
}

}  // namespace hopsim

// What tests of fabrics measure by themselves, link by link.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/fabric.hpp"

namespace hopsim::testing {

constexpr int kUnreached = std::numeric_limits<int>::max();

inline std::vector<std::vector<std::uint32_t>> neighbours(const Fabric& f) {
  std::vector<std::vector<std::uint32_t>> next(f.nodes);
  for (const Link& l : f.links)
    if (l.exists()) next[l.from].push_back(l.to);
  return next;
}

// Hops from one node to every other, breadth first. `ends` by node: messages do not pass through.
inline std::vector<int> hops_from(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t start,
                                  const std::vector<bool>& ends = {}) {
  std::vector<int> hops(next.size(), kUnreached);
  std::vector<std::uint32_t> queue{start};
  hops[start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i] != start && !ends.empty() && ends[queue[i]]) continue;
    for (const std::uint32_t n : next[queue[i]])
      if (hops[n] == kUnreached) {
        hops[n] = hops[queue[i]] + 1;
        queue.push_back(n);
      }
  }
  return hops;
}

// The links of a table's way; empty if it goes astray.
inline std::vector<std::uint32_t> way(const Fabric& f, std::uint32_t from, std::uint32_t to,
                                      std::uint32_t route = 0) {
  std::vector<std::uint32_t> links;
  for (std::uint32_t at = from; at != to; at = f.links[links.back()].to) {
    const LinkId link = f.next_link(at, to, route);
    if (link == kNoLink || links.size() > f.nodes || f.links.at(index(link)).from != at) return {};
    links.push_back(index(link));
  }
  return links;
}

// Messages that pass each link when all of `pairs` send one over every route.
inline std::vector<int> loads(const Fabric& f, const std::function<bool(std::uint32_t, std::uint32_t)>& sends) {
  std::vector<int> load(f.links.size());
  for (std::uint32_t from = 0; from < f.chips(); ++from)
    for (std::uint32_t to = 0; to < f.chips(); ++to)
      for (std::uint32_t route = 0; route < f.routes; ++route)
        if (from != to && sends(from, to))
          for (const std::uint32_t link : way(f, from, to, route)) ++load[link];
  return load;
}

inline std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace hopsim::testing

#include "topologies/routes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "sim/error.hpp"
#include "topologies/reach.hpp"

namespace hopsim {
namespace {

using Cost = std::uint64_t;  // weight, and below it hops: one sum orders by both
constexpr int kHopBits = 24;
constexpr Cost kFar = std::numeric_limits<Cost>::max();
constexpr std::uint32_t kNoLeaf = ~0u;

struct Arc {
  std::uint32_t node = 0;  // at the other end
  std::uint32_t link = 0;
  Cost cost = 0;
  unsigned port = 0;
};

// Arcs by node, in one array.
class Arcs {
 public:
  Arcs(const LinkGraph& graph, bool incoming) : first_(num_vertices(graph) + 1), arcs_(num_edges(graph)) {
    const auto node = [&](const auto& e) { return incoming ? target(e, graph) : source(e, graph); };
    for (const auto e : boost::make_iterator_range(edges(graph))) ++first_[node(e) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_);
    std::uint32_t link = 0;
    for (const auto e : boost::make_iterator_range(edges(graph)))
      arcs_[next[node(e)]++] = {static_cast<std::uint32_t>(incoming ? source(e, graph) : target(e, graph)), link++,
                                Cost{graph[e].weight} << kHopBits | 1, static_cast<unsigned>(graph[e].port)};
    for (std::size_t n = 0; n + 1 < first_.size(); ++n)
      std::sort(arcs_.begin() + static_cast<long>(first_[n]), arcs_.begin() + static_cast<long>(first_[n + 1]),
                [](const Arc& a, const Arc& b) {
                  return std::tie(a.port, a.node, a.link) < std::tie(b.port, b.node, b.link);
                });
  }
  auto of(std::uint32_t node) const {
    return boost::make_iterator_range(arcs_.data() + first_[node], arcs_.data() + first_[node + 1]);
  }
  bool all_cost_the_same() const {
    return std::all_of(arcs_.begin(), arcs_.end(), [&](const Arc& a) { return a.cost == arcs_.front().cost; });
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Arc> arcs_;
};

// Costs of the best ways from every node to one.
class Distances {
 public:
  Distances(const LinkGraph& graph, const Arcs& in) : in_(in), plain_(in.all_cost_the_same()) {
    for (const auto v : boost::make_iterator_range(vertices(graph))) forwards_.push_back(graph[v].forwards);
  }
  void find(std::uint32_t destination) {
    destination_ = destination;
    cost_.assign(forwards_.size(), kFar);
    cost_[destination] = 0;
    plain_ ? search_plainly() : search();
  }
  Cost of(std::uint32_t node) const { return cost_[node]; }
  bool leads_on(std::uint32_t node) const { return node == destination_ || forwards_[node]; }

 private:
  void search_plainly() {
    queue_.assign(1, destination_);
    for (std::size_t i = 0; i < queue_.size(); ++i)
      relax(queue_[i], [&](std::uint32_t node, Cost) { queue_.push_back(node); });
  }
  void search() {
    heap_.push({0, destination_});
    while (!heap_.empty()) {
      const auto [cost, node] = heap_.top();
      heap_.pop();
      if (cost == cost_[node]) relax(node, [&](std::uint32_t n, Cost c) { heap_.push({c, n}); });
    }
  }
  template <class Found>
  void relax(std::uint32_t node, Found found) {
    if (!leads_on(node)) return;
    for (const Arc& a : in_.of(node))
      if (const Cost c = cost_[node] + a.cost; c < cost_[a.node]) {
        cost_[a.node] = c;
        found(a.node, c);
      }
  }

  using Entry = std::pair<Cost, std::uint32_t>;
  const Arcs& in_;
  bool plain_;
  std::uint32_t destination_ = 0;
  std::vector<bool> forwards_;
  std::vector<Cost> cost_;
  std::vector<std::uint32_t> queue_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

// How destinations are spread over equal choices.
class Spread {
 public:
  Spread(const Topology& t, const Arcs& in, const Arcs& out) : rank_(t.shape.actors()), level_(find_levels(t, out)) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_leaf;  // leaf, destination
    for (std::uint32_t d = 0; d < t.shape.actors(); ++d)
      by_leaf.emplace_back(d < t.shape.chips() ? leaf_of(t, in, d) : kNoLeaf, d);
    std::sort(by_leaf.begin(), by_leaf.end());
    for (std::uint32_t i = 0; i < by_leaf.size(); ++i) rank_[by_leaf[i].second] = i;
  }
  std::size_t choice(std::uint32_t node, std::uint32_t destination, std::size_t choices, std::uint32_t route) const {
    std::size_t digits = level_[node] == 0 ? 0 : rank_[destination];
    for (std::uint32_t level = 1; level < level_[node]; ++level) digits /= choices;
    return (digits + route) % choices;
  }

 private:
  // The switch a chip hangs on; of several, as in a node of its own and in a network of nodes, the outermost.
  static std::uint32_t leaf_of(const Topology& t, const Arcs& in, std::uint32_t chip) {
    const Arc* best = nullptr;
    for (const Arc& a : in.of(chip))
      if (a.node >= t.shape.chips() && (!best || a.cost > best->cost)) best = &a;
    return best ? best->node : kNoLeaf;
  }
  // Hops from the nearest chip: 0 for chips, 1 for leaves, 2 for spines.
  static std::vector<std::uint32_t> find_levels(const Topology& t, const Arcs& out) {
    std::vector<std::uint32_t> level(num_vertices(t.graph), ~0u), queue(t.shape.chips());
    std::iota(queue.begin(), queue.end(), 0u);
    for (const std::uint32_t chip : queue) level[chip] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Arc& a : out.of(queue[i]))
        if (level[a.node] == ~0u) {
          level[a.node] = level[queue[i]] + 1;
          queue.push_back(a.node);
        }
    return level;
  }

  std::vector<std::uint32_t> rank_;   // of destinations
  std::vector<std::uint32_t> level_;  // of nodes
};

void require_memory(const Topology& t, std::uint32_t routes) {
  constexpr double kMost = 1 << 30;
  const double nodes = static_cast<double>(num_vertices(t.graph)), destinations = t.shape.actors();
  if (sizeof(LinkId) * routes * nodes * destinations <= kMost) return;
  throw InputError("the machine is too large for routing tables, which take 4 B x routes x nodes x chips",
                   std::to_string(routes) + " routes, " + std::to_string(num_vertices(t.graph)) + " nodes, " +
                       std::to_string(t.shape.actors()) + " chips",
                   routes > 1 ? "up to 1 GiB; fewer routes" : "up to 1 GiB");
}

}  // namespace

RoutingTables routing_tables(const Topology& t, std::uint32_t most_routes) {
  require_memory(t, most_routes);
  const Arcs in(t.graph, true), out(t.graph, false);
  const Spread spread(t, in, out);
  Distances distance(t.graph, in);
  const auto nodes = static_cast<std::uint32_t>(num_vertices(t.graph));
  const std::uint32_t destinations = t.shape.actors();
  RoutingTables tables{1, std::vector<LinkId>(std::size_t{most_routes} * nodes * destinations, kNoLink)};
  std::vector<std::uint32_t> choices;
  for (std::uint32_t to = 0; to < destinations; ++to) {
    distance.find(to);
    for (std::uint32_t at = 0; at < nodes; ++at) {
      if (at == to) continue;
      if (distance.of(at) == kFar) {
        if (at < t.shape.chips() && to < t.shape.chips()) require_connected(t);
        continue;
      }
      choices.clear();
      for (const Arc& a : out.of(at))
        if (distance.leads_on(a.node) && distance.of(a.node) != kFar &&
            distance.of(a.node) + a.cost == distance.of(at))
          choices.push_back(a.link);
      tables.routes = std::max(tables.routes, std::min(most_routes, static_cast<std::uint32_t>(choices.size())));
      for (std::uint32_t route = 0; route < most_routes; ++route)
        tables.towards[(std::size_t{route} * nodes + at) * destinations + to] =
            LinkId{choices[spread.choice(at, to, choices.size(), route)]};
    }
  }
  tables.towards.resize(std::size_t{tables.routes} * nodes * destinations);
  return tables;
}

}  // namespace hopsim

#include "sharding/sharding_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace hopsim {
namespace {

using Axes = Sharding::Axes;

bool contains(const Axes& axes, std::uint8_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

// Every ordered choice among `axes`, the empty one first.
void ordered_choices(const Axes& axes, Axes& chosen, const std::function<void(const Axes&)>& take) {
  take(chosen);
  for (const std::uint8_t axis : axes) {
    if (contains(chosen, axis)) continue;
    chosen.push_back(axis);
    ordered_choices(axes, chosen, take);
    chosen.pop_back();
  }
}

Axes without(const Axes& axes, const Axes& taken) {
  Axes left;
  for (const std::uint8_t axis : axes)
    if (!contains(taken, axis)) left.push_back(axis);
  return left;
}

// Every choice among `axes`, in their order.
std::vector<Axes> subsets(const Axes& axes) {
  std::vector<Axes> all;
  for (std::uint32_t bits = 0; bits < 1u << axes.size(); ++bits) {
    all.emplace_back();
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (bits >> i & 1) all.back().push_back(axes[i]);
  }
  return all;
}

void all_shardings(const Axes& free, bool sums, std::size_t dimension, Sharding& s, std::vector<Sharding>& all) {
  if (dimension == s.dimensions.size()) {
    for (const Axes& unreduced : sums ? subsets(free) : std::vector<Axes>{{}}) {
      all.push_back(s);
      all.back().unreduced = unreduced;
    }
    return;
  }
  Axes chosen;
  ordered_choices(free, chosen, [&](const Axes& axes) {
    s.dimensions[dimension] = axes;
    all_shardings(without(free, axes), sums, dimension + 1, s, all);
  });
  s.dimensions[dimension].clear();
}

std::vector<std::string> names_of(const Axes& axes, const Mesh& mesh) {
  std::vector<std::string> names;
  for (const std::uint8_t axis : axes) names.push_back(mesh.axes()[axis].first);
  return names;
}

}  // namespace

std::uint64_t ways_of(const Axes& axes, const Mesh& mesh) {
  std::uint64_t ways = 1;
  for (const std::uint8_t axis : axes) ways *= mesh.axes()[axis].second;
  return ways;
}

Sharding sharding_of(const ArrayRef& a, const Mesh& mesh) {
  const auto positions = [&](const std::vector<std::string>& names) {
    Axes axes;
    for (const std::string& name : names) axes.push_back(static_cast<std::uint8_t>(mesh.position(name)));
    return axes;
  };
  Sharding s;
  for (const Dimension& d : a.dimensions) s.dimensions.push_back(positions(d.axes));
  s.unreduced = positions(a.unreduced);
  std::sort(s.unreduced.begin(), s.unreduced.end());
  return s;
}

ArrayRef with_sharding(ArrayRef a, const Sharding& s, const Mesh& mesh) {
  for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
    a.dimensions[d].axes = names_of(s.dimensions[d], mesh);
    if (a.dimensions[d].axes.size() != 1) a.dimensions[d].divided = false;
    a.dimensions[d].open = false;
  }
  a.unreduced = names_of(s.unreduced, mesh);
  return a;
}

// ---- building ----

class ShardingGraph::Builder {
 public:
  Builder(ShardingGraph& graph, const Axes& axes, const StepCosts& costs)
      : graph_(graph), axes_(axes), costs_(costs) {
    for (const Dimension& d : graph.array_.dimensions) sizes_.push_back(*d.size);
  }

  void add_moves() {
    for (std::uint32_t s = 0; s < graph_.shardings_.size(); ++s) {
      from_ = s;
      const Sharding& at = graph_.shardings_[s];
      slices(at);
      gathers(at, 0, at, {});
      exchanges(at);
      sums(at);
    }
  }

 private:
  void slices(const Sharding& at) {
    Axes used = at.unreduced;
    for (const Axes& axes : at.dimensions) used.insert(used.end(), axes.begin(), axes.end());
    const Axes unused = without(axes_, used);
    for (std::size_t d = 0; d < at.dimensions.size(); ++d) {
      Axes chosen;
      ordered_choices(unused, chosen, [&](const Axes& axes) {
        if (axes.empty()) return;
        Sharding to = at;
        to.dimensions[d].insert(to.dimensions[d].end(), axes.begin(), axes.end());
        add(at, to, CollectiveKind::slice, axes, static_cast<int>(d));
      });
    }
  }

  // Each dimension gives up its last axes, none to all.
  void gathers(const Sharding& at, std::size_t d, const Sharding& to, const Axes& taken) {
    if (d == at.dimensions.size()) {
      if (!taken.empty()) add(at, to, CollectiveKind::all_gather, taken, -1);
      return;
    }
    const Axes& axes = at.dimensions[d];
    for (std::size_t kept = axes.size() + 1; kept-- > 0;) {
      Sharding next = to;
      next.dimensions[d].resize(kept);
      Axes more = taken;
      more.insert(more.end(), axes.begin() + static_cast<std::ptrdiff_t>(kept), axes.end());
      gathers(at, d + 1, next, more);
    }
  }

  void exchanges(const Sharding& at) {
    for (std::size_t d = 0; d < at.dimensions.size(); ++d)
      for (std::size_t kept = 0; kept < at.dimensions[d].size(); ++kept)
        for (std::size_t onto = 0; onto < at.dimensions.size(); ++onto) {
          if (onto == d) continue;
          const Axes moved(at.dimensions[d].begin() + static_cast<std::ptrdiff_t>(kept), at.dimensions[d].end());
          Sharding to = at;
          to.dimensions[d].resize(kept);
          to.dimensions[onto].insert(to.dimensions[onto].end(), moved.begin(), moved.end());
          add(at, to, CollectiveKind::all_to_all, moved, static_cast<int>(onto));
        }
  }

  void sums(const Sharding& at) {
    for (const Axes& axes : subsets(at.unreduced)) {
      if (axes.empty()) continue;
      Sharding to = at;
      to.unreduced = without(at.unreduced, axes);
      add(at, to, CollectiveKind::all_reduce, axes, -1);
      Axes order = axes;
      do {
        for (std::size_t d = 0; d < at.dimensions.size(); ++d) {
          Sharding scattered = to;
          scattered.dimensions[d].insert(scattered.dimensions[d].end(), order.begin(), order.end());
          add(at, scattered, CollectiveKind::reduce_scatter, order, static_cast<int>(d));
        }
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }

  void add(const Sharding& at, const Sharding& to, CollectiveKind kind, Axes axes, int dimension) {
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      if (!blocks_line_up(sizes_[d], at.dimensions[d], to.dimensions[d])) return;
    const Time time = kind == CollectiveKind::slice ? Time{} : cost(kind, axes, group_elements(at, to));
    graph_.moves_.push_back(
        {from_, graph_.index_.at(to), kind, std::move(axes), static_cast<std::int8_t>(dimension), time});
  }

  std::uint64_t ways(const Axes& axes) const { return ways_of(axes, graph_.mesh_); }

  // Whether whole blocks of the finer split make up those of the coarser one. Where one is not the other with more
  // axes, nothing of it moves by itself.
  bool blocks_line_up(std::uint64_t size, const Axes& a, const Axes& b) const {
    const std::uint64_t fine = std::max(ways(a), ways(b)), coarse = std::min(ways(a), ways(b));
    if (fine == coarse || coarse == 1) return true;
    return block_length(size, coarse) == fine / coarse * block_length(size, fine);
  }

  // Of the array of one group, as collective_step counts it; 0 beyond 2^63 (which a layout refuses).
  std::uint64_t group_elements(const Sharding& at, const Sharding& to) const {
    Uint128 elements = 1;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const std::uint64_t fine = std::max(ways(at.dimensions[d]), ways(to.dimensions[d]));
      const std::uint64_t coarse = std::min(ways(at.dimensions[d]), ways(to.dimensions[d]));
      elements *= Uint128{block_length(sizes_[d], fine)} * (fine / coarse);
      if (elements >> 63) return 0;
    }
    return static_cast<std::uint64_t>(elements);
  }

  Time cost(CollectiveKind kind, const Axes& axes, std::uint64_t elements) {
    const auto [known, added] = known_.try_emplace({kind, axes, elements});
    if (added) {
      ResolvedCollective c;
      c.kind = kind;
      c.axes = names_of(axes, graph_.mesh_);
      c.group = ways(axes);
      c.bytes = bytes_of(elements, *graph_.array_.dtype);
      if (c.group > 1) known->second = costs_.collective(c);
    }
    return known->second;
  }

  ShardingGraph& graph_;
  const Axes& axes_;
  const StepCosts& costs_;
  std::vector<std::uint64_t> sizes_;
  std::uint32_t from_ = 0;
  std::map<std::tuple<CollectiveKind, Axes, std::uint64_t>, Time> known_;
};

ShardingGraph::ShardingGraph(const ArrayRef& array, const Axes& axes, bool sums, const Mesh& mesh,
                             const StepCosts& costs)
    : array_(array), mesh_(mesh) {
  Sharding s;
  s.dimensions.resize(array.dimensions.size());
  all_shardings(axes, sums, 0, s, shardings_);
  for (std::uint32_t i = 0; i < shardings_.size(); ++i) index_.emplace(shardings_[i], i);
  Builder(*this, axes, costs).add_moves();
}

std::size_t ShardingGraph::index(const Sharding& s) const { return index_.at(s); }

StrategyStep ShardingGraph::step(const Sharding& from, CollectiveKind kind, const Axes& axes,
                                 std::optional<std::size_t> dimension) const {
  Collective c;
  c.kind = kind;
  c.axes = names_of(axes, mesh_);
  if (dimension) c.dimension = array_.dimensions[*dimension].name;
  c.input = with_sharding(array_, from, mesh_);
  return collective_step(c, {.mesh = mesh_, .sizes = {}, .dtype = *array_.dtype, .arrays = {}});
}

bool ShardingGraph::has_move(const Sharding& from, CollectiveKind kind, const Axes& axes,
                             std::size_t dimension) const {
  return std::any_of(moves_.begin(), moves_.end(), [&, start = index(from)](const Move& m) {
    return m.from == start && m.kind == kind && m.axes == axes && m.dimension == static_cast<int>(dimension);
  });
}

// ---- searching ----

namespace {

// What is preferred first, then the other.
using Weight = std::pair<std::uint64_t, std::uint64_t>;

using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_weight_t, Weight, boost::property<boost::edge_index_t, std::int32_t>>>;

constexpr Weight kUnreached{UINT64_MAX, UINT64_MAX};

struct Sum {
  Weight operator()(const Weight& a, const Weight& b) const {
    if (a == kUnreached || b == kUnreached) return kUnreached;
    return {a.first + b.first, a.second + b.second};
  }
};

// Remembers the edge by which each vertex was reached best.
struct Remember : boost::default_dijkstra_visitor {
  std::vector<std::int32_t>* move;
  explicit Remember(std::vector<std::int32_t>& m) : move(&m) {}
  template <class Edge, class Graph>
  void edge_relaxed(Edge e, const Graph& g) const {
    (*move)[target(e, g)] = get(boost::edge_index, g, e);
  }
};

}  // namespace

ShardingGraph::Ways ShardingGraph::search(const std::vector<std::size_t>& ends, bool backwards,
                                          Preference preference) const {
  const bool by_time = preference == Preference::time;
  const std::size_t start = shardings_.size();  // a vertex of its own, next to all the ends
  Network network(start + 1);
  const auto add = [&](std::size_t from, std::size_t to, const Weight& weight, std::int32_t move) {
    add_edge(from, to, {weight, move}, network);
  };
  for (const std::size_t end : ends) add(start, end, {0, 0}, -1);
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    const Move& move = moves_[m];
    const Weight weight = by_time ? Weight{move.time.ps(), 1} : Weight{1, move.time.ps()};
    add(backwards ? move.to : move.from, backwards ? move.from : move.to, weight, static_cast<std::int32_t>(m));
  }
  std::vector<Weight> distance(start + 1);
  Ways ways;
  ways.graph_ = this;
  ways.backwards_ = backwards;
  ways.move_.assign(start + 1, -1);
  dijkstra_shortest_paths(
      network, start,
      boost::distance_map(boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, network)))
          .distance_inf(kUnreached)
          .distance_zero(Weight{0, 0})
          .distance_compare(std::less<Weight>())
          .distance_combine(Sum())
          .visitor(Remember(ways.move_)));
  for (const Weight& w : distance) {
    const auto [time, moves] = by_time ? w : Weight{w.second, w.first};
    ways.cost_.push_back({Time::picoseconds(time), static_cast<std::uint32_t>(moves), w != kUnreached});
  }
  return ways;
}

ShardingGraph::Ways ShardingGraph::from(std::size_t sharding, Preference p) const {
  return search({sharding}, false, p);
}

ShardingGraph::Ways ShardingGraph::to(const std::vector<std::size_t>& targets, Preference p) const {
  return search(targets, true, p);
}

std::vector<StrategyStep> ShardingGraph::Ways::steps(std::size_t sharding) const {
  std::vector<StrategyStep> steps;
  for (std::size_t at = sharding; move_[at] >= 0;) {
    const Move& m = graph_->moves_[static_cast<std::size_t>(move_[at])];
    steps.push_back(graph_->step(graph_->shardings_[m.from], m.kind, m.axes,
                                 m.dimension < 0 ? std::nullopt : std::optional<std::size_t>(m.dimension)));
    at = backwards_ ? m.to : m.from;
  }
  if (!backwards_) std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace hopsim

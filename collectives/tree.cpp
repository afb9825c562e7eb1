#include "collectives/tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hopsim {
namespace {

constexpr int kMostChunks = 65536;

struct Placed {
  RowPtr row;
  int root;
  std::shared_ptr<const Tree> tree;

  int rank(const Coordinates& at) const {
    const int p = row->position(at), n = row->size();
    return p < 0 ? -1 : (p - root + n) % n;
  }
  int position(int rank) const { return (root + rank) % row->size(); }
  Offset way(const Coordinates& at, int rank) const { return way_to(*row, at, position(rank)); }
  const std::vector<int>& children(int rank) const { return tree->children[static_cast<std::size_t>(rank)]; }
  int parent(int rank) const { return tree->parent[static_cast<std::size_t>(rank)]; }
  // Which of its parent's children a rank is: the channel of the edge, whichever way it is used.
  int edge(int rank) const {
    const auto& siblings = children(parent(rank));
    return static_cast<int>(std::find(siblings.begin(), siblings.end(), rank) - siblings.begin());
  }
  int most_children() const {
    std::size_t n = 1;
    for (const auto& c : tree->children) n = std::max(n, c.size());
    return static_cast<int>(n);
  }
};

// Chunk by chunk: in from the parent, out to one child after another. `chunk(i, rank)` is what goes to that rank.
class DownTree : public Phase {
 public:
  DownTree(Placed place, int chunks) : place_(std::move(place)), chunks_(chunks), channels_(place_.most_children()) {}
  int channels() const override { return channels_; }
  int length(const Coordinates& at) const override {
    const int rank = place_.rank(at);
    return rank < 0 ? 0 : chunks_ * stops(rank);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int rank = place_.rank(at), stop = i % stops(rank), chunk = i / stops(rank);
    const auto& children = place_.children(rank);
    Passage p;
    if (stop == 0 && rank > 0)
      p.in = {.peer = place_.way(at, place_.parent(rank)),
              .chunk = piece(chunk, rank),
              .channel = place_.edge(rank),
              .times = 1};
    if (!children.empty()) {
      const int child = children[static_cast<std::size_t>(stop)];
      p.out = {.peer = place_.way(at, child), .chunk = piece(chunk, child), .channel = stop, .times = 1};
    }
    return p;
  }

 protected:
  virtual Chunk piece(int chunk, int rank) const = 0;

 private:
  int stops(int rank) const { return std::max(1, static_cast<int>(place_.children(rank).size())); }

  Placed place_;
  int chunks_, channels_;
};

class Cast final : public DownTree {
 public:
  Cast(Placed place, int chunks, std::uint32_t first, std::uint32_t atoms, bool last_first)
      : DownTree(std::move(place), chunks), chunks_(chunks), first_(first), atoms_(atoms), last_first_(last_first) {}

 private:
  Chunk piece(int chunk, int) const override {
    return {first_ + static_cast<std::uint32_t>(last_first_ ? chunks_ - 1 - chunk : chunk) * atoms_, atoms_};
  }
  int chunks_;
  std::uint32_t first_, atoms_;
  bool last_first_;
};

class Deal final : public DownTree {
 public:
  explicit Deal(const Placed& place) : DownTree(place, 1), size_(place.tree->sizes()) {}

 private:
  Chunk piece(int, int rank) const override {
    return {static_cast<std::uint32_t>(rank), size_[static_cast<std::size_t>(rank)]};
  }
  std::vector<std::uint32_t> size_;  // of a rank's subtree
};

// Where an AllReduce turns round: the root tells the lane that leads down of every chunk that is summed.
class Turn final : public Phase {
 public:
  Turn(PhasePtr of, const Placed& place, bool down)
      : of_(std::move(of)),
        place_(place),
        down_(down),
        stops_(std::max(1, static_cast<int>(place.children(0).size()))) {}
  // The lane that leads down is placed right behind the one that leads up; the token's channel is its last.
  int channels() const override { return of_->channels() + down_; }
  int length(const Coordinates& at) const override { return of_->length(at); }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p = of_->passage(at, i);
    if (place_.rank(at) != 0) return p;
    const int token = of_->channels() * (down_ ? 1 : 2);
    const End end{.peer = {}, .chunk = {}, .channel = token, .times = 1};
    if (down_ && i % stops_ == 0) p.in = end;
    if (!down_ && i % stops_ == stops_ - 1) p.out = end;
    return p;
  }

 private:
  PhasePtr of_;
  Placed place_;
  bool down_;
  int stops_;
};

}  // namespace

void Tree::add(int above, int below) {
  parent[static_cast<std::size_t>(below)] = above;
  children[static_cast<std::size_t>(above)].push_back(below);
}

int Tree::depth() const {
  int deepest = 0;
  for (std::size_t v = 0; v < parent.size(); ++v) {
    int d = 0;
    for (int p = parent[v]; p >= 0; p = parent[static_cast<std::size_t>(p)]) ++d;
    deepest = std::max(deepest, d);
  }
  return deepest;
}

std::vector<std::uint32_t> Tree::sizes() const {
  std::vector<std::uint32_t> size(parent.size(), 1);
  for (std::size_t v = size.size(); v-- > 1;) size[static_cast<std::size_t>(parent[v])] += size[v];
  return size;
}

Tree binomial(int n) {
  Tree tree(n);
  for (int v = 0; v < n; ++v)
    for (int k = v ? std::countr_zero(static_cast<unsigned>(v)) : std::bit_width(static_cast<unsigned>(n - 1));
         k-- > 0;)
      if (v + (1 << k) < n) tree.add(v, v + (1 << k));
  const auto size = tree.sizes();
  for (auto& below : tree.children)
    std::stable_sort(below.begin(), below.end(), [&](int a, int b) {
      return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
    });
  return tree;
}

namespace {

// Of numbers 1 to m: even ones above their odd neighbours, those divisible by 4 above those, and so on. 0: above all.
int above(int i, int m) {
  const int low = i & -i, up = (i ^ low) | low << 1;
  return up > m ? i ^ low : up;
}

}  // namespace

std::vector<Tree> double_binary(int n) {
  const int m = n - 1;
  std::vector<Tree> trees;
  for (const bool second : {false, true}) {
    std::vector<int> rank(static_cast<std::size_t>(n));  // of a number
    for (int i = 1; i <= m; ++i)
      rank[static_cast<std::size_t>(i)] = !second ? i : m % 2 == 0 ? m + 1 - i : (i + m - 2) % m + 1;
    Tree& tree = trees.emplace_back(n);
    for (int i = 1; i <= m; ++i) {
      const int p = above(i, m);
      tree.add(p == 0 ? 0 : rank[static_cast<std::size_t>(p)], rank[static_cast<std::size_t>(i)]);
    }
  }
  return trees;
}

namespace {

// Sums come up in the reverse of the order in which they go down elsewhere.
void add_both_ways(Schedule& s, const Placed& place, const AtomSize& atom, const std::shared_ptr<Cast>& down,
                   const std::shared_ptr<Cast>& up, std::uint32_t tree) {
  Schedule one;
  one.lanes.push_back({});
  one.add(0, up);
  const PhasePtr upwards = reversed(std::move(one)).lanes[0].phases[0].phase;
  for (const bool leads_down : {false, true}) {
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = 2 * tree + leads_down, .paced = !leads_down});
    s.add(s.lanes.size() - 1, std::make_shared<Turn>(leads_down ? PhasePtr(down) : upwards, place, leads_down));
  }
}

}  // namespace

// What is to be summed is sent chunk by chunk as the link takes it: chips that have nothing to wait for in one tree
// would else be in their own way in the other.
Schedule tree_schedule(const Request& r, const std::vector<Tree>& trees) {
  const bool both = r.operation == Operation::all_reduce;
  const std::uint32_t unit = both ? static_cast<std::uint32_t>(r.row->size()) : 1;  // atoms of a chunk
  const auto chunks = static_cast<std::uint32_t>(r.chunks), count = static_cast<std::uint32_t>(trees.size());
  Schedule s;
  s.atoms = unit * count * chunks;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = s.atoms / unit, .atom = atom});
  for (std::uint32_t t = 0; t < count; ++t) {
    const Placed place{r.row, both ? 0 : r.root, std::make_shared<const Tree>(trees[t])};
    const auto cast = [&](bool last_first) {
      return std::make_shared<Cast>(place, r.chunks, t * chunks * unit, unit, last_first);
    };
    if (both) {
      add_both_ways(s, place, atom, cast(true), cast(false), t);
    } else {
      s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = t, .paced = r.operation == Operation::reduce});
      s.add(t, cast(false));
    }
  }
  return turned(r.operation, std::move(s));
}

Schedule tree_scatter(const Request& r, const Tree& tree) {
  const int n = r.row->size();
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(n);
  const AtomSize atom(r.bytes, s.atoms);
  std::vector<std::uint32_t> rank;
  for (int p = 0; p < n; ++p) rank.push_back(static_cast<std::uint32_t>((p - r.root + n) % n));
  s.parts.push_back({.first = 0,
                     .per_member = 1,
                     .atom = atom,
                     .rank = std::make_shared<const std::vector<std::uint32_t>>(std::move(rank))});
  s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = 0});
  s.add(0, std::make_shared<Deal>(Placed{r.row, r.root, std::make_shared<const Tree>(tree)}));
  return turned(r.operation, std::move(s));
}

ClosedForm tree_form(const Request& r, const Tree& tree) {
  const Placed place{r.row, r.operation == Operation::all_reduce ? 0 : r.root, std::make_shared<const Tree>(tree)};
  const auto across = [&](int u) {
    return place.position(u) / r.local() != place.position(place.parent(u)) / r.local();
  };
  const auto hops = [&](int u) {
    if (r.wiring.kind != Wiring::Kind::grid) return r.wiring.hops_to_peer();
    return place.way(r.row->at(place.position(u)), place.parent(u)).hops();
  };
  ClosedForm f;
  for (int v = 0; v < r.row->size(); ++v) {
    int near = 0, far = 0;
    for (int u = v; place.parent(u) >= 0; u = place.parent(u)) (across(u) ? far : near) += across(u) ? 2 : hops(u);
    f.hops = std::max(f.hops, near);
    f.nic_hops = std::max(f.nic_hops, far);
    const auto& below = place.children(v);
    f.nic_bytes = std::max(f.nic_bytes, static_cast<double>(std::count_if(below.begin(), below.end(), across)));
  }
  return f;
}

std::string tree_obstacle(std::string_view algorithm, const Request& r) {
  const bool deals = r.operation == Operation::gather || r.operation == Operation::scatter;
  const auto limit = deals ? 1 : kMostChunks;
  const auto most = std::clamp<std::uint64_t>(r.bytes.count(), 1, static_cast<std::uint64_t>(limit));
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of " + std::to_string(r.bytes.count()) + " B are too many for " +
           std::string(algorithm) + "; valid: 1 to " + std::to_string(most);
  return {};
}

int tree_chunks(const Request& r, int trees, int depth) {
  return pipeline_chunks(r.wiring, Bytes(r.bytes.count() / static_cast<std::uint64_t>(trees)), depth, kMostChunks);
}

}  // namespace hopsim

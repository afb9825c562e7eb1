#include "collectives/doubling.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "collectives/ring_gather.hpp"
#include "collectives/ring_orders.hpp"

namespace hopsim {
namespace {

struct Step {
  std::size_t axis;
  int level;
};

// The row as a box of axes.
class Box {
 public:
  explicit Box(RowPtr row, const Wiring& wiring) : row_(std::move(row)) {
    const Shape& shape = row_->shape();
    if (wiring.kind == Wiring::Kind::grid)
      for (const int d : row_->dimensions())
        if (shape.size[static_cast<std::size_t>(d)] > 1) dimensions_.push_back(d);
    for (const int d : dimensions_) {
      sizes_.push_back(shape.size[static_cast<std::size_t>(d)]);
      around_.push_back(shape.wrap[static_cast<std::size_t>(d)]);
    }
    if (!dimensions_.empty()) return;
    sizes_ = {row_->size()};
    // Past a single port copies would only wait for one another.
    around_ = {wiring.kind != Wiring::Kind::switched && row_->size() > 2};
  }

  std::size_t axes() const { return sizes_.size(); }
  int size(std::size_t axis) const { return sizes_[axis]; }
  int levels(std::size_t axis) const { return std::countr_zero(static_cast<unsigned>(sizes_[axis])); }
  bool around(std::size_t axis) const { return around_[axis]; }
  bool mirrors() const { return std::find(around_.begin(), around_.end(), true) != around_.end(); }
  std::size_t copies() const { return axes() * (mirrors() ? 2 : 1); }
  const Row& row() const { return *row_; }
  const std::vector<int>& sizes() const { return sizes_; }

  // The order of the steps of copy number `copy`.
  std::vector<Step> steps(std::size_t copy, bool in_turn) const {
    const std::size_t n = axes(), first = copy % n;
    std::vector<Step> steps;
    if (!in_turn) {
      for (std::size_t k = 0; k < n; ++k)
        for (int l = 0; l < levels((first + k) % n); ++l) steps.push_back({(first + k) % n, l});
      return steps;
    }
    for (int l = 0; l < 32; ++l)
      for (std::size_t k = 0; k < n; ++k)
        if (l < levels((first + k) % n)) steps.push_back({(first + k) % n, l});
    return steps;
  }

  int distance(const DoublingRule& rule, std::size_t copy, const Step& s, int x) const {
    const int n = sizes_[s.axis];
    if (copy < axes() || !around_[s.axis]) return rule.distance(x, s.level);
    return -rule.distance((n - x) % n, s.level);
  }
  Offset way(const Coordinates& at, const Step& s, int distance) const {
    if (dimensions_.empty()) return row_->way(at, distance);
    const int d = dimensions_[s.axis], x = at[static_cast<std::size_t>(d)], n = sizes_[s.axis];
    return along(d, around_[s.axis] ? distance : ((x + distance) % n + n) % n - x);
  }
  int coordinate(const Coordinates& at, const Step& s) const {
    return dimensions_.empty() ? row_->position(at) : at[static_cast<std::size_t>(dimensions_[s.axis])];
  }
  // The position of a member's peer.
  int peer(const DoublingRule& rule, std::size_t copy, const Step& s, int position) const {
    const int n = sizes_[s.axis];
    Coordinates at = dimensions_.empty() ? Coordinates{} : row_->at(position);
    const int x = dimensions_.empty() ? position : coordinate(at, s);
    const int to = ((x + distance(rule, copy, s, x)) % n + n) % n;
    if (dimensions_.empty()) return to;
    at[static_cast<std::size_t>(dimensions_[s.axis])] = static_cast<std::int16_t>(to);
    return row_->position(at);
  }

 private:
  RowPtr row_;
  std::vector<int> dimensions_;  // by axis; none: the row's positions are the only axis
  std::vector<int> sizes_;
  std::vector<bool> around_;
};
using BoxPtr = std::shared_ptr<const Box>;

// One copy of the algorithm on one row.
struct Copy {
  BoxPtr box;
  DoublingRule rule;
  std::size_t number;
  std::vector<Step> steps;

  std::uint32_t members() const { return static_cast<std::uint32_t>(box->row().size()); }
  // What a chip knows before its k-th step, by name, and as positions.
  std::uint32_t code(std::size_t k, int position) const {
    return static_cast<std::uint32_t>((number * (steps.size() + 1) + k) * members() +
                                      static_cast<std::size_t>(position));
  }
  void known(std::size_t k, int position, std::vector<std::uint32_t>& atoms) const {
    if (k == 0) {
      atoms.push_back(static_cast<std::uint32_t>(number) * members() + static_cast<std::uint32_t>(position));
      return;
    }
    known(k - 1, position, atoms);
    known(k - 1, box->peer(rule, number, steps[k - 1], position), atoms);
  }
};

class Doubling final : public Phase {
 public:
  Doubling(Copy copy, bool whole) : copy_(std::move(copy)), whole_(whole) {}
  int channels() const override { return steps(); }
  int length(const Coordinates& at) const override { return copy_.box->row().position(at) < 0 ? 0 : steps() + 1; }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p;
    if (i > 0) p.in = end(at, i - 1, peer(at, i - 1));
    if (i < steps()) p.out = end(at, i, copy_.box->row().position(at));
    p.op = whole_ ? Op::reduce : Op::copy;
    return p;
  }

 private:
  int steps() const { return static_cast<int>(copy_.steps.size()); }
  const Step& step(int i) const { return copy_.steps[static_cast<std::size_t>(i)]; }
  int peer(const Coordinates& at, int i) const {
    return copy_.box->peer(copy_.rule, copy_.number, step(i), copy_.box->row().position(at));
  }
  End end(const Coordinates& at, int i, int sender) const {
    const Box& box = *copy_.box;
    const int x = box.coordinate(at, step(i));
    const std::uint32_t n = copy_.members();
    const Chunk all{static_cast<std::uint32_t>(copy_.number) * n, n};
    return {.peer = box.way(at, step(i), box.distance(copy_.rule, copy_.number, step(i), x)),
            .chunk = whole_ ? all : Chunk{copy_.code(static_cast<std::size_t>(i), sender), 1u << i},
            .channel = i,
            .times = 1};
  }

  Copy copy_;
  bool whole_;
};

std::string powers_of_two(const std::vector<int>& sizes) {
  const bool all = std::all_of(sizes.begin(), sizes.end(),
                               [](int n) { return n > 0 && std::has_single_bit(static_cast<unsigned>(n)); });
  if (all) return {};
  std::string shape;
  for (const int n : sizes) shape += (shape.empty() ? "" : "x") + std::to_string(n);
  return shape;
}

}  // namespace

int doubling_distance(int x, int level) { return x & 1 << level ? -(1 << level) : 1 << level; }

// De Sensi et al.: rho(s) = sum over i <= s of (-2)^i, one way from even chips, the other way from odd ones.
int swing_distance(int x, int level) {
  int rho = 0;
  for (int i = 0, power = 1; i <= level; ++i, power *= -2) rho += power;
  return x % 2 ? -rho : rho;
}

std::string doubling_obstacle(const DoublingRule& rule, const Request& r) {
  const std::string named(rule.name);
  if (r.operation != Operation::all_reduce &&
      (rule.whole || (r.operation != Operation::all_gather && r.operation != Operation::reduce_scatter)))
    return named + " does " + (rule.whole ? "all_reduce" : "all_gather, reduce_scatter and all_reduce") + ", not " +
           std::string(name(r.operation));
  if (r.row->size() < 2) return named + " needs 2 chips or more";
  const Box box(r.row, r.wiring);
  if (const std::string shape = powers_of_two(box.sizes()); !shape.empty())
    return named + " needs a power of two along every dimension; got " + shape + "; valid: 2, 4, 8, 16, ...";
  for (std::size_t a = 0; rule.needs_around && a < box.axes(); ++a)
    if (r.wiring.kind == Wiring::Kind::grid && !r.row->dimensions().empty() && !box.around(a) && box.size(a) > 2)
      return named + " needs dimensions that wrap around; one of " + std::to_string(box.size(a)) +
             " does not; valid: recursive_doubling, halving_doubling";
  if (r.chunks > 1)
    return named + " sends what it knows at once; got " + std::to_string(r.chunks) + " chunks; valid: 1";
  return {};
}

Schedule doubling_schedule(const DoublingRule& rule, const Request& r) {
  const auto box = std::make_shared<const Box>(r.row, r.wiring);
  const bool whole = rule.whole && r.operation == Operation::all_reduce;
  const auto members = static_cast<std::uint32_t>(r.row->size());
  std::vector<Copy> copies;
  Schedule s;
  const AtomSize atom(r.bytes, box->copies() * members);
  for (std::size_t c = 0; c < box->copies(); ++c) {
    copies.push_back({box, rule, c, box->steps(c, rule.in_turn)});
    if (!whole && rule.far_first) std::reverse(copies.back().steps.begin(), copies.back().steps.end());
    s.parts.push_back({.first = s.atoms, .per_member = 1, .atom = atom});
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(c)});
    s.add(c, std::make_shared<Doubling>(copies.back(), whole));
    s.atoms += members;
  }
  if (whole) return s;
  s.expand = [copies](const Chunk& chunk, std::vector<std::uint32_t>& atoms) {
    const std::uint32_t n = copies[0].members(), steps = static_cast<std::uint32_t>(copies[0].steps.size()) + 1;
    copies[chunk.first / n / steps].known(chunk.first / n % steps, static_cast<int>(chunk.first % n), atoms);
  };
  return gather_based(r.operation, std::move(s), 1);
}

namespace {

// Messages over the busiest link of an axis when copy number `copy` takes a step along it. A chip sends one.
std::vector<int> loads(const Box& box, const DoublingRule& rule, std::size_t copy, const Step& s) {
  const int n = box.size(s.axis);
  std::vector<int> load(2 * static_cast<std::size_t>(n));  // forwards, then backwards
  for (int x = 0; x < n; ++x) {
    int hops = box.distance(rule, copy, s, x);
    if (!box.around(s.axis)) hops = ((x + hops) % n + n) % n - x;
    for (int k = 0; k < std::abs(hops); ++k)
      ++load[static_cast<std::size_t>(hops > 0 ? (x + k) % n : n + ((x - k) % n + n) % n)];
  }
  return load;
}

// Hops of the farthest peer.
int hops_of(const Box& box, const DoublingRule& rule, std::size_t copy, const Step& s) {
  if (!box.row().dimensions().empty()) return std::abs(rule.distance(0, s.level));
  int most = 0;  // any chips: as far as they happen to be
  for (int p = 0; p < box.row().size(); ++p)
    most = std::max(most, box.way(box.row().at(p), s, box.distance(rule, copy, s, p)).hops());
  return most;
}

// All copies' k-th step on a grid; each sends `bytes`. `hops`: of each copy so far.
void add_grid_step(ClosedForm& f, const Box& box, const DoublingRule& rule, std::size_t k, double bytes,
                   std::vector<int>& hops) {
  std::vector<std::vector<int>> load(box.axes());
  int most = 1;
  for (std::size_t c = 0; c < box.copies(); ++c) {
    const Step s = box.steps(c, rule.in_turn)[k];
    hops[c] += hops_of(box, rule, c, s);
    if (box.row().dimensions().empty()) continue;  // as if messages met no others
    const auto more = loads(box, rule, c, s);
    load[s.axis].resize(more.size());
    for (std::size_t l = 0; l < more.size(); ++l) most = std::max(most, load[s.axis][l] += more[l]);
  }
  f.link_bytes += bytes * most;
  f.hops = *std::max_element(hops.begin(), hops.end());
}

// The same elsewhere: over a switch, or a link to each peer; by NIC to other domains, up to a switch and down again.
void add_switched_step(ClosedForm& f, const Box& box, const DoublingRule& rule, std::size_t k, double bytes,
                       const Request& r) {
  const auto copies = static_cast<double>(box.copies());
  const Step s = box.steps(0, rule.in_turn)[k];
  bool within = false, across = false;
  for (int p = 0; p < r.row->size(); ++p) {
    const bool same = p / r.local() == box.peer(rule, 0, s, p) / r.local();
    within = within || same;
    across = across || !same;
  }
  if (within) {
    f.link_bytes += bytes * (r.wiring.kind == Wiring::Kind::direct ? 1 : copies);
    f.hops += r.wiring.hops_to_peer();
  }
  if (across) {
    f.nic_bytes += bytes * copies;
    f.nic_hops += 2;
  }
}

}  // namespace

ClosedForm doubling_form(const DoublingRule& rule, const Request& r) {
  const Box box(r.row, r.wiring);
  const bool whole = rule.whole && r.operation == Operation::all_reduce;
  const double v = static_cast<double>(r.bytes.count()) / static_cast<double>(box.copies());
  const std::size_t count = box.steps(0, rule.in_turn).size();
  ClosedForm f;
  f.links_then_nics = true;
  std::vector<int> hops(box.copies());
  for (std::size_t k = 0; k < count; ++k) {
    const double part = whole ? v : v / static_cast<double>(rule.far_first ? 2u << k : 1u << (count - k));
    if (r.wiring.kind == Wiring::Kind::grid)
      add_grid_step(f, box, rule, k, part, hops);
    else
      add_switched_step(f, box, rule, k, part, r);
  }
  f.steps = static_cast<int>(count);
  f.formula = whole ? "log2(N) times V, step by step over the busiest link"
                    : "(V/2 + V/4 + ... + V/N), step by step over the busiest link";
  return !whole && r.operation == Operation::all_reduce ? twice(f) : f;
}

}  // namespace hopsim

#include "collectives/ring_orders.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

constexpr int kMostLanes = 4096;
constexpr int kEffort = 20'000'000;
constexpr std::size_t kMostChips = 512;  // among which a Hamiltonian ring is searched for

// Finds disjoint Hamiltonian cycles one after another; where no further one is left, looks for others before it.
class CycleSearch {
 public:
  explicit CycleSearch(std::vector<std::vector<int>>& links) : links_(links), n_(static_cast<int>(links.size())) {
    most_ = degree(0) / 2;
    for (int a = 1; a < n_; ++a) most_ = std::min(most_, degree(a) / 2);
  }
  std::vector<std::vector<int>> run() {
    next_cycle();
    return best_;
  }

 private:
  int effort() const { return 2 * n_ + kEffort / (n_ * n_); }  // steps from chip to chip, each of up to n^2

  int degree(int a) const { return std::accumulate(row(a).begin(), row(a).end(), 0); }
  const std::vector<int>& row(int a) const { return links_[static_cast<std::size_t>(a)]; }
  int links(int a, int b) const { return row(a)[static_cast<std::size_t>(b)]; }
  void change(int a, int b, int by) {
    links_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] += by;
    links_[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] += by;
  }
  bool done() const { return static_cast<int>(best_.size()) == most_ || steps_ > effort(); }

  void next_cycle() {
    if (found_.size() > best_.size()) best_ = found_;
    if (done()) return;
    found_.push_back({0});
    visited_.assign(static_cast<std::size_t>(n_), false);
    visited_[0] = true;
    extend();
    found_.pop_back();
  }

  // The path so far is found_.back(). Unvisited chips with the fewest ways on come first.
  void extend() {
    const int here = found_.back().back();
    if (static_cast<int>(found_.back().size()) == n_) {
      if (links(here, 0) == 0) return;
      change(here, 0, -1);
      const auto visited = visited_;
      next_cycle();
      visited_ = visited;
      change(here, 0, 1);
      return;
    }
    for (const int next : ways_on(here)) {
      if (done()) return;
      ++steps_;
      change(here, next, -1);
      visited_[static_cast<std::size_t>(next)] = true;
      found_.back().push_back(next);
      extend();
      found_.back().pop_back();
      visited_[static_cast<std::size_t>(next)] = false;
      change(here, next, 1);
    }
  }

  std::vector<int> ways_on(int here) const {
    std::vector<std::pair<int, int>> ways;  // onward links, chip
    for (int b = 0; b < n_; ++b) {
      if (visited_[static_cast<std::size_t>(b)] || links(here, b) == 0) continue;
      int onward = 0;
      for (int c = 0; c < n_; ++c) onward += visited_[static_cast<std::size_t>(c)] ? 0 : links(b, c);
      ways.emplace_back(onward, b);
    }
    std::sort(ways.begin(), ways.end());
    std::vector<int> chips;
    for (const auto& [onward, b] : ways) chips.push_back(b);
    return chips;
  }

  std::vector<std::vector<int>>& links_;
  int n_, most_ = 0, steps_ = 0;
  std::vector<bool> visited_;
  std::vector<std::vector<int>> found_, best_;
};

RowPtr in_order(const Request& r, const std::vector<int>& order) {
  return r.wiring.rings.empty() ? r.row : row_in_order(r.row, order);
}

}  // namespace

std::vector<std::vector<int>> ring_orders(const Request& r) {
  if (!r.wiring.rings.empty()) return r.wiring.rings;
  std::vector<int> order(static_cast<std::size_t>(r.size()));
  std::iota(order.begin(), order.end(), 0);
  return {order};
}

Schedule rings_gather_schedule(const Request& r) {
  const auto orders = ring_orders(r);
  const auto chunks = static_cast<std::uint32_t>(r.chunks), n = static_cast<std::uint32_t>(r.size());
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(orders.size()) * n * chunks;
  const AtomSize atom(r.bytes, s.atoms);
  for (std::uint32_t k = 0; k < orders.size(); ++k) {
    const RowPtr row = in_order(r, orders[k]);
    auto rank = std::make_shared<std::vector<std::uint32_t>>(n);
    for (std::uint32_t p = 0; p < n; ++p) (*rank)[static_cast<std::size_t>(orders[k][p])] = p;
    const std::uint32_t first = k * n * chunks;
    s.parts.push_back({.first = first, .per_member = chunks, .atom = atom, .rank = rank});
    for (std::uint32_t c = 0; c < chunks; ++c)
      for (const int sign : {1, -1}) {
        if (sign < 0 && row->wraps()) continue;  // two members: one link each way
        s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = 2 * k + (sign < 0 ? 1u : 0u)});
        const RingGather::Atoms atoms{.per_shard = chunks, .first = first + c, .count = 1};
        s.add(s.lanes.size() - 1, std::make_shared<RingGather>(row, sign, r.size() - 1, atoms));
      }
  }
  return s;
}

// Scaling Book ch. 3 for a ring; a chip sends V(n-1)/n over the links its successors are on, shared by k rings.
ClosedForm rings_gather_form(const Request& r) {
  const auto orders = ring_orders(r);
  const bool switched = r.wiring.kind == Wiring::Kind::switched;
  const double n = r.size(),
               each = static_cast<double>(r.bytes.count()) * (n - 1) / n / static_cast<double>(orders.size());
  std::map<int, int> on_link;  // of a chip
  std::map<int, int> on_nic;
  int crossings = 0;
  for (const auto& order : orders) {
    int here = 0;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const int from = order[p], to = order[(p + 1) % order.size()];
      const bool within = from / r.local() == to / r.local();
      if (within && (switched || on_link[from] == 0)) ++on_link[from];  // else every ring has links of its own
      if (!within) ++on_nic[from];
      here += !within;
    }
    crossings = std::max(crossings, here);
  }
  const auto most = [](const auto& loads) {
    int m = 0;
    for (const auto& [place, load] : loads) m = std::max(m, load);
    return m;
  };
  const int steps = r.size() - 1, across = std::min(crossings, steps);
  const bool one = orders.size() == 1;
  ClosedForm form{each * most(on_link), (steps - across) * r.wiring.hops_to_peer(),
                  one ? "V(N-1)/(N W/2)" : "V(N-1)/(k N W/2) on each of k rings"};
  form.nic_bytes = each * most(on_nic);
  form.nic_hops = 2 * across;  // to a switch of the network and back
  form.steps = steps;
  return form;
}

ClosedForm twice(ClosedForm form) {
  form.link_bytes *= 2;
  form.nic_bytes *= 2;
  form.hops *= 2;
  form.nic_hops *= 2;
  form.steps *= 2;
  form.formula = "2" + form.formula;
  return form;
}

std::string rings_obstacle(const Request& r) {
  if (r.wiring.kind == Wiring::Kind::direct && r.wiring.rings.empty() && r.size() > 1)
    return "ring needs an order of the " + std::to_string(r.size()) +
           " chips in which each has a link to the next (a Hamiltonian ring), and found none; valid: direct";
  const auto rings = std::max<std::size_t>(r.wiring.rings.size(), 1) * (r.row->wraps() ? 1 : 2);
  const int most = kMostLanes / static_cast<int>(rings);
  if (r.chunks > most)
    return std::to_string(r.chunks) + " chunks on each of " + std::to_string(rings) +
           " rings are too many; valid: 1 to " + std::to_string(most);
  return {};
}

std::vector<std::vector<int>> node_rings(int domains, int local) {
  std::vector<std::vector<int>> rings(static_cast<std::size_t>(local));
  for (int r = 0; r < local; ++r)
    for (int d = 0; d < domains; ++d)
      for (int k = 0; k < local; ++k) {
        const int gpu = d % 2 == 0 ? r + k : r + local - 1 - k;
        rings[static_cast<std::size_t>(r)].push_back(d * local + gpu % local);
      }
  return rings;
}

std::vector<std::vector<int>> hamiltonian_rings(std::vector<std::vector<int>> links) {
  const std::size_t n = links.size();
  if (n < 2 || n > kMostChips) return {};
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) links[a][b] = a == b ? 0 : std::min(links[a][b], links[b][a]);
  if (n == 2) return std::vector<std::vector<int>>(static_cast<std::size_t>(links[0][1]), {0, 1});
  auto rings = CycleSearch(links).run();
  const std::size_t found = rings.size();
  for (std::size_t k = 0; k < found; ++k) rings.emplace_back(rings[k].rbegin(), rings[k].rend());
  return rings;
}

}  // namespace hopsim

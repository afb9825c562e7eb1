// Direct: everything straight to where it is needed, by the shortest ways, shared out evenly over those there are.
// What chips do that have links to all others; elsewhere many messages that meet on the way.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "collectives/direct_phases.hpp"
#include "collectives/exchange.hpp"
#include "collectives/ring_gather.hpp"
#include "sim/fabric.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMostChunks = 1024, kMostPacedChunks = 512;  // each a lane, or one a port, of at most 4096
constexpr std::uint64_t kMostListed = 1u << 23;  // messages of chips that are not alike; each is 24 bytes

std::uint64_t block_of(const Request& r) {
  const auto n = static_cast<std::uint64_t>(r.row->size());
  if (r.operation == Operation::all_to_all) return r.bytes.count() / (n * n);
  return r.operation == Operation::collective_permute || r.operation == Operation::send_recv ? r.bytes.count()
                                                                                             : r.bytes.count() / n;
}

bool exchanges(Operation o) { return !is_rooted(o) && !is_point_to_point(o); }
bool paced(const Request& r) { return exchanges(r.operation) && paced_exchange(r); }

std::string obstacle(const Request& r) {
  if (r.operation == Operation::broadcast || r.operation == Operation::reduce)
    return "direct does everything but broadcast and reduce; got " + std::string(name(r.operation));
  if (FarFirst::lists(*r.row, r.wiring) * static_cast<std::uint64_t>(r.row->size()) > kMostListed)
    return "direct would send too many messages over a mesh of " + std::to_string(r.row->size()) + " chips";
  const std::uint64_t block = block_of(r), limit = paced(r) ? kMostPacedChunks : kMostChunks;
  const std::uint64_t most = std::clamp<std::uint64_t>(block, 1, limit);
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of " + std::to_string(block) + " B; valid: 1 to " +
           std::to_string(most);
  return {};
}

Schedule schedule(const Request& r) {
  Request part = r;
  switch (r.operation) {
    case Operation::collective_permute:
    case Operation::send_recv:
      return direct_permutation(r);
    case Operation::scatter:
      return direct_scatter(r);
    case Operation::gather:
      return reversed(direct_scatter(r));
    case Operation::all_to_all:
      return direct_exchange(r, exchange_lanes(r));
    default: {
      part.operation = Operation::all_gather;
      Schedule gather = direct_exchange(part, exchange_lanes(r));
      const int lanes = static_cast<int>(gather.lanes.size()) / r.chunks;
      return gather_based(r.operation, std::move(gather), lanes);
    }
  }
}

// Links forwards and backwards along each dimension, as a chip sees them.
using Ports = std::array<double, 2 * kMaxDimensions>;

// What leaves a chip at `at`, in blocks: over all the links of its messages' ways, or only over its own.
struct Loads {
  Ports all{}, own{};
  int hops = 0;
  int messages = 0;  // the most in a lane

  void add(const Way& w) {
    hops = std::max(hops, w.offset.hops());
    own[static_cast<std::size_t>(Fabric::port(w.order, w.offset[w.order] < 0))] += 1.0 / w.of;
    for (int d = 0; d < kMaxDimensions; ++d)
      all[static_cast<std::size_t>(Fabric::port(d, w.offset[d] < 0))] +=
          std::abs(w.offset[d]) / static_cast<double>(w.of);
  }
};
Loads loads_from(const FarFirst& ways, const Coordinates& at) {
  Loads loads;
  for (int lane = 0; lane < ways.lanes(); ++lane) {
    const int n = ways.count(at, lane);
    loads.messages = std::max(loads.messages, n);
    for (int i = 0; i < n; ++i) loads.add(ways.way(at, i, lane));
  }
  return loads;
}

double most(const Ports& p) { return *std::max_element(p.begin(), p.end()); }

// Over a switch a chip sends all blocks over its one link; else what passes the busiest link is known, one block
// where every chip has a link to every other. Chips of other domains are reached over the NIC.
ClosedForm off_grid(const Request& r, double block) {
  const int n = r.row->size(), near = r.local() - 1;
  ClosedForm f;
  f.formula = "blocks a chip sends / (W/2)";
  const bool switched = r.wiring.kind == Wiring::Kind::switched;
  f.link_bytes = near == 0 ? 0 : block * (switched ? near : r.wiring.exchange_load);
  const bool away = n - 1 > near;  // at the same time, and longer
  f.hops = away || near == 0 ? 0 : switched ? 2 : r.wiring.farthest;
  f.nic_bytes = block * (n - 1 - near);
  f.nic_hops = away ? std::max(2, r.wiring.farthest) : 0;  // up to a switch and down again at least
  return f;
}

// Along an axis that wraps around as many blocks pass a link as leave a chip along it, hop by hop; through the middle
// of one that does not, floor(a^2 / 4) blocks from each line of a chips to the others.
ClosedForm exchange_form(const Request& r, double block) {
  const Coordinates corner = r.row->at(0);
  const Loads loads = loads_from(FarFirst(r.row, r.wiring, exchange_lanes(r)), corner);
  const Shape& shape = r.row->shape();
  ClosedForm f{.hops = loads.hops, .formula = "blocks over the busiest link / (W/2)", .steps = 1};
  if (paced(r)) f.steps = loads.messages;
  if (r.row->dimensions().empty()) {
    f.link_bytes = block * most(loads.own);
    f.formula = "blocks a chip sends / (W/2)";
    return f;
  }
  const double n = r.row->size();
  for (const int d : r.row->dimensions()) {
    const auto k = static_cast<std::size_t>(d);
    const double a = shape.size[k];
    const double load = shape.wrap[k] || shape.twisted(d) ? std::max(loads.all[2 * k], loads.all[2 * k + 1])
                                                          : std::floor(a * a / 4) * n / a;
    f.link_bytes = std::max(f.link_bytes, block * load);
  }
  return f;
}

// As exchange_form, for pairs: bytes over the busiest link along one axis that shares it with nobody else's; over
// several axes, as if messages met no others.
ClosedForm pairs_form(const Request& r) {
  const ShortestWays ways(r.row, r.wiring);
  const auto n = static_cast<std::size_t>(r.row->size());
  std::vector<double> forwards(n), backwards(n);
  double alone = 0;
  int hops = 0;
  bool across = false;
  for (const auto& [from, to] : r.pairs) {
    if (from == to) continue;
    if (from / r.local() != to / r.local()) {  // by NIC, whichever the links
      across = true;
      continue;
    }
    const auto paths = disjoint_ways(ways, r.row->at(from), to, r.paths);
    for (const Way& w : paths) {
      hops = std::max(hops, w.offset.hops());
      alone = std::max(alone, 1.0 / w.of);
      if (!r.row->straight() || r.row->dimensions().empty()) continue;
      const int distance = w.offset[r.row->dimensions()[0]];
      for (int k = 0; k < std::abs(distance); ++k)
        (distance > 0 ? forwards : backwards)[(static_cast<std::size_t>(from) + n +
                                               static_cast<std::size_t>(distance > 0 ? k : static_cast<int>(n) - k)) %
                                              n] += 1.0 / w.of;
    }
  }
  if (r.wiring.kind != Wiring::Kind::grid) hops = hops > 0 ? r.wiring.hops_to_peer() : 0;
  const double shared = std::max({alone, *std::max_element(forwards.begin(), forwards.end()),
                                  *std::max_element(backwards.begin(), backwards.end())});
  const auto bytes = static_cast<double>(r.bytes.count());
  ClosedForm f{bytes * shared, hops, "bytes over the busiest link / (W/2)"};
  if (across) {
    f.hops = 0;  // at the same time, and shorter
    f.nic_bytes = bytes;
    f.nic_hops = std::max(2, r.wiring.farthest);
  }
  return f;
}

// Scaling Book ch. 2 and 3: what passes the busiest link, and a latency a hop.
ClosedForm closed_form(const Request& r) {
  if (r.operation == Operation::collective_permute || r.operation == Operation::send_recv) return pairs_form(r);
  const double n = r.row->size(), v = static_cast<double>(r.bytes.count());
  const double block = r.operation == Operation::all_to_all ? v / n / n : v / n;
  const bool rooted = r.operation == Operation::gather || r.operation == Operation::scatter;
  ClosedForm f;
  if (r.wiring.kind != Wiring::Kind::grid) {
    f = off_grid(r, block);
  } else {
    if (rooted) {
      const Loads loads = loads_from(FarFirst(r.row, r.wiring), r.row->at(r.root));
      f = {block * most(loads.own), loads.hops, "blocks over the root's busiest link / (W/2)"};
    } else {
      f = exchange_form(r, block);
    }
    if (r.domains() > 1) {  // slices
      f.nic_bytes = block * (r.size() - r.local());
      f.nic_hops = 2;
    }
  }
  const int times = r.operation == Operation::all_reduce ? 2 : 1;
  f.link_bytes *= times;
  f.nic_bytes *= times;
  f.hops *= times;
  f.nic_hops *= times;
  f.steps = r.row->size() > 1 ? times * std::max(f.steps, 1) : 0;
  return f;
}

// Whether all members send equally far along dimensions that wrap around, wherever in them they are.
bool shifts(const Request& r) {
  const Shape& shape = r.row->shape();
  std::vector<int> target(static_cast<std::size_t>(r.row->size()), -1);
  for (const auto& [from, to] : r.pairs) target[static_cast<std::size_t>(from)] = to;
  std::map<Coordinates, std::optional<Coordinates>> ways;  // from where along the others, where to
  for (int p = 0; p < r.row->size(); ++p) {
    Coordinates from = r.row->at(p);
    std::optional<Coordinates> way;
    if (const int to = target[static_cast<std::size_t>(p)]; to >= 0) way = r.row->at(to);
    for (std::size_t d = 0; d < from.size(); ++d) {
      if (!shape.wrap[d]) continue;
      if (way) (*way)[d] = static_cast<std::int16_t>(((*way)[d] - from[d] + shape.size[d]) % shape.size[d]);
      from[d] = 0;
    }
    if (ways.try_emplace(from, way).first->second != way) return false;
  }
  return true;
}

bool folds(const Request& r) {
  if (r.wiring.kind != Wiring::Kind::grid || r.domains() > 1 || r.row->dimensions().empty() ||
      r.row->shape().any_twist() || is_rooted(r.operation))
    return false;
  return !is_point_to_point(r.operation) || shifts(r);
}

}  // namespace

Algorithm algorithm_direct() {
  return {"direct",
          "everything straight to its target, over all shortest ways",
          "Scaling Book ch. 3",
          obstacle,
          schedule,
          closed_form,
          nullptr,
          folds};
}

}  // namespace hopsim

// Direct: every block goes straight to its target, by the shorter way along the row.
#include <algorithm>

#include "collectives/exchange.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMostChunks = 1024;

std::string obstacle(const Request& r) {
  std::uint64_t block = r.bytes.count();
  switch (r.operation) {
    case Operation::collective_permute:
    case Operation::send_recv:
      break;
    case Operation::all_to_all:
      block /= static_cast<std::uint64_t>(r.row->size()) * static_cast<std::uint64_t>(r.row->size());
      break;
    default:
      return "direct does all_to_all, collective_permute and send_recv, not " + std::string(name(r.operation));
  }
  const std::uint64_t most = std::clamp<std::uint64_t>(block, 1, kMostChunks);
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of " + std::to_string(block) + " B; valid: 1 to " +
           std::to_string(most);
  return {};
}

// Members round the group, half of them in either turn; each by the shortest way through the fabric.
Schedule exchange(const Request& r) {
  const int n = r.row->size();
  if (!r.row->wraps()) return exchange_schedule(r, 1, {{.sign = 1, .reach = n - 1}, {.sign = -1, .reach = n - 1}});
  return exchange_schedule(r, 1, {{.sign = 1, .reach = n / 2}, {.sign = -1, .reach = (n - 1) / 2}});
}

Schedule schedule(const Request& r) {
  return r.operation == Operation::all_to_all ? exchange(r) : permutation_schedule(r);
}

// The links of a row, forwards and backwards: how many messages each carries. Link p leads from p to p + 1.
struct Loads {
  std::vector<double> forwards, backwards;

  void add(int from, int distance, double share) {
    const int n = static_cast<int>(forwards.size());
    for (int k = 0; k < std::abs(distance); ++k) {
      const int p = distance > 0 ? from + k : from - k - 1;
      (distance > 0 ? forwards : backwards)[static_cast<std::size_t>((p % n + n) % n)] += share;
    }
  }
  double most() const {
    return std::max(*std::max_element(forwards.begin(), forwards.end()),
                    *std::max_element(backwards.begin(), backwards.end()));
  }
};

// Scaling Book ch. 2: bytes over one link, and a latency a hop; along one dimension, times the messages that share
// the busiest link. Over several dimensions, as if messages met no others.
ClosedForm closed_form(const Request& r) {
  const auto n = static_cast<std::size_t>(r.row->size());
  if (r.operation == Operation::all_to_all) {
    int hops = 0;
    for (int p = 1; p < r.row->size(); ++p) hops = std::max(hops, r.row->way(r.row->at(0), p).hops());
    const double others = static_cast<double>(n - 1) / static_cast<double>(n * n);
    return {static_cast<double>(r.bytes.count()) * others, hops,
            "V(N-1)/(N^2 W/2), as if a chip had one link to itself"};
  }
  Loads loads{std::vector<double>(n), std::vector<double>(n)};
  int hops = 0;
  for (const auto& [from, to] : r.pairs) {
    const auto ways = short_ways(*r.row, from, to);
    for (const int way : ways) {
      loads.add(from, way, 1.0 / static_cast<double>(ways.size()));
      hops = std::max(hops, r.row->way(r.row->at(from), way).hops());
    }
  }
  const double shared = r.row->straight() ? loads.most() : hops > 0;
  return {static_cast<double>(r.bytes.count()) * shared, hops, "bytes x messages on the busiest link / (W/2)"};
}

}  // namespace

Algorithm algorithm_direct() {
  return {"direct", "every block straight to its target", "Scaling Book ch. 3", obstacle, schedule, closed_form};
}

}  // namespace hopsim

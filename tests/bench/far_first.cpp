#include "tests/bench/far_first.hpp"

#include <algorithm>
#include <cstdlib>

namespace hopsim::bench {
namespace {

int length(const Route& r) { return std::abs(r.hops[0]) + std::abs(r.hops[1]) + std::abs(r.hops[2]); }

}  // namespace

std::array<std::vector<Route>, kPorts> far_first(const Sizes& size) {
  std::vector<Route> all;
  for (std::uint32_t k = 1; k < size[0] * size[1] * size[2]; ++k) {
    const Sizes forwards{k / size[2] / size[1], k / size[2] % size[1], k % size[2]};
    Route route{.hops = {}, .first = k % 3};
    for (std::size_t d = 0; d < 3; ++d) {
      const bool backwards = 2 * forwards[d] > size[d] || (2 * forwards[d] == size[d] && k / 3 % 2 == 1);
      route.hops[d] = static_cast<int>(forwards[d]) - (backwards ? static_cast<int>(size[d]) : 0);
    }
    while (route.hops[route.first] == 0) route.first = (route.first + 1) % 3;
    all.push_back(route);
  }
  std::stable_sort(all.begin(), all.end(), [](const Route& a, const Route& b) { return length(a) > length(b); });
  std::array<std::vector<Route>, kPorts> by_port;
  for (const Route& r : all) by_port[2 * r.first + (r.hops[r.first] < 0 ? 1 : 0)].push_back(r);
  return by_port;
}

}  // namespace hopsim::bench

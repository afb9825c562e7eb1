// The messages of a direct AllToAll on a torus of three wrapped dimensions, the same on every chip.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hopsim::bench {

using Sizes = std::array<std::uint32_t, 3>;

constexpr std::uint32_t kPorts = 6;  // forwards and backwards along each dimension

struct Route {
  std::array<int, 3> hops{};  // signed, by dimension
  std::uint32_t first = 0;    // the dimension it begins with, the others follow cyclically
};

// A shortest route to every other chip, by the port it leaves by, far ones first. Routes begin with another dimension
// in turn, and go one way or the other in turn where both are as short.
std::array<std::vector<Route>, kPorts> far_first(const Sizes&);

}  // namespace hopsim::bench

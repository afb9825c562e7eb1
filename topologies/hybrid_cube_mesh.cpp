#include "topologies/networks.hpp"

namespace hopsim {
namespace {
struct Cable {
  std::uint32_t a, b, nvlinks;
};
// Two fully connected quads (0-3, 4-7), joined corner to corner; a GPU's six NVLinks make two of its four ways
// double.
constexpr Cable kCables[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2}, {4, 5, 1}, {4, 6, 1},
                             {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}, {0, 4, 2}, {1, 5, 2}, {2, 6, 1}, {3, 7, 1}};
}  // namespace

Topology hybrid_cube_mesh(const LinkModel& link) {
  Topology t{grid_shape({8}, {false}), LinkGraph(8), 8};
  for (const Cable& c : kCables) {
    const LinkProperties bundle{Bandwidth(c.nvlinks * link.bandwidth.bytes_per_second()), link.latency};
    add_edge(c.a, c.b, bundle, t.graph);
    add_edge(c.b, c.a, bundle, t.graph);
  }
  return t;
}

}  // namespace hopsim

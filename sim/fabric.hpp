// A link graph frozen into flat arrays for an engine. Built by topologies/ from a Boost.Graph graph.
//
// Two kinds. A grid (ring, line, mesh, torus): every chip has two ports a dimension, link (port, chip) is number
// port * chips + chip, and the way of a message is its offset, dimension by dimension. A network (switches, any
// graph): a table says which link leads towards a chip.
#pragma once

#include <string>
#include <vector>

#include "sim/coordinates.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

struct Link {
  std::uint32_t from = 0, to = 0;  // nodes: chips, then switches
  Bandwidth bandwidth;             // one way, efficiency taken off; 0: no such link (the edge of a mesh)
  Time latency;                    // of its head, from end to end

  bool exists() const { return bandwidth.bytes_per_second() != 0; }
};

class Fabric {
 public:
  Shape shape;
  std::uint32_t nodes = 0;  // chips and switches
  std::vector<Link> links;
  std::vector<LinkId> towards;  // networks only: [node * chips + destination chip]

  bool grid() const { return towards.empty(); }
  std::uint32_t chips() const { return shape.chips(); }

  static constexpr int port(int dimension, bool backwards) { return 2 * dimension + (backwards ? 1 : 0); }
  LinkId grid_link(int port, std::uint32_t chip) const {
    return LinkId(static_cast<std::uint32_t>(port) * chips() + chip);
  }

  // Names as people read them: chip "(1,0,2)", link "x+" on a grid, "chip 3 -> switch 8" elsewhere.
  std::string chip_name(ChipId) const;
  std::string link_name(LinkId) const;  // with the chip it leaves: "(1,0,2) x+"
  std::string port_name(LinkId) const;  // as its own chip calls it: "x+"
  std::uint32_t existing_links() const;
};

}  // namespace hopsim

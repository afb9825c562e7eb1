// A link graph frozen into flat arrays for an engine. Built by topologies/ from a Boost.Graph graph.
//
// Two kinds. A grid (ring, line, mesh, torus, twisted torus): every chip has two ports a dimension, link (port, chip)
// is number port * chips + chip, and the way of a message is its offset, dimension by dimension. A network (switches,
// any graph): tables say which link leads towards a node. Between the two, a ported network (a grid with links down,
// grids joined by switches): its first links are numbered as a grid's, and offsets are ways wherever they are whole.
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
  std::uint32_t nodes = 0;  // chips, then switches, those first that take part in collectives
  std::vector<Link> links;
  // Every message is split evenly over so many routes. On a grid: rotations of the dimensions' order; on a network:
  // the tables.
  std::uint32_t routes = 1;
  std::uint32_t tables = 1;
  std::vector<LinkId> towards;  // networks only: [(table * nodes + node) * actors + destination]
  bool ported = false;

  bool grid() const { return towards.empty(); }
  std::uint32_t chips() const { return shape.chips(); }
  std::uint32_t actors() const { return shape.actors(); }

  static constexpr int port(int dimension, bool backwards) { return 2 * dimension + (backwards ? 1 : 0); }
  LinkId grid_link(int port, std::uint32_t chip) const {
    return LinkId(static_cast<std::uint32_t>(port) * chips() + chip);
  }
  bool has_port(LinkId link) const {
    return (grid() || ported) && index(link) < 2 * static_cast<std::uint32_t>(shape.dimensions) * chips();
  }
  // On a network: the next link from a node on the way to a chip or taking-part switch.
  LinkId next_link(std::uint32_t node, std::uint32_t destination, std::uint32_t table) const {
    return towards[(std::size_t{table} * nodes + node) * actors() + destination];
  }
  // On a ported network: whether there is every link of an offset's way, the dimension `order` first.
  bool whole_way(ChipId from, Offset, std::uint32_t order) const;
  // Links a message passes: those its offset says, or, if that names a node, those of the table.
  std::uint32_t hops(ChipId from, ChipId to, Offset offset, std::uint32_t table) const {
    return offset.names_node() ? table_hops(from, to, table) : static_cast<std::uint32_t>(offset.hops());
  }

  // Names as people read them: chip "(1,0,2)", link "x+" on a grid, "to chip 3", "to switch 8" elsewhere.
  std::string chip_name(ChipId) const;  // of a taking-part switch: "switch 0"
  std::string link_name(LinkId) const;  // with the chip it leaves: "(1,0,2) x+"
  std::string port_name(LinkId) const;  // as its own chip calls it: "x+"
  std::uint32_t existing_links() const;

 private:
  std::uint32_t table_hops(ChipId from, ChipId to, std::uint32_t table) const;
};

}  // namespace hopsim

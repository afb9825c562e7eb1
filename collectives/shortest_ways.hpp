// The shortest ways between members of a row, over which direct messages are shared out evenly.
//
// On a grid: all displacements of least length (both ways round where a chip is halfway; on a twisted torus all that
// lead there through its lattice), weighted alike; each over the rotations of the dimensions' order that differ, one
// beginning with each dimension it goes along. One fixed order of the dimensions would load links unevenly. Elsewhere
// the fabric knows the way.
//
// A block is split over all its ways; or, in large rows whose dimensions all wrap around, goes whole, the ways taken
// in turn by displacement (Turns). Either loads all links along a dimension exactly alike, both ways.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "collectives/algorithm.hpp"

namespace hopsim {

// Of a message cut into `of` equal parts, the way of part number `nth`.
struct Way {
  Offset offset;
  std::uint8_t order = 0;  // the dimension the route begins with
  std::uint32_t nth = 0, of = 1;
};

class ShortestWays {
 public:
  ShortestWays(RowPtr, const Wiring&);
  // From a member to the one at position `target` of its row. O(ways).
  std::vector<Way> to(const Coordinates& at, int target) const;
  const Row& row() const { return *row_; }
  bool on_grid() const { return grid_; }

 private:
  std::vector<Offset> displacements(const Coordinates& from, const Coordinates& to) const;

  RowPtr row_;
  bool grid_;
  std::vector<std::vector<Offset>> twisted_;  // on a twisted torus: by the chip where they lead from chip 0
};

// What a member sends to all others. On a grid far ones first. Elsewhere in rounds in which every member sends one
// message and gets one: first those to other domains, so that each of a round goes over NICs, then round its own.
class FarFirst {
 public:
  // All in one list; or one a port, of those that leave through it, which lanes side by side can send one after
  // another. Then blocks go whole where that is as even. Elsewhere than on a grid there is one.
  enum class Lanes { one, one_a_port };
  FarFirst(RowPtr, const Wiring&, Lanes = Lanes::one);
  int lanes() const { return std::max(1, static_cast<int>(ports_.size())); }
  int count(const Coordinates& at, int lane = 0) const;     // of messages it sends
  int arrivals(const Coordinates& at, int lane = 0) const;  // of those that others send it in that lane
  Way way(const Coordinates& at, int i, int lane = 0) const;
  int target(const Coordinates& at, const Way&) const;
  // Into how many parts a block must be cut so that all ways carry whole ones.
  std::uint32_t parts() const { return parts_; }
  const ShortestWays& ways() const { return ways_; }

  // Lists kept: one where all chips are alike, else one for each of the chips that differ.
  static std::uint64_t lists(const Row&, const Wiring&);

 private:
  // Of one chip: lane l sends ways[begin[l]] to ways[begin[l + 1] - 1].
  struct List {
    std::vector<Way> ways;
    std::array<std::uint32_t, 2 * kMaxDimensions + 1> begin{};
  };
  std::size_t list_of(const Coordinates& at) const;
  std::vector<Way> sorted(const Coordinates& at) const;
  void sort_by_ports();

  RowPtr row_;
  ShortestWays ways_;
  int local_;                      // members of a domain
  std::vector<std::size_t> open_;  // dimensions of the row along which chips differ
  bool each_chip_ = false;         // every chip has a list of its own
  bool whole_ = false;             // no block is split
  std::uint32_t parts_ = 1;
  std::vector<int> ports_;   // of the lanes; none: a lane for all
  std::vector<List> lists_;  // on a grid
};

}  // namespace hopsim

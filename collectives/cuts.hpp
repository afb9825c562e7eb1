// Cuts of a fabric, and how long what must cross them takes.
#pragma once

#include <vector>

#include "collectives/demand.hpp"

namespace hopsim {

inline double seconds(double bytes, double capacity) { return bytes > 0 ? bytes / capacity : 0; }

// Bytes (or bytes/s) that cross, by cut: the planes x_d = m, and the halves x_d < m and x_d >= m.
struct Slices {
  explicit Slices(std::size_t n) : into_plane(n), from_plane(n), down(n), up(n) {}
  std::vector<double> into_plane, from_plane, down, up;  // down[m]: from x >= m to x < m
  double between_planes = 0;                             // altogether

  // From plane to plane. After the last one, close(): until then a half holds only what it has more than the one
  // below, so that the way from end to end takes no longer than that to a neighbour.
  void add(int from, int to, double amount);
  void close();
};
// Seconds, of the worst cut.
double worst(const Slices& needed, const Slices& has);

// Bytes to cross between as many parties, by the one-way gossip bound: see bounds.hpp. 0 if not AllReduce.
double gossip(const Need&, double parties);

// Bytes/s of all links into and out of every node; and out of all chips together.
struct ChipCapacity {
  std::vector<double> into, from;
  double total = 0;
};
ChipCapacity chip_capacity(const Fabric&);

// Seconds. Of a box: the planes x_d = m and the halves x_d < m across each dimension.
double slice_cuts(const Fabric&, const Request&, const Need&, const Groups&);
// Seconds. Of a network: each domain of fast links, and the domains below each number; a switch stands on the side
// that makes the cut narrower. Of a network without domains: the halves by number.
double domain_cuts(const Fabric&, const Request&, const Need&, const Groups&);

// Hops between all ordered pairs of members, over all groups, by the shortest ways; 0 where that is too much work
// (then a bound made of it says nothing).
double total_hops(const Fabric&, const Groups&);

}  // namespace hopsim

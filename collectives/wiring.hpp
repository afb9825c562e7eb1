// What algorithms may know of the fabric beneath a row of chips, beyond its shape. Whoever makes a request says it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/engine.hpp"
#include "topologies/link_model.hpp"

namespace hopsim {

struct Wiring {
  enum class Kind {
    grid,      // links between neighbours along dimensions: tori, meshes
    switched,  // one link a chip, up to a switch and down from it: all chips are two hops apart
    direct,    // links of its own to several peers: fully connected GPUs, a hybrid cube mesh, any graph
  } kind = Kind::grid;
  LinkModel link;                // of one link of a chip
  std::optional<LinkModel> nic;  // of one chip, to chips of other domains (nodes, racks, slices)
  std::uint32_t domain = 0;      // chips, consecutive in number, that share fast links; 0: all of them
  // Members of a row that share a domain, next to one another in position; 0: all of them. Every domain a row touches
  // holds as many of its members.
  int local = 0;
  Overheads overheads;  // of every message, for the cost model
  // The switch of a chip's domain, by node number, where it reduces and multicasts (NVLS).
  std::function<std::uint32_t(const Coordinates&)> nvls;
  // Cyclic orders of positions, such that chips may pass data on round all of them at once without sharing a link
  // (or a NIC). None: only the order of the row itself.
  std::vector<std::vector<int>> rings;

  // Of direct wires: what the busiest link carries, in messages and links of the bandwidth above, when every member
  // sends one to every other of its group. And the hops to the farthest; over several domains, in another one.
  double exchange_load = 1;
  int farthest = 1;

  int hops_to_peer() const { return kind == Kind::switched ? 2 : 1; }
};

}  // namespace hopsim

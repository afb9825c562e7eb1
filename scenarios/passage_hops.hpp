// Which way a passage's message goes on a fabric, before it is sent.
#pragma once

#include "sim/fabric.hpp"
#include "sim/schedule.hpp"

namespace hopsim {

// By its offset, or else by the fabric's table. REQUIRES: it sends something.
inline bool by_offset(const Fabric& fabric, ChipId from, const Passage& p) {
  return fabric.grid() || (fabric.ported && !p.out.peer.names_node() && fabric.whole_way(from, p.out.peer, p.order));
}

inline std::uint32_t hops_of(const Fabric& fabric, ChipId from, const Coordinates& at, const Passage& p,
                             std::uint32_t route) {
  if (by_offset(fabric, from, p)) return static_cast<std::uint32_t>(p.out.peer.hops());
  const ChipId to = fabric.shape.peer(at, p.out.peer);
  return fabric.hops(from, to, Offset::to_node(index(to)), route % fabric.tables);
}

}  // namespace hopsim

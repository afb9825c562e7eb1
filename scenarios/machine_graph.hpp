// The link graph of a machine, and the fabric it freezes to. Of a plain box both are made at first use: a folded run
// of a pod needs neither.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "sim/fabric.hpp"
#include "topologies/link_graph.hpp"

namespace hopsim {

class MachineGraph {
 public:
  // A box without twist whose links are all alike, routed dimension by dimension.
  MachineGraph(const Shape&, const LinkModel&);
  // Anything else. Throws what freeze() throws.
  MachineGraph(Topology, Routing);

  bool is_box() const { return box_.has_value(); }
  // Both safe to call from several threads. Throw InputError where there is too little memory for a box.
  const Topology& topology() const;
  const Fabric& fabric() const;
  // Without building anything.
  std::uint32_t links() const;
  std::uint32_t routes() const { return is_box() ? 1 : fabric_.routes; }
  // What a link takes of memory: frozen, and as an edge of the Boost graph it is frozen from (measured).
  static constexpr std::uint64_t kLinkBytes = sizeof(Link) + 96;
  // One chip for all that symmetry makes alike; none where there is no symmetry.
  std::optional<Fabric> folded() const;

 private:
  struct Box {
    Shape shape;
    LinkModel link;
  };
  Topology built() const;

  std::optional<Box> box_;
  mutable std::once_flag topology_built_, fabric_built_;
  mutable Topology topology_;
  mutable Fabric fabric_;
};

}  // namespace hopsim

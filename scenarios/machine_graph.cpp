#include "scenarios/machine_graph.hpp"

#include <utility>

#include "scenarios/available_memory.hpp"
#include "topologies/grid.hpp"

namespace hopsim {

MachineGraph::MachineGraph(const Shape& shape, const LinkModel& link) : box_(Box{shape, link}) {}

MachineGraph::MachineGraph(Topology topology, Routing routing)
    : topology_(std::move(topology)), fabric_(freeze(topology_, routing)) {}

Topology MachineGraph::built() const {
  require_available(kLinkBytes * links(), "the fabric of all chips", "a run on one chip for all, or fewer chips");
  return grid(box_->shape, box_->link);
}

const Topology& MachineGraph::topology() const {
  if (box_) std::call_once(topology_built_, [this] { topology_ = built(); });
  return topology_;
}

const Fabric& MachineGraph::fabric() const {
  if (box_) std::call_once(fabric_built_, [this] { fabric_ = freeze(built()); });
  return fabric_;
}

std::uint32_t MachineGraph::links() const {
  return box_ ? static_cast<std::uint32_t>(grid_links(box_->shape)) : fabric_.existing_links();
}

std::optional<Fabric> MachineGraph::folded() const {
  if (!box_) return hopsim::folded(fabric_);
  const Shape shape = box_->shape.fold();
  if (shape.chips() == box_->shape.chips()) return std::nullopt;
  return freeze(grid(shape, box_->link));
}

}  // namespace hopsim

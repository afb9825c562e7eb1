#include "scenarios/machine.hpp"

#include "scenarios/machine_fabric.hpp"
#include "scenarios/machine_mesh.hpp"
#include "sim/error.hpp"
#include "topologies/faults.hpp"
#include "topologies/grid.hpp"

namespace hopsim {
namespace {

// ---- faults

std::uint32_t number_of(const Shape& shape, const ChipRef& chip) {
  if (chip.by_number()) return static_cast<std::uint32_t>(chip.number);
  Coordinates at{};
  if (chip.coordinates.size() != static_cast<std::size_t>(shape.dimensions))
    throw PlacedError(chip.place, "coordinates need a number a dimension", std::to_string(chip.coordinates.size()),
                      std::to_string(shape.dimensions));
  for (std::size_t d = 0; d < chip.coordinates.size(); ++d) {
    if (chip.coordinates[d] >= shape.size[d])
      throw PlacedError(chip.place, "no such chip", std::to_string(chip.coordinates[d]),
                        "0 to " + std::to_string(shape.size[d] - 1));
    at[d] = static_cast<std::int16_t>(chip.coordinates[d]);
  }
  return index(shape.chip(at));
}

LinkFault link_fault(const Shape& shape, const Fault& fault) {
  LinkFault f{.from = number_of(shape, fault.link[0]),
              .to = number_of(shape, fault.link[1]),
              .both_ways = !fault.one_way,
              .down = fault.down};
  if (fault.bandwidth) f.bandwidth = fault.bandwidth->value;
  if (fault.bandwidth_share) f.share = fault.bandwidth_share->value();
  return f;
}

void slow_down(MachineModel& m, const Fault& fault) {
  const std::uint32_t chips = m.shape.chips(), chip = number_of(m.shape, *fault.chip);
  if (chip >= chips)
    throw PlacedError(fault.chip->place, "no such chip", std::to_string(chip), "0 to " + std::to_string(chips - 1));
  if (m.speeds.empty()) m.speeds.resize(chips);
  m.speeds[chip] = *fault.speed;
}

void damage(MachineModel& m, std::optional<Topology>& topology, const MachineSpec& spec) {
  for (const Fault& fault : spec.faults) {
    if (fault.chip) {
      slow_down(m, fault);
    } else {
      if (!topology) topology = grid(m.shape, m.link);
      at_place(fault.place, [&] {
        apply_faults(*topology, {link_fault(m.shape, fault)});
        return 0;
      });
    }
  }
  if (topology) m.shape.switches = topology->shape.switches;  // a switch that has lost a GPU no longer reduces
}

// ---- routes

Routing routing_of(const MachineSpec& spec) {
  if (!spec.routing) return Routing::dimension_ordered;
  const std::string& routing = spec.routing->value;
  if (routing == "table") return Routing::table;
  if (routing == "minimal") return Routing::minimal;
  return routing == "rotations" ? Routing::rotations : Routing::dimension_ordered;
}

}  // namespace

MachineModel build_machine(const MachineSpec& spec) {
  MachineModel m;
  std::optional<Topology> topology = build_fabric(m, spec);
  m.domain = topology && topology->domain != 0 ? topology->domain : m.shape.chips();
  lay_mesh(m, spec);
  if (topology) topology->shape = m.shape;
  damage(m, topology, spec);
  m.nvls = m.shape.switches > 0;
  const Routing routing = routing_of(spec);
  if (routing != Routing::dimension_ordered && !topology) topology = grid(m.shape, m.link);
  m.graph = at_place(spec.routing ? spec.routing->place : spec.place, [&] {
    return topology ? std::make_shared<const MachineGraph>(std::move(*topology), routing)
                    : std::make_shared<const MachineGraph>(m.shape, m.link);
  });
  m.overheads.step = m.chip.step_overhead.value;
  m.overheads.chunk = m.chip.chunk_overhead.value;
  m.overheads.launch = m.chip.launch_overhead.value;
  m.overheads.loop = m.chip.loop_overhead.value;
  m.overheads.compute_share = m.chip.comm_compute_share.value;
  if (spec.jitter) {
    m.overheads.jitter = spec.jitter->delay.value;
    m.overheads.seed = spec.jitter->seed;
  }
  m.row_by_row = spec.layout && spec.layout->value == "rows";
  return m;
}

}  // namespace hopsim

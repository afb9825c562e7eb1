// A machine as it is simulated: the chip's numbers, the fabric, the logical mesh laid over it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/machine_spec.hpp"
#include "sharding/array.hpp"
#include "sim/engine.hpp"
#include "sim/fabric.hpp"
#include "topologies/catalogue.hpp"
#include "topologies/grid.hpp"

namespace hopsim {

struct MachineModel {
  ChipModel chip;
  std::string name;  // "tpu_v5e", or the kind of topology
  Shape shape;
  LinkModel link;  // of every link, efficiency taken off
  Fabric fabric;
  Overheads overheads;
  Mesh mesh;                                 // named axes
  std::vector<std::vector<int>> dimensions;  // of the shape, by axis of the mesh, outermost first
  bool row_by_row = false;                   // how an axis over several dimensions runs: else as a ring
  std::vector<std::string> warnings;
};

// Throws PlacedError for a chip, slice, mesh, wrap or override that does not fit.
MachineModel build_machine(const MachineSpec&);

}  // namespace hopsim

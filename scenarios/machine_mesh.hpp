// The logical mesh laid over a machine's dimensions. Internal to build_machine.
#pragma once

#include "scenarios/machine.hpp"

namespace hopsim {

// Fills `mesh` and `dimensions` from the spec and `shape`. On a machine of switches or direct links, where dimensions
// only name chips, it cuts the shape as finely as the mesh needs, the numbering of chips unchanged.
// Throws PlacedError where the mesh does not fit.
void lay_mesh(MachineModel&, const MachineSpec&);

}  // namespace hopsim

// The fabric of a machine, before faults and freezing. Internal to build_machine.
#pragma once

#include "scenarios/machine.hpp"

namespace hopsim {

// Runs `f`; an InputError gets the place of what it is about.
template <class F>
auto at_place(const FilePlace& place, F f) {
  try {
    return f();
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(place, e);
  }
}

// Fills chip, name, shape, link, nic, wires and warnings. Returns the topology; none: a plain box of that shape.
std::optional<Topology> build_fabric(MachineModel&, const MachineSpec&);

}  // namespace hopsim

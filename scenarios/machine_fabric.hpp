// The fabric of a machine, before faults and freezing. Internal to build_machine.
#pragma once

#include <filesystem>
#include <string>

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

// Where the GraphML file is that a scenario names there: beside the scenario.
std::filesystem::path graphml_path(const FilePlace&, const std::string& file);

// Fills chip, name, shape, link, nic, wires and warnings. Returns the topology; none: a plain box of that shape.
std::optional<Topology> build_fabric(MachineModel&, const MachineSpec&);

}  // namespace hopsim

// A scenario as its file says it: plain structs with places, every unit parsed, every key known. What needs the
// catalogue, the mesh or the notation is resolved by whoever runs it.
//
// Errors: PlacedError, with line and column, the offending text and the valid choices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/expectation.hpp"
#include "scenarios/machine_spec.hpp"
#include "scenarios/program.hpp"
#include "sharding/dtype.hpp"

namespace hopsim {

struct NamedSize {
  std::string name;
  std::uint64_t size = 0;
  FilePlace place;  // of the name
};

struct Scenario {
  std::string file;  // as messages call it
  std::string name;  // `name:`, or the file's without folder and ending
  MachineSpec machine;
  std::vector<NamedSize> dims;
  Placed<DType> dtype{DType::bf16, {}};
  std::vector<ProgramStep> program;
  std::vector<Expectation> expect;
  std::optional<YamlValue> sweep;  // as it stands: a run is of the base point
};

Scenario load_scenario(const Document&);

}  // namespace hopsim

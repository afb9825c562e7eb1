// What hopsim comes with and knows by name, beside the chips (topologies/catalogue.hpp): what `hopsim list` and
// `hopsim show` tell about.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/operation.hpp"
#include "sim/embedded_file.hpp"

namespace hopsim {

// A kind of topology for a machine without a chip.
struct TopologyEntry {
  std::string_view name, about;
  std::string_view example;  // a machine spec
};
std::vector<TopologyEntry> known_topologies();  // those that machines can be built of

struct CollectiveEntry {
  Operation operation;
  std::string_view about;
  std::string_view bytes;  // what `bytes` is
};
std::span<const CollectiveEntry> known_collectives();

// That an algorithm does an operation on a small machine of some kind, found by planning it.
struct Runs {
  Operation operation;
  std::string_view topology, machine;  // "ring", and the spec
  std::string formula;
  int hops = 0;
};
std::vector<Runs> runs_of(std::string_view algorithm);

struct ShippedScenario {
  std::string name;   // as the file has it
  std::string about;  // the first lines of its comment
  std::string_view file, text;
};
std::vector<ShippedScenario> shipped_scenarios();

std::span<const EmbeddedFile> scenario_files();  // made by CMake from scenarios/**.yaml

}  // namespace hopsim

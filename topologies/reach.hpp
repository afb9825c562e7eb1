// Which nodes messages can reach, and what to call them in errors.
#pragma once

#include <string>
#include <vector>

#include "topologies/link_graph.hpp"

namespace hopsim {

// "chip 5 (1,1)", "switch 9 (leaf 1)": the number, then the coordinates or name if that says more.
std::string node_name(const Topology&, std::uint32_t node);

// As above, of the first few.
std::string node_names(const Topology&, const std::vector<std::uint32_t>& nodes);

// Whether every chip can reach every other. O(links) if chips forward, O(chips x links) if some do not.
bool is_connected(const Topology&);

// Throws InputError if some chip cannot reach another, naming two such chips, and those that are cut off from the
// rest. Cost as above.
void require_connected(const Topology&);

}  // namespace hopsim

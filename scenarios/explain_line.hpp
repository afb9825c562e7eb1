// What a line names: its dimensions and its axes.
#pragma once

#include <string>
#include <vector>

#include "sharding/array.hpp"

namespace hopsim {

void add_name(std::vector<std::string>& names, const std::string& name);  // once, and not an empty one

// In the order of the line, operands first.
std::vector<std::string> dimensions_of(const Statement&);

// A mesh of the axes a line uses, in the order of their names, of 4 chips each: where nothing else says one.
Mesh mesh_of(const Statement&);

}  // namespace hopsim

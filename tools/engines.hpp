// The engines of a program, by the name --engine has. Only `hopsim-simgrid` links SimGrid, which takes longer to load
// than most runs take; `hopsim` becomes that program where SimGrid is asked for.
#pragma once

#include <string>

#include "scenarios/simulate.hpp"

namespace hopsim {

// `argv` is the program's. Throws InputError where the other program is missing.
EngineChoice engine_named(const std::string& name, char** argv);

}  // namespace hopsim

// hopsim show NAME: all about a chip, a machine (`tpu_v5e:8x4`), a topology, a collective, an algorithm or a
// scenario. A name that several things have ("ring") shows them all.
#pragma once

#include <string>
#include <vector>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct ShowArguments {
  std::string name;
  std::vector<std::string> sets;  // KEY=VALUE, of a machine
  std::string json;
  std::string dot, graphml;  // of a machine's graph; "-": standard output, alone there
};

// Throws InputError for a name nothing has, with the nearest.
int show_command(const ShowArguments&, const Streams&);

}  // namespace hopsim

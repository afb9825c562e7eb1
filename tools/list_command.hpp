// hopsim list [chips|topologies|collectives|algorithms|scenarios]: what there is, by name.
#pragma once

#include <string>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct ListArguments {
  std::string what;  // empty: everything
  std::string json;
};

void add_list_flags(CLI::App&, ListArguments&);

int list_command(const ListArguments&, const Streams&);

}  // namespace hopsim

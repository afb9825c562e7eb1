// hopsim list [chips|topologies|collectives|algorithms|scenarios]: what there is, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct ListArguments {
  std::string what;  // empty: everything
  std::string json;
};

std::vector<std::string_view> listable();  // "chips", ...: what there are lists of

int list_command(const ListArguments&, const Streams&);

}  // namespace hopsim

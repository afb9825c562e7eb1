// hopsim explain 'LINE': what a line of the book's notation means, and what it takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct ExplainArguments {
  std::string line;
  std::optional<std::string> mesh, dims, dtype, memory, schedule;  // as on the command line
  bool backward = false, best = false;
  std::string machine, json;
  std::vector<std::string> sets;
  bool ideal = false, verify = false, quiet = false;
  std::string log_level = "info";
};

// 0, for products that are illegal as they stand, too. Throws what the scenarios room throws; places name the flag,
// or EXPR.
int explain_command(const ExplainArguments&, const Streams&);

}  // namespace hopsim

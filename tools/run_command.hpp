// hopsim run FILE...
#pragma once

#include <string>
#include <vector>

#include "tools/flags.hpp"
#include "tools/streams.hpp"

namespace hopsim {

struct RunArguments {
  std::vector<std::string> files;  // "-": standard input
  CommonFlags flags;
  bool critical_path = false;
};

// 0; 1 if an expectation failed, or engines disagree. Throws what the scenarios room throws; then no output file is
// left behind.
int run_command(const RunArguments&, const Streams&);

}  // namespace hopsim

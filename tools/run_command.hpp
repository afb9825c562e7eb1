// hopsim run FILE...
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "tools/flags.hpp"

namespace spdlog {
class logger;
}

namespace hopsim {

struct RunArguments {
  std::vector<std::string> files;                // "-": standard input
  CommonFlags flags;
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::shared_ptr<spdlog::logger> log;           // to standard error
};

// 0; 1 if an expectation failed. Throws what the scenarios room throws; then no output file is left behind.
int run_command(const RunArguments&, const Streams&);

}  // namespace hopsim

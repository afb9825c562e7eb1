// What a command reads from and writes to, so that tests can stand in for a terminal.
#pragma once

#include <iosfwd>
#include <memory>

namespace spdlog {
class logger;
}

namespace hopsim {

struct Streams {
  std::istream& in;
  std::ostream& out;  // results
  std::ostream& err;  // everything else
  bool out_is_terminal = false, err_is_terminal = false;
  std::shared_ptr<spdlog::logger> log;  // to `err`
};

}  // namespace hopsim

// hopsim compare A.json B.json: two results side by side, and where the second gains or loses.
#pragma once

#include <string>

#include "tools/streams.hpp"

namespace hopsim {

struct CompareArguments {
  std::string before, after;  // files of --json; "-": standard input, of one of them
  std::string json;           // path; empty: none; "-": standard output, alone there
  bool quiet = false;
};

// 0. Throws InputError for what cannot be compared.
int compare_command(const CompareArguments&, const Streams&);

}  // namespace hopsim

// The flags that commands share.
#pragma once

#include <string>
#include <vector>

#include "scenarios/simulate.hpp"

namespace hopsim {

struct CommonFlags {
  std::string engine = "event";
  EngineChoice run_on;  // the engine of that name
  bool cross_check = false;
  EngineChoice check_on;  // SimGrid, where cross_check
  std::string fold = "auto";
  std::string machine;                 // empty: the file's
  std::vector<std::string> sets;       // KEY=VALUE
  std::string trace, json, csv, html;  // paths; empty: none; "-" (of JSON and CSV): standard output, alone there
  std::string trace_chips, trace_window, trace_detail, trace_limit;  // as on the command line; empty: not given
  bool verify = false, ideal = false, quiet = false;
  std::string log_level = "info";
  std::string max_events, max_time;  // as on the command line; empty: no limit
};

// Where there is no file: that every KEY=VALUE begins with `machine`. Throws InputError.
void check_machine_sets(const std::vector<std::string>& sets);

// Refuses outputs that would replace one another or an input, and what this version cannot do yet. Throws InputError.
void check_flags(const CommonFlags&, const std::vector<std::string>& inputs);
inline Fold fold_of(const CommonFlags& f) {
  return f.fold == "on" ? Fold::on : f.fold == "off" ? Fold::off : Fold::automatic;
}
// Where every run is to stop. Throws InputError.
RunControl limits_of(const CommonFlags&);

}  // namespace hopsim

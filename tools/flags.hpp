// The flags that commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "scenarios/fields.hpp"
#include "scenarios/simulate.hpp"

namespace hopsim {

struct CommonFlags {
  std::string engine = "event";
  EngineChoice run_on;  // the engine of that name
  std::string fold = "auto";
  std::string machine;            // empty: the file's
  std::vector<std::string> sets;  // KEY=VALUE
  std::string trace, json, csv;   // paths; empty: none; "-" (not of a trace): standard output, alone there
  bool verify = false, ideal = false, quiet = false;
  std::string log_level = "info";
};

void add_common_flags(CLI::App&, CommonFlags&);

// Some of them, for commands that run nothing.
void add_set_flag(CLI::App&, std::vector<std::string>& sets);
void add_json_flag(CLI::App&, std::string& json);

// Where there is no file: that every KEY=VALUE begins with `machine`. Throws InputError.
void check_machine_sets(const std::vector<std::string>& sets);

// A check that a value is one of these.
CLI::Validator one_of(const Names& valid);

CLI::Validator not_empty();

// Refuses outputs that would replace one another or an input, and what this version cannot do yet. Throws InputError.
void check_flags(const CommonFlags&, const std::vector<std::string>& inputs);
// Refuses SimGrid for more than one simulation.
void check_engine(const CommonFlags&, std::size_t simulations);

}  // namespace hopsim

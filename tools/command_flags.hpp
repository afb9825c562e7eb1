// The flags of every command, for CLI11 to read.
#pragma once

#include "tools/collective_command.hpp"
#include "tools/compare_command.hpp"
#include "tools/explain_command.hpp"
#include "tools/list_command.hpp"
#include "tools/run_command.hpp"
#include "tools/show_command.hpp"
#include "tools/sweep_command.hpp"

namespace CLI {
class App;
}

namespace hopsim {

void add_run_flags(CLI::App&, RunArguments&);
void add_collective_flags(CLI::App&, CollectiveArguments&);
void add_compare_flags(CLI::App&, CompareArguments&);
void add_explain_flags(CLI::App&, ExplainArguments&);
void add_sweep_flags(CLI::App&, SweepArguments&);
void add_list_flags(CLI::App&, ListArguments&);
void add_show_flags(CLI::App&, ShowArguments&);

}  // namespace hopsim

// Commands and flags that are not there: told with their command, and with what was probably meant.
#pragma once

#include <CLI/CLI.hpp>

namespace hopsim {

// Before parsing: throws InputError for a command that `app` does not have.
void check_command(const CLI::App& app, int argc, const char* const* argv);

// After parsing, or when it failed: throws InputError for the first argument that nobody takes.
// REQUIRES: app and its commands allow extras, so that CLI11 keeps them.
void check_extras(const CLI::App& app);

// What CLI11 found wrong, as "COMMAND: PROBLEM; see hopsim COMMAND --help".
std::string usage_error(const CLI::App& app, const CLI::ParseError&);

}  // namespace hopsim

// The command line. Results go to standard output, everything else to standard error.
//
// Exit codes: 0 done; 1 an expectation or a proof failed, a bound was beaten, or the program deadlocked; 2 bad usage or
// bad input.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <iostream>
#include <new>

#include "collectives/proof.hpp"
#include "scenarios/simulate.hpp"
#include "sim/error.hpp"
#include "sim/machine.hpp"
#include "sim/version.hpp"
#include "tools/run_command.hpp"

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kBadInput = 2 };

int fail(int code, const std::string& what) {
  std::cerr << "hopsim: " << what << '\n';
  return code;
}

std::shared_ptr<spdlog::logger> make_logger(const std::string& level) {
  auto log = std::make_shared<spdlog::logger>("hopsim", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log->set_pattern("hopsim: %l: %v");
  log->set_level(spdlog::level::from_str(level));
  return log;
}

int dispatch(int argc, char** argv) {
  CLI::App app("hopsim simulates TPU ICI and NVLink interconnects: how long a sharded program takes, and why.", "hopsim");
  app.set_version_flag("--version", std::string("hopsim ") + hopsim::kVersion);
  app.require_subcommand(1);

  hopsim::RunArguments run;
  CLI::App* run_app = app.add_subcommand("run", "run scenario files");
  run_app->add_option("FILE", run.files, "scenario files (YAML); - reads one from standard input")->required();
  hopsim::add_common_flags(*run_app, run.flags);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return fail(kBadInput, std::string(e.what()) + "; see hopsim --help");
  }
  return hopsim::run_command(run, {std::cin, std::cout, make_logger(run.flags.log_level)});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const hopsim::InputError& e) {
    return fail(kBadInput, e.what());
  } catch (const std::overflow_error& e) {
    return fail(kBadInput, e.what());
  } catch (const std::length_error& e) {
    return fail(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "not enough memory for this run");
  } catch (const hopsim::Deadlock& e) {
    return fail(kFailed, e.what());
  } catch (const hopsim::ProofFailed& e) {
    return fail(kFailed, e.what());
  } catch (const hopsim::BoundBeaten& e) {
    return fail(kFailed, e.what());
  } catch (const std::exception& e) {
    return fail(kFailed, std::string("internal error, please report it: ") + e.what());
  }
}

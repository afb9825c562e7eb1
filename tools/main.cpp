// The command line. Results go to standard output, everything else to standard error.
//
// Exit codes: 0 done; 1 an expectation or a proof failed, a bound was beaten, engines disagree, an engine's process
// was killed, or the program deadlocked; 2 bad usage or bad input.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "collectives/proof.hpp"
#include "scenarios/simulate.hpp"
#include "sim/error.hpp"
#include "sim/machine.hpp"
#include "sim/version.hpp"
#include "tools/command_flags.hpp"
#include "tools/engines.hpp"
#include "tools/sweep/ranks.hpp"
#include "tools/usage.hpp"

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kBadInput = 2 };

// Of the processes that mpirun started rank 0 tells; mpirun then ends the others while they wait. What ends only one
// of them it tells itself.
int fail(int code, const std::string& what) {
  const int rank = hopsim::launch_of_environment().rank;
  if (rank > 0) std::this_thread::sleep_for(std::chrono::seconds(5));
  std::cerr << "hopsim: " << (rank > 0 ? "rank " + std::to_string(rank) + ": " : "") << what << '\n';
  return code;
}

std::shared_ptr<spdlog::logger> make_logger(const std::string& level) {
  auto log = std::make_shared<spdlog::logger>("hopsim", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_pattern("hopsim: %l: %v");
  log->set_level(spdlog::level::from_str(level));
  return log;
}

CLI::App& add_command(CLI::App& app, const char* name, const char* what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->allow_extras();  // so that check_extras can tell them with their command
  return *command;
}

// 0 to go on, else what to exit with: help and version were asked for.
std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  hopsim::check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    hopsim::check_extras(app);
    throw hopsim::InputError(hopsim::usage_error(app, e));
  }
  hopsim::check_extras(app);
  return std::nullopt;
}

hopsim::Streams streams(const std::string& log_level) {
  return {.in = std::cin,
          .out = std::cout,
          .err = std::cerr,
          .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
          .log = make_logger(log_level)};
}

int dispatch(int argc, char** argv) {
  CLI::App app("hopsim simulates TPU ICI and NVLink interconnects: how long a sharded program takes, and why.",
               "hopsim");
  app.set_version_flag("--version", std::string("hopsim ") + hopsim::kVersion);
  app.require_subcommand(1);
  app.allow_extras();

  hopsim::RunArguments run;
  CLI::App& run_app = add_command(app, "run", "run scenario files");
  hopsim::add_run_flags(run_app, run);

  hopsim::CollectiveArguments collective;
  CLI::App& collective_app = add_command(app, "collective", "time collectives, without a file");
  hopsim::add_collective_flags(collective_app, collective);

  hopsim::ExplainArguments explain;
  CLI::App& explain_app = add_command(app, "explain", "what a line of the book's notation means, and what it takes");
  hopsim::add_explain_flags(explain_app, explain);

  hopsim::SweepArguments sweep;
  CLI::App& sweep_app = add_command(app, "sweep", "run a scenario at every point of its sweep");
  hopsim::add_sweep_flags(sweep_app, sweep);

  hopsim::CompareArguments compare;
  CLI::App& compare_app = add_command(app, "compare", "two results side by side: where the second gains or loses");
  hopsim::add_compare_flags(compare_app, compare);

  hopsim::ListArguments list;
  CLI::App& list_app =
      add_command(app, "list", "what there is: chips, topologies, collectives, algorithms, scenarios");
  hopsim::add_list_flags(list_app, list);

  hopsim::ShowArguments show;
  CLI::App& show_app = add_command(app, "show", "all about one of them, or about a machine");
  hopsim::add_show_flags(show_app, show);

  if (const auto code = parse(app, argc, argv)) return *code;
  for (hopsim::CommonFlags* flags : {&run.flags, &collective.flags, &sweep.flags}) {
    flags->run_on = hopsim::engine_named(flags->engine, argv);
    if (flags->cross_check) flags->check_on = hopsim::engine_named("simgrid", argv);
  }
  if (collective_app.parsed()) return hopsim::collective_command(collective, streams(collective.flags.log_level));
  if (explain_app.parsed()) return hopsim::explain_command(explain, streams(explain.log_level));
  if (sweep_app.parsed()) return hopsim::sweep_command(sweep, streams(sweep.flags.log_level));
  if (compare_app.parsed()) return hopsim::compare_command(compare, streams("info"));
  if (list_app.parsed()) return hopsim::list_command(list, streams("info"));
  if (show_app.parsed()) return hopsim::show_command(show, streams("info"));
  return hopsim::run_command(run, streams(run.flags.log_level));
}

// A full disk under standard output is an error like any other; a closed pipe ends the process before.
int checked(int code) {
  std::cout.flush();
  return std::cout ? code : fail(kBadInput, "cannot write standard output");
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may grow no further is an error like a full disk
  std::signal(SIGPIPE, SIG_DFL);  // a closed pipe (`| head`) ends us quietly, even if whoever started us ignores it
  try {
    return checked(dispatch(argc, argv));
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
  } catch (const hopsim::EngineDied& e) {
    return fail(kFailed, e.what());
  } catch (const hopsim::SweepFailed& e) {
    return fail(kFailed, e.what());
  } catch (const std::exception& e) {
    return fail(kFailed, std::string("internal error, please report it: ") + e.what());
  }
}

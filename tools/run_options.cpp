#include "tools/run_options.hpp"

#include <spdlog/logger.h>

#include <utility>

#include "scenarios/estimate.hpp"

namespace hopsim {
namespace {

std::function<void(const Estimate&)> before(const EngineChoice& engine, Progress::Run& run, const Streams& streams,
                                            std::string what) {
  return [&run, &streams, what = std::move(what), simgrid = engine.make != nullptr](const Estimate& e) {
    run.expect(e.hops);
    if (e.seconds < (simgrid ? kLongOnSimgrid : kLongRun)) return streams.log->debug("{}: {}", what, describe(e));
    run.progress().wipe();
    if (simgrid)
      streams.log->warn(
          "{}: SimGrid takes about {} for the {} messages of {} chips; quicker: the event engine, or "
          "fewer chips",
          what, about_time(e.seconds), e.messages, e.chips);
    else
      streams.log->info("{}: {}", what, describe(e));
  };
}

}  // namespace

RunOptions run_options(const CommonFlags& flags, Progress& progress, const Streams& streams, std::string what) {
  return run_options(flags, progress.only_run(), streams, std::move(what));
}

RunOptions run_options(const CommonFlags& flags, Progress::Run& run, const Streams& streams, std::string what) {
  RunOptions options{.engine = flags.run_on, .verify = flags.verify, .fold = fold_of(flags)};
  options.control = limits_of(flags);
  options.control.progress = &run.counts();
  options.before = before(flags.run_on, run, streams, std::move(what));
  return options;
}

RunOptions check_options(const CommonFlags& flags, Progress& progress, const Streams& streams, std::string what) {
  RunOptions options{.engine = flags.check_on, .fold = Fold::off};
  options.control.progress = &progress.run();
  options.before = before(flags.check_on, progress.only_run(), streams, std::move(what));
  return options;
}

}  // namespace hopsim

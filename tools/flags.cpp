#include "tools/flags.hpp"

#include "sim/error.hpp"

namespace hopsim {

void add_common_flags(CLI::App& app, CommonFlags& f) {
  app.add_option("--engine", f.engine, "event (default) or simgrid")->check(CLI::IsMember({"event", "simgrid"}));
  app.add_option("--trace", f.trace, "write a Perfetto trace: FILE.pftrace or FILE.pftrace.gz")->type_name("FILE");
  app.add_option("--json", f.json, "write the result as JSON; - for standard output, and nothing else there")->type_name("FILE");
  app.add_option("--set", f.sets, "set one value by its dotted path, e.g. program.0.all_gather.bytes=1MiB; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--machine", f.machine, "use this machine instead, e.g. tpu_v5e:8x4 or torus:8x8,bw=45GB/s,lat=1us")->type_name("SPEC");
  app.add_flag("--verify", f.verify, "prove the data flow of every collective before it runs");
  app.add_flag("--ideal", f.ideal, "datasheet values: no overheads, efficiency 1");
  app.add_option("--fold", f.fold, "simulate one chip for all that symmetry makes alike: auto (default), on, off")
      ->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_flag("--quiet", f.quiet, "no table");
  app.add_option("--log-level", f.log_level, "what standard error tells: trace, debug, info (default), warn, error, off")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
}

void check_supported(const CommonFlags& f) {
  if (f.engine != "event") throw InputError("--engine simgrid is not supported yet", f.engine, "event");
  if (f.fold == "on") throw InputError("--fold on is not supported yet", f.fold, "auto, off");
}

}  // namespace hopsim

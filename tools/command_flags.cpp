// Everything about CLI11 that has to do with flags stands here, as CLI11 takes long to compile.
#include "tools/command_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "scenarios/fields.hpp"

namespace hopsim {
namespace {

// A check that a value is one of these.
CLI::Validator one_of(const Names& valid) {
  return {[valid](const std::string& got) -> std::string {
            if (std::find(valid.begin(), valid.end(), got) != valid.end()) return {};
            const std::string near(nearest(got, valid));
            return "unknown value" + (near.empty() ? "" : " (did you mean " + near + "?)") + "; got " +
                   quoted_for_message(got) + "; valid: " + joined(valid);
          },
          ""};
}

CLI::Validator not_empty() {
  return {
      [](const std::string& got) { return got.empty() ? std::string("needs a value; got nothing") : std::string(); },
      ""};
}

void add_set_flag(CLI::App& app, std::vector<std::string>& sets) {
  app.add_option("--set", sets,
                 "set one value by its dotted path, e.g. machine.overrides.hop_latency=2us; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_json_flag(CLI::App& app, std::string& json) {
  app.add_option("--json", json, "write the result as JSON; - for standard output, and nothing else there")
      ->type_name("FILE")
      ->check(not_empty());
}

void add_cross_check_flag(CLI::App& app, CommonFlags& f) {
  app.add_flag("--cross-check", f.cross_check,
               "run on both engines and print both times of every step; an error where they differ by more than "
               "explained");
}

// Of what is traced.
void add_trace_flags(CLI::App& app, CommonFlags& f) {
  app.add_option("--trace-chips", f.trace_chips, "only of these chips: numbers, ranges and coordinates: 0-7,12,(1,0)")
      ->type_name("CHIPS")
      ->check(not_empty());
  app.add_option("--trace-window", f.trace_window, "only what happens in a stretch of simulated time: 1ms..2ms")
      ->type_name("TIMES")
      ->check(not_empty());
  app.add_option("--trace-detail", f.trace_detail,
                 "steps, messages or hops (every link of every message); default: the finest that fits --trace-limit")
      ->check(one_of({"steps", "messages", "hops"}));
  app.add_option("--trace-limit", f.trace_limit, "most slices of a trace: 5M (default), 200000, or none")
      ->type_name("N")
      ->check(not_empty());
}

void add_common_flags(CLI::App& app, CommonFlags& f) {
  app.add_option("--engine", f.engine, "event (default) or simgrid")->check(one_of({"event", "simgrid"}));
  app.add_option("--trace", f.trace, "write a Perfetto trace: FILE.pftrace or FILE.pftrace.gz")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_option("--html", f.html, "write a report to open in a browser: one file, nothing else needed")
      ->type_name("FILE")
      ->check(not_empty());
  add_json_flag(app, f.json);
  app.add_option("--csv", f.csv, "write the rows as CSV; - for standard output, and nothing else there")
      ->type_name("FILE")
      ->check(not_empty());
  add_set_flag(app, f.sets);
  app.add_option("--machine", f.machine, "the machine, e.g. tpu_v5e:8x4 or torus:8x8,bw=45GB/s,lat=1us")
      ->type_name("SPEC")
      ->check(not_empty());
  app.add_flag("--verify", f.verify, "prove the data flow of every collective before it runs");
  app.add_flag("--ideal", f.ideal, "datasheet values: no overheads, efficiency 1");
  app.add_option("--fold", f.fold, "simulate one chip for all that symmetry makes alike: auto (default), on, off")
      ->check(one_of({"auto", "on", "off"}));
  app.add_option("--max-events", f.max_events,
                 "stop every run after so many events, at the end of their instant, with a partial result")
      ->type_name("N")
      ->check(not_empty());
  app.add_option("--max-time", f.max_time,
                 "stop every run when so much time has been simulated, e.g. 10ms, with a partial result")
      ->type_name("TIME")
      ->check(not_empty());
  app.add_flag("--quiet", f.quiet, "no table, no progress");
  app.add_option("--log-level", f.log_level,
                 "what standard error tells: trace, debug, info (default), warn, error, off")
      ->check(one_of({"trace", "debug", "info", "warn", "error", "off"}));
}

}  // namespace

void add_collective_flags(CLI::App& app, CollectiveArguments& a) {
  app.add_option("OP", a.operations,
                 "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce, gather, scatter, "
                 "collective_permute or "
                 "send_recv (every chip to the next); or JAX's names for them")
      ->required();
  app.add_option("--axis", a.axis, "an axis of the mesh, or several: X, XY, data,model; default: all chips");
  app.add_option(
         "--bytes", a.bytes,
         "sizes of the whole array: 4096, a list 1KiB,1MiB, a range 1KiB..100MiB*2 or 1MB..10MB+1MB; default: "
         "1KiB..1GiB*4")
      ->type_name("SIZES");
  app.add_option("--algorithm", a.algorithm, "auto (default), best, or one of hopsim list algorithms")
      ->type_name("NAME");
  app.add_option("--chunks", a.chunks, "pieces of each shard, forwarded as they arrive; default: the algorithm's own")
      ->type_name("N");
  app.add_option("--schedule", a.schedule,
                 "optimal (default) or book: on an even ring the shard from halfway round goes in halves, or whole");
  app.add_option("--root", a.root, "of broadcast, reduce, gather, scatter: a chip's number, or coordinates 0,1");
  app.add_option("--measured", a.measured, "measured times to show beside: CSV with the columns bytes and time_us")
      ->type_name("FILE");
  add_cross_check_flag(app, a.flags);
  add_trace_flags(app, a.flags);
  add_common_flags(app, a.flags);
}

void add_compare_flags(CLI::App& app, CompareArguments& a) {
  app.add_option("A", a.before, "a result: the --json of run, collective, explain or sweep; - reads standard input")
      ->required();
  app.add_option("B", a.after, "another of the same kind")->required();
  add_json_flag(app, a.json);
  app.add_flag("--quiet", a.quiet, "no table");
}

void add_explain_flags(CLI::App& app, ExplainArguments& a) {
  app.add_option("EXPR", a.line,
                 "a line of notation: 'C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]', a collective, an elementwise line, an "
                 "array, or A[I_X] -> A[I]")
      ->required();
  app.add_option("--machine", a.machine, "the machine, e.g. tpu_v5e:4x4; without it the answer is in symbols")
      ->type_name("SPEC")
      ->check(not_empty());
  app.add_option("--mesh", a.mesh, "the logical axes, e.g. X=4,Y=4; default: the machine's")->type_name("AXES");
  app.add_option("--dims", a.dims, "sizes of dimensions, e.g. I=1024,J=2048; without them the answer is in symbols")
      ->type_name("SIZES");
  app.add_option("--dtype", a.dtype, "of arrays that give none; default: bf16");
  app.add_flag("--backward", a.backward, "the products of the backward pass, and what becomes of each collective");
  app.add_flag("--best", a.best, "find the shardings of the operands, and of a ?, that take the least time");
  app.add_option("--memory", a.memory, "what a chip may hold, e.g. 300MB; an error where nothing fits")
      ->type_name("BYTES");
  app.add_option("--schedule", a.schedule,
                 "optimal (default) or book: on an even ring the shard from halfway round goes in halves, or whole")
      ->check(one_of({"optimal", "book"}));
  app.add_flag("--ideal", a.ideal, "datasheet values: no overheads, efficiency 1");
  app.add_flag("--verify", a.verify,
               "prove every strategy on values, and on a machine the data flow of its collectives");
  add_set_flag(app, a.sets);
  add_json_flag(app, a.json);
  app.add_flag("--quiet", a.quiet, "no table");
  app.add_option("--log-level", a.log_level,
                 "what standard error tells: trace, debug, info (default), warn, error, off")
      ->check(one_of({"trace", "debug", "info", "warn", "error", "off"}));
}

void add_list_flags(CLI::App& app, ListArguments& arguments) {
  app.add_option("WHAT", arguments.what,
                 "chips, topologies, collectives, algorithms or scenarios; default: all of them")
      ->check(one_of(listable()));
  add_json_flag(app, arguments.json);
}

void add_run_flags(CLI::App& app, RunArguments& arguments) {
  app.add_option("FILE", arguments.files, "scenario files (YAML); - reads one from standard input")->required();
  app.add_flag("--critical-path", arguments.critical_path,
               "which step, link or chip each part of the run's time waited for");
  add_cross_check_flag(app, arguments.flags);
  add_trace_flags(app, arguments.flags);
  add_common_flags(app, arguments.flags);
}

void add_show_flags(CLI::App& app, ShowArguments& arguments) {
  app.add_option("NAME", arguments.name, "a name of hopsim list, or a machine such as tpu_v5e:8x4")->required();
  add_set_flag(app, arguments.sets);
  add_json_flag(app, arguments.json);
  app.add_option("--dot", arguments.dot, "a machine's graph for Graphviz; - for standard output")->check(not_empty());
  app.add_option("--graphml", arguments.graphml, "a machine's graph as GraphML; - for standard output")
      ->check(not_empty());
}

void add_sweep_flags(CLI::App& app, SweepArguments& arguments) {
  app.add_option("FILE", arguments.file, "a scenario file (YAML) with a sweep; - reads it from standard input")
      ->required()
      ->check(not_empty());
  add_common_flags(app, arguments.flags);
  app.get_option("--trace")->group("");  // not told of; whoever gives it is told why it is refused
  app.add_option("--best", arguments.best, "what points are ranked by: a number of the result, such as time_s, mfu")
      ->type_name("KEY")
      ->check(not_empty());
  app.add_option("--jobs", arguments.jobs, "points that run at once; default: one a core")
      ->type_name("N")
      ->check(not_empty());
  app.add_flag("--resume", arguments.resume, "go on where an interrupted sweep to the same output files stopped");
  app.add_flag("--yes", arguments.yes, "run a grid of more than 100,000 points");
}

}  // namespace hopsim

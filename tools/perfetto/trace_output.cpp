#include "tools/perfetto/trace_output.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "scenarios/estimate.hpp"
#include "scenarios/measure.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

TraceChoice choose(const CommonFlags& flags, const MachineModel& machine, const Plan& plan) {
  return choose_trace(trace_request(flags, machine.shape), trace_sizes(machine, plan));
}

std::string chips_text(const TraceChoice& choice, std::uint32_t all) {
  if (choice.chips == 1) return all == 1 ? "1 chip" : "the first chip";
  return fmt::format("{}{} chips", choice.chips < all ? "the first " : "", choice.chips);
}

}  // namespace

std::vector<perfetto::TraceStep> trace_steps(const Plan& plan) {
  std::vector<perfetto::TraceStep> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& s = plan.steps[i];
    const CollectiveTask* const collective = collective_of(plan.program[i]);
    steps.push_back({.label = s.text,
                     .algorithm = s.algorithm,
                     .bytes = s.collective ? s.collective->bytes : Bytes{},
                     .collective = s.collective.has_value(),
                     .after = plan.program[i].after,
                     .takes_part = collective ? collective->takes_part : nullptr});
  }
  return steps;
}

TraceOutput::TraceOutput(const CommonFlags& flags, const MachineModel& machine, const Plan& plan, Progress& progress,
                         const Streams& streams)
    : TraceOutput(flags, machine, plan, progress, streams, choose(flags, machine, plan)) {}

TraceOutput::TraceOutput(const CommonFlags& flags, const MachineModel& machine, const Plan& plan, Progress& progress,
                         const Streams& streams, TraceChoice choice)
    : file_(flags.trace),
      window_(flags.trace_window),
      fabric_(machine.fabric()),
      progress_(progress),
      streams_(streams),
      choice_(std::move(choice)),
      writer_(flags.trace, fabric_, trace_steps(plan), choice_.scope) {
  expect_stop(limits_of(flags));
  if (!choice_.left_out.empty())
    say(false, fmt::format("{} of {}, {}; {}", name_of(choice_.scope.detail), chips_text(choice_, fabric_.chips()),
                           amount(choice_.slices, "slice"), choice_.left_out));
}

// A time is known before the run; after how many events it stops is seen when it has.
void TraceOutput::expect_stop(const RunControl& limits) {
  if (!limits.limited()) return;
  writer_.may_stop();
  if (limits.max_time != Time::max()) writer_.stop_at(limits.max_time);
  if (limits.max_events != RunControl{}.max_events) held_.emplace(writer_, progress_.run());
}

// All chips' first stretches, then their second ones: what is alike stands together, and compresses.
void TraceOutput::exposed(const Activity& activity) {
  std::vector<std::vector<Interval>> chips;
  std::size_t most = 0;
  for (std::uint32_t c = 0; c < fabric_.chips(); ++c) {
    chips.push_back(exposed_communication(activity, ChipId(c)));
    most = std::max(most, chips.back().size());
  }
  for (std::size_t k = 0; k < most; ++k)
    for (std::uint32_t c = 0; c < fabric_.chips(); ++c)
      if (k < chips[c].size()) writer_.exposed(ChipId(c), chips[c][k].start, chips[c][k].end);
}

void TraceOutput::finish(const RunResult& result, const Activity& activity) {
  if (held_) {
    if (result.stopped) writer_.stop_at(result.time);
    held_->release();
  }
  exposed(activity);
  for (const PathSegment& s : result.critical_path) writer_.critical(s);
  writer_.finish();
  const perfetto::TraceCounts& counts = writer_.counts();
  if (counts.slices + counts.instants == 0)
    say(true,
        fmt::format("the trace is empty: nothing happened {}; the run was from 0 s to {}",
                    window_.empty() ? "on its chips" : "in --trace-window " + window_, format_time(result.time)));
  if (writer_.stopped())
    say(true, fmt::format("from {} on messages are left out: there were twice as many slices as --trace-limit; all "
                          "are there with --trace-limit none",
                          format_time(*writer_.stopped())));
}

Json TraceOutput::json() const {
  const perfetto::TraceCounts& c = writer_.counts();
  const perfetto::Window& w = choice_.scope.window;
  Json json{{"slices", c.slices}, {"instants", c.instants}, {"flows", c.flows}, {"counters", c.counters}};
  json["detail"] = name_of(choice_.scope.detail);
  json["chips"] = choice_.chips;
  json["window"] = nullptr;
  if (!w.whole())
    json["window"] = {{"from_s", w.begin.seconds()}, {"to_s", w.end == Time::max() ? Json() : Json(w.end.seconds())}};
  json["left_out"] = {{"slices", writer_.of_all() - c.slices - c.instants},
                      {"chips", fabric_.chips() - choice_.chips},
                      {"messages_from_s", writer_.stopped() ? Json(writer_.stopped()->seconds()) : Json()}};
  return json;
}

void TraceOutput::say(bool warning, const std::string& what) {
  progress_.wipe();
  streams_.log->log(warning ? spdlog::level::warn : spdlog::level::info, "{}: {}", file_, what);
}

}  // namespace hopsim

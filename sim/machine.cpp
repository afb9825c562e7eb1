#include "sim/machine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/device_program.hpp"

// Frames come from an arena and go with it, so promises' delete does nothing; g++ 12 takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace hopsim {
namespace {

constexpr std::size_t kFrameLines = 4;  // cache lines of a frame worth fetching ahead

// Sizes come in steps of a quarter, or a program of many sizes would find none that fits among those given back.
std::uint32_t rounded(std::uint32_t n) {
  const std::uint32_t step = std::max(std::bit_floor(n) / 4, 1u);
  return (n + step - 1) / step * step;
}

}  // namespace

Machine::Machine(const Fabric& fabric, Engine& engine, const Overheads& overheads, Recorder* recorder)
    : fabric_(fabric),
      engine_(engine),
      overheads_(overheads),
      recorder_(recorder),
      chips_(fabric.chips()),
      actors_(fabric.actors()) {}

Machine::~Machine() = default;

Stop Machine::run(const Program& program, const RunControl& control) {
  prepare(program);
  for (std::uint32_t t = 0; t < program.size(); ++t)
    if (program[t].after.empty())
      for (std::uint32_t c = 0; c < actors_; ++c) make_ready(t, ChipId(c));
  start_ready();
  const Stop stop = engine_.run(*this, control);
  if (unfinished_ == 0) return Stop::none;
  if (stop == Stop::none) throw Deadlock(describe_deadlock());
  leave_unfinished();
  return stop;
}

void Machine::prepare(const Program& program) {
  assert(program.size() < Position::kTasks);
  const std::size_t n = program.size();
  program_ = &program;
  tasks_ = std::vector<TaskState>(n);
  per_chip_.assign(n * actors_, {});
  ready_.assign(n, {});
  launched_.assign(n, {});
  totals_.assign(n, {});
  collectives_.assign(chips_, 0);
  unfinished_ = n * actors_;
  for (std::uint32_t t = 0; t < n; ++t) {
    tasks_[t].chips_left = actors_;
    for (const std::uint32_t before : program[t].after) {
      assert(before < t);
      tasks_[before].before.push_back(t);
    }
    for (std::uint32_t c = 0; c < actors_; ++c)
      per_chip(t, ChipId(c)).waits_for = static_cast<std::uint32_t>(program[t].after.size());
  }
}

void Machine::count_one(CounterId id) {
  Counter& c = counters_[index(id)];
  if (++c.value >= c.want && c.waiter) std::exchange(c.waiter, {}).resume();
}

void Machine::count(std::span<const CounterId> all) {
  constexpr std::size_t kFar = 16, kNear = 8;  // counters, then the frames that wait on them, are fetched ahead
  const std::size_t n = all.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kFar < n) __builtin_prefetch(&counters_[index(all[k + kFar])], 1);
    if (k + kNear < n)
      if (char* frame = static_cast<char*>(counters_[index(all[k + kNear])].waiter.address()))
        for (std::size_t line = 0; line < kFrameLines; ++line) __builtin_prefetch(frame + 64 * line, 1);
    count_one(all[k]);
  }
  start_ready();
}

// Fetches the counter, then the frame that waits on it.
void Machine::expect(CounterId id, bool near) {
  const Counter& c = counters_[index(id)];
  if (!near) return __builtin_prefetch(&c, 1);
  if (char* frame = static_cast<char*>(c.waiter.address()))
    for (std::size_t line = 0; line < kFrameLines; ++line) __builtin_prefetch(frame + 64 * line, 1);
}

void Machine::make_ready(std::uint32_t task, ChipId chip) {
  if (ready_[task].empty()) ready_tasks_.push_back(task);
  ready_[task].push_back(chip);
}

// Chips that come to a task in one instant begin it together, lane by lane: what is used together then lies together.
void Machine::start_ready() {
  while (!ready_tasks_.empty() || !launched_tasks_.empty()) {
    for (const std::uint32_t t : std::exchange(ready_tasks_, {})) start(t, std::exchange(ready_[t], {}));
    for (const std::uint32_t t : std::exchange(launched_tasks_, {}))
      start_lanes(running(t), std::exchange(launched_[t], {}));
  }
  for (const std::uint32_t t : std::exchange(ended_tasks_, {})) retire(t);
}

Machine::TaskRun& Machine::running(std::uint32_t task) {
  auto& run = tasks_[task].run;
  if (!run) {
    run = std::make_unique<TaskRun>(blocks_, task, (*program_)[task], actors_);
    run->first = take_counters(rounded(run->counters()));
  }
  return *run;
}

std::uint32_t Machine::take_counters(std::uint32_t n) {
  const auto same =
      std::find_if(free_counters_.begin(), free_counters_.end(), [n](const auto& f) { return f.first == n; });
  if (same != free_counters_.end()) {
    const std::uint32_t first = same->second;
    free_counters_.erase(same);
    return first;
  }
  const std::size_t first = counters_.size();
  if (first + n >= index(kNoCounter)) throw std::length_error("the program needs more than 2^32 counters at once");
  counters_.resize(first + n);
  return static_cast<std::uint32_t>(first);
}

void Machine::start(std::uint32_t task, const std::vector<ChipId>& chips) {
  TaskRun& run = running(task);
  const CollectiveTask* collective = collective_of((*program_)[task]);
  for (const ChipId c : chips) {
    PerChip& chip = per_chip(task, c);
    chip.start = engine_.now();
    chip.started = true;
    chip.takes_part =
        index(c) < chips_ && (!collective || !collective->takes_part || collective->takes_part(fabric_.shape.at(c)));
    if (chip.takes_part) totals_[task].start = std::min(totals_[task].start, engine_.now());
  }
  const auto& work = (*program_)[task].work;
  if (std::holds_alternative<BarrierTask>(work)) {
    arrive(task, chips_among(chips, task));
  } else if (const auto* compute = std::get_if<ComputeTask>(&work)) {
    for (const ChipId c : chips_among(chips, task))
      run_compute({this, &run, c, fabric_.shape.at(c)}, busy_of(*compute, c));
  } else if (const auto* load = std::get_if<HostLoadTask>(&work)) {
    for (const ChipId c : chips_among(chips, task)) run_host_load({this, &run, c, fabric_.shape.at(c)}, load->time);
  } else {
    start_collective(run, chips);
  }
}

void Machine::start_collective(TaskRun& run, const std::vector<ChipId>& chips) {
  for (const ChipId c : chips) {
    PerChip& chip = per_chip(run.task, c);
    chip.lanes_left = run.lanes();
    if (!run.product || index(c) >= chips_) continue;
    chip.multiplies = true;
    const Chip program{this, &run, c, fabric_.shape.at(c)};
    run.product->feed == Feed::from_arrivals ? multiply_arrivals(program) : multiply_departures(program);
  }
  if (overheads_.launch > Time{})
    for (const ChipId c : chips) after_launch({this, &run, c, fabric_.shape.at(c)});
  else
    start_lanes(run, chips);
}

// Switches are done with what only chips do.
std::vector<ChipId> Machine::chips_among(const std::vector<ChipId>& actors, std::uint32_t task) {
  if (chips_ == actors_) return actors;
  std::vector<ChipId> chips;
  for (const ChipId c : actors)
    if (index(c) < chips_)
      chips.push_back(c);
    else
      finish(task, c);
  return chips;
}

void Machine::arrive(std::uint32_t task, const std::vector<ChipId>& chips) {
  if ((tasks_[task].arrived += static_cast<std::uint32_t>(chips.size())) < chips_) return;
  for (std::uint32_t c = 0; c < chips_; ++c) finish(task, ChipId{c});
}

void Machine::start_lanes(TaskRun& run, const std::vector<ChipId>& chips) {
  const std::uint32_t lanes = run.lanes();
  if (lanes == 0 && !run.product)
    for (const ChipId c : chips) finish(run.task, c);
  if (lanes > 0)
    for (const ChipId c : chips) communicates(run.task, c, true);
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (const ChipId c : chips) run_lane({this, &run, c, fabric_.shape.at(c)}, lane);
}

void Machine::lane_finished(const Chip& chip) {
  PerChip& mine = per_chip(chip.run->task, chip.id);
  if (--mine.lanes_left > 0) return;
  communicates(chip.run->task, chip.id, false);
  if (!mine.multiplies) finish(chip.run->task, chip.id);
}

void Machine::product_finished(const Chip& chip) {
  PerChip& mine = per_chip(chip.run->task, chip.id);
  mine.multiplies = false;
  if (mine.lanes_left == 0) finish(chip.run->task, chip.id);
}

// From its first message, or its wait for one, to the end of its last: so long a collective holds its share.
void Machine::communicates(std::uint32_t task, ChipId chip, bool begins) {
  if (overheads_.compute_share.numerator == 0 || index(chip) >= chips_ || !per_chip(task, chip).takes_part) return;
  std::uint32_t& running = collectives_[index(chip)];
  running += begins ? 1u : -1u;
  if (running == (begins ? 1u : 0u)) engine_.share_compute(chip, begins);
}

void Machine::finish(std::uint32_t task, ChipId chip) {
  const Time now = engine_.now();
  --unfinished_;
  per_chip(task, chip).ended = true;
  if (per_chip(task, chip).takes_part) {
    totals_[task].end = std::max(totals_[task].end, now);
    if (recorder_) recorder_->task(chip, task, per_chip(task, chip).start, now);
  }
  for (const std::uint32_t next : tasks_[task].before)
    if (--per_chip(next, chip).waits_for == 0) make_ready(next, chip);
  if (--tasks_[task].chips_left == 0) ended_tasks_.push_back(task);
}

// Its counters and frames serve later tasks. Counts on their way to it would be a schedule's fault, which proofs
// refuse.
void Machine::retire(std::uint32_t task) {
  const TaskRun& run = *tasks_[task].run;
  if (totals_[task].start > totals_[task].end) totals_[task].start = totals_[task].end = engine_.now();  // nobody did
  totals_[task].messages = run.messages;
  totals_[task].hops = run.hops;
  totals_[task].bytes = run.bytes;
  std::fill_n(counters_.begin() + run.first, run.counters(), Counter{});
  free_counters_.push_back({rounded(run.counters()), run.first});
  tasks_[task].run.reset();
}

// Of a run that was stopped: what was at work has its share so far.
void Machine::leave_unfinished() {
  const Time now = engine_.now();
  for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
    if (tasks_[t].chips_left == 0) continue;
    TaskTotals& totals = totals_[t];
    totals.finished = false;
    totals.started = totals.start != Time::max();
    if (!totals.started) totals.start = now;
    totals.end = now;
    if (const TaskRun* run = tasks_[t].run.get()) {
      totals.messages = run->messages;
      totals.hops = run->hops;
      totals.bytes = run->bytes;
    }
    if (!recorder_) continue;
    for (std::uint32_t c = 0; c < actors_; ++c)
      if (const PerChip& chip = per_chip(t, ChipId(c)); chip.started && !chip.ended && chip.takes_part)
        recorder_->task(ChipId(c), t, chip.start, now);
  }
}

std::string Machine::describe_deadlock() const {
  std::string text = "the program can never go on (" + std::to_string(unfinished_) + " unfinished steps of chips):";
  int shown = 0;
  for (const TaskState& state : tasks_) {
    if (!state.run) continue;
    const TaskRun& run = *state.run;
    for (std::uint32_t k = 0; k < run.counters() && shown < 8; ++k) {
      const Counter& c = counters_[run.first + k];
      if (!c.waiter) continue;
      const ChipId chip{k % run.chips};
      const std::uint32_t channel = k / run.chips;
      ++shown;
      text += "\n  chip " + fabric_.chip_name(chip) + " waits in step " + std::to_string(run.task + 1) + " for " +
              std::to_string(c.want) +
              (channel < run.channels()                  ? " arrivals on channel " + std::to_string(channel)
               : channel <= run.channels() + run.lanes() ? " of its own messages to leave"
                                                         : " chunks to be multiplied") +
              "; " + std::to_string(c.value) + " came";
    }
  }
  return text;
}

}  // namespace hopsim
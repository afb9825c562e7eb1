#include "sim/machine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

// Frames come from an arena and go with it, so promises' delete does nothing; g++ 12 takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace hopsim {
namespace {
constexpr std::size_t kFrameLines = 3;  // cache lines of a frame worth fetching ahead

// The dimension a route begins with: of those longer than 1 the `by`-th after `order`.
std::uint8_t rotated(const Shape& shape, std::uint32_t order, std::uint32_t by) {
  std::uint32_t d = order;
  for (;;) {
    while (shape.size[d % kMaxDimensions] == 1) ++d;
    if (by-- == 0) return static_cast<std::uint8_t>(d % kMaxDimensions);
    ++d;
  }
}

// Sizes come in steps of a quarter, or a program of many sizes would find none that fits among those given back.
std::uint32_t rounded(std::uint32_t n) {
  const std::uint32_t step = std::max(std::bit_floor(n) / 4, 1u);
  return (n + step - 1) / step * step;
}
}  // namespace

// Where the counters of one running task are: one channel of all chips lies together, as they are used together.
struct Machine::TaskRun {
  TaskRun(ArenaBlocks& blocks, std::uint32_t task_, const Schedule* schedule_, std::uint32_t chips_)
      : frames(blocks), task(task_), schedule(schedule_), chips(chips_) {}

  std::uint32_t channels() const { return schedule ? static_cast<std::uint32_t>(schedule->channels) : 0; }
  std::uint32_t lanes() const { return schedule ? static_cast<std::uint32_t>(schedule->lanes.size()) : 0; }
  CounterId channel(ChipId c, int channel) const {
    return CounterId(first + static_cast<std::uint32_t>(channel) * chips + index(c));
  }
  CounterId sent(ChipId c, std::uint32_t lane) const { return channel(c, static_cast<int>(channels() + lane)); }
  CounterId timer(ChipId c) const { return sent(c, lanes()); }  // launch, or the end of a computation
  std::uint32_t counters() const { return (channels() + lanes() + 1) * chips; }

  Arena frames;
  std::uint32_t task;
  const Schedule* schedule;
  std::uint32_t chips, first = 0;
  std::uint64_t messages = 0, hops = 0;
  Bytes bytes;
};

// What a device program knows of the chip it runs on.
struct Machine::Chip {
  Machine* machine;
  TaskRun* run;
  ChipId id;
  Coordinates at;
};

// Waits for n arrivals and takes them, as a DMA semaphore's wait does.
struct Machine::Take {
  Machine& machine;
  std::uint32_t counter, n;

  Take(const Chip& chip, CounterId c, std::uint32_t n_) : machine(*chip.machine), counter(index(c)), n(n_) {}
  bool await_ready() const { return machine.counters_[counter].value >= n; }
  void await_suspend(std::coroutine_handle<> h) const {
    Counter& c = machine.counters_[counter];
    c.waiter = h;
    c.want = n;
  }
  void await_resume() const { machine.counters_[counter].value -= n; }
};

struct Machine::DeviceProgram {
  struct promise_type {
    template <class... Args>
    static void* operator new(std::size_t n, const Chip& chip, const Args&...) {
      return chip.run->frames.take(n);
    }
    static void operator delete(void*, std::size_t) {}  // with the task's arena
    DeviceProgram get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
};

struct Machine::Stretch {
  Message message;
  CounterId wait = kNoCounter;
  std::uint32_t arrivals = 0;
  int end = 0;
};

// A passage of a lane.
struct Machine::PassageId {
  std::uint32_t phase = ~0u;
  int i = 0;
  friend bool operator==(PassageId, PassageId) = default;
};

// What lives across a wait lives in the coroutine's frame, and frames are what a big run touches most: this is a
// plain function to keep the rest out of it.
Machine::Stretch Machine::prepare(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  const TaskRun& run = *chip.run;
  const Lane& l = run.schedule->lanes[lane];
  const Lane::Placed& placed = l.phases[phase];
  const Passage p = placed.phase->passage(chip.at, i);
  Stretch s;
  s.wait = run.channel(chip.id, placed.first_channel + p.in.channel);
  s.arrivals = p.in.times * chip.machine->fabric_.routes;
  s.end = i + placed.phase->alike(chip.at, i, 1);
  if (!p.out) return s;
  const ChipId to = chip.machine->fabric_.shape.peer(chip.at, p.out.peer);
  s.message = {.from = chip.id,
               .to = to,
               .offset = p.out.peer,
               .bytes = l.atom.of(p.out.chunk.count),
               .arrived = run.channel(to, placed.first_channel + p.out.channel),
               .sent = kNoCounter,
               .position = {},
               .channel = l.sender_channel,
               .order = p.order,
               .polite = run.schedule->least_advanced_first};
  return s;
}

MessageLabel Machine::label(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  MessageLabel label{.task = chip.run->task,
                     .lane = lane,
                     .phase = phase,
                     .passage = static_cast<std::uint32_t>(i),
                     .op = Op::copy,
                     .chunk = {}};
  if (chip.machine->recorder_) {
    const Passage p = chip.run->schedule->lanes[lane].phases[phase].phase->passage(chip.at, i);
    label.op = p.op;
    label.chunk = p.out.chunk;
  }
  return label;
}

// The last one that sends something; none: no such phase.
Machine::PassageId Machine::last_sent(const Chip& chip, std::uint32_t lane) {
  const Lane& l = chip.run->schedule->lanes[lane];
  for (auto phase = static_cast<std::uint32_t>(l.phases.size()); phase-- > 0;)
    for (int i = l.phases[phase].phase->length(chip.at); i-- > 0;)
      if (l.phases[phase].phase->passage(chip.at, i).out) return {phase, i};
  return {};
}

// In as many messages as the fabric splits it into.
void Machine::post(const Chip& chip, Message& m, std::uint32_t lane, std::uint32_t phase, int i) {
  Machine& machine = *chip.machine;
  const Fabric& fabric = machine.fabric_;
  TaskRun& run = *chip.run;
  const auto passage = static_cast<std::uint32_t>(i);
  m.position = m.polite ? Position::least_advanced(run.task, lane, phase, passage)
                        : Position::fifo(run.task, lane, phase, passage);
  const std::uint8_t order = m.order;
  const Offset offset = m.offset;
  const Bytes whole = m.bytes;
  if (fabric.routes > 1) m.bytes = Bytes((whole.count() + fabric.routes - 1) / fabric.routes);
  for (std::uint32_t route = 0; route < fabric.routes; ++route) {
    m.offset = offset;
    if (fabric.routes > 1 && (fabric.grid() || fabric.ported)) m.order = rotated(fabric.shape, order, route);
    if (m.from != m.to || !m.offset.zero()) {  // tokens to oneself are none
      if (!fabric.grid() && (!fabric.ported || offset.names_node() || !fabric.whole_way(m.from, offset, m.order))) {
        m.offset = Offset::to_node(index(m.to));
        m.order = static_cast<std::uint8_t>(route % fabric.tables);
      }
      ++run.messages;
      run.hops += fabric.hops(m.from, m.to, m.offset, m.order);
      run.bytes += m.bytes;
    }
    machine.engine_.send(m, label(chip, lane, phase, i));
  }
  m.bytes = whole;
  m.offset = offset;
  m.order = order;
}

// A lane ends when all it takes has come and the last it sends has left the chip, as a DMA's buffer is busy until
// then.
Machine::DeviceProgram Machine::run_lane(Chip chip, std::uint32_t lane) {
  bool first = true;
  const PassageId last = last_sent(chip, lane);
  for (std::uint32_t phase = 0; phase < chip.run->schedule->lanes[lane].phases.size(); ++phase)
    for (int i = 0, n = chip.run->schedule->lanes[lane].phases[phase].phase->length(chip.at); i < n;)
      for (Stretch s = prepare(chip, lane, phase, i); i < s.end; ++i) {
        if (s.arrivals) {
          Take arrival(chip, s.wait, s.arrivals);
          co_await arrival;
        }
        const bool paced = chip.run->schedule->lanes[lane].paced;
        if (paced && !first && s.message.arrived != kNoCounter) {
          Take left(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
          co_await left;
        }
        if (s.message.arrived == kNoCounter) continue;
        first = false;
        s.message.sent = paced || last == PassageId{phase, i} ? chip.run->sent(chip.id, lane) : kNoCounter;
        post(chip, s.message, lane, phase, i);
      }
  if (!first) {
    Take left(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
    co_await left;
  }
  chip.machine->lane_finished(chip);
}

Machine::DeviceProgram Machine::after_launch(Chip chip) {
  Machine& m = *chip.machine;
  m.engine_.count_after(m.overheads_.launch, chip.run->timer(chip.id));
  Take launched(chip, chip.run->timer(chip.id), 1);
  co_await launched;
  auto& chips = chip.machine->launched_[chip.run->task];
  if (chips.empty()) chip.machine->launched_tasks_.push_back(chip.run->task);
  chips.push_back(chip.id);
}

Machine::DeviceProgram Machine::run_compute(Chip chip, Time busy) {
  const std::uint32_t task = chip.run->task;
  chip.machine->engine_.compute(chip.id, busy, Position::fifo(task, 0, 0, 0), chip.run->timer(chip.id), task);
  Take done(chip, chip.run->timer(chip.id), 1);
  co_await done;
  chip.machine->finish(chip.run->task, chip.id);
}

Machine::DeviceProgram Machine::run_host_load(Chip chip, Time time) {
  chip.machine->engine_.count_after(time, chip.run->timer(chip.id));
  Take done(chip, chip.run->timer(chip.id), 1);
  co_await done;
  chip.machine->finish(chip.run->task, chip.id);
}

Machine::Machine(const Fabric& fabric, Engine& engine, const Overheads& overheads, Recorder* recorder)
    : fabric_(fabric),
      engine_(engine),
      overheads_(overheads),
      recorder_(recorder),
      chips_(fabric.chips()),
      actors_(fabric.actors()) {}

Machine::~Machine() = default;

void Machine::run(const Program& program) {
  prepare(program);
  for (std::uint32_t t = 0; t < program.size(); ++t)
    if (program[t].after.empty())
      for (std::uint32_t c = 0; c < actors_; ++c) make_ready(t, ChipId(c));
  start_ready();
  engine_.run(*this);
  if (unfinished_ > 0) throw Deadlock(describe_deadlock());
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
    const auto* collective = std::get_if<CollectiveTask>(&(*program_)[task].work);
    run = std::make_unique<TaskRun>(blocks_, task, collective ? collective->schedule.get() : nullptr, actors_);
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
  const auto* collective = std::get_if<CollectiveTask>(&(*program_)[task].work);
  for (const ChipId c : chips) {
    PerChip& chip = per_chip(task, c);
    chip.start = engine_.now();
    chip.takes_part =
        index(c) < chips_ && (!collective || !collective->takes_part || collective->takes_part(fabric_.shape.at(c)));
    if (chip.takes_part) totals_[task].start = std::min(totals_[task].start, engine_.now());
  }
  const auto& work = (*program_)[task].work;
  if (std::holds_alternative<BarrierTask>(work)) {
    arrive(task, chips_among(chips, task));
  } else if (const auto* compute = std::get_if<ComputeTask>(&work)) {
    for (const ChipId c : chips_among(chips, task))
      run_compute({this, &run, c, fabric_.shape.at(c)},
                  compute->busy_of ? (*compute->busy_of)[index(c)] : compute->busy);
  } else if (const auto* load = std::get_if<HostLoadTask>(&work)) {
    for (const ChipId c : chips_among(chips, task)) run_host_load({this, &run, c, fabric_.shape.at(c)}, load->time);
  } else if (overheads_.launch > Time{}) {
    for (const ChipId c : chips) after_launch({this, &run, c, fabric_.shape.at(c)});
  } else {
    start_lanes(run, chips);
  }
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
  if (lanes == 0)
    for (const ChipId c : chips) finish(run.task, c);
  for (const ChipId c : chips) per_chip(run.task, c).lanes_left = lanes;
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (const ChipId c : chips) run_lane({this, &run, c, fabric_.shape.at(c)}, lane);
}

void Machine::lane_finished(const Chip& chip) {
  if (--per_chip(chip.run->task, chip.id).lanes_left == 0) finish(chip.run->task, chip.id);
}

void Machine::finish(std::uint32_t task, ChipId chip) {
  const Time now = engine_.now();
  --unfinished_;
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
              (channel < run.channels() ? " arrivals on channel " + std::to_string(channel)
                                        : " of its own messages to leave") +
              "; " + std::to_string(c.value) + " came";
    }
  }
  return text;
}

}  // namespace hopsim

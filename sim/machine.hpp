// Chips running a program on an engine. Device programs are coroutines that send, compute and wait on counters.
//
// They wait on one counter at a time and cannot poll (Kahn processes), so the order in which a chip's programs resume
// within an instant does not matter. One small coroutine per (chip, lane) executes any schedule.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/arena.hpp"
#include "sim/engine.hpp"
#include "sim/fabric.hpp"
#include "sim/program.hpp"

namespace hopsim {

// A program that can never go on. The message names chips and what they wait for.
struct Deadlock : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TaskTotals {
  Time start = Time::max();  // on the earliest chip that takes part
  Time end;                  // on the latest
  std::uint64_t messages = 0;
  std::uint64_t hops = 0;  // over all messages
  Bytes bytes;             // of the messages, each counted once
  // Of a run that was stopped: whether any chip had begun it, and whether all had ended it. What is unfinished ends
  // where the run stopped.
  bool started = true, finished = true;
};

class Machine final : public CounterSink {
 public:
  // Fabric, engine and recorder must outlive the machine.
  Machine(const Fabric&, Engine&, const Overheads&, Recorder* = nullptr);
  ~Machine();

  // Runs the program to its end, or until it is to stop: Stop::none where everything ended before. Throws Deadlock
  // when some chip can never go on.
  Stop run(const Program&, const RunControl& = {});
  const std::vector<TaskTotals>& totals() const { return totals_; }

  void count(std::span<const CounterId>) override;
  void expect(CounterId, bool near) override;

  // For device programs only.
  struct Take;
  struct Chip;
  struct DeviceProgram;

 private:
  struct Counter {
    std::uint32_t value = 0, want = 0;
    std::coroutine_handle<> waiter;
  };
  struct TaskRun;  // a task between its first start and its last end
  struct TaskState {
    std::uint32_t chips_left = 0, arrived = 0;  // arrived: at a barrier
    std::vector<std::uint32_t> before;          // successors to tell
    std::unique_ptr<TaskRun> run;
  };
  struct PerChip {                // of one task on one chip
    std::uint32_t waits_for = 0;  // tasks before it
    std::uint32_t lanes_left = 0;
    bool takes_part = true;
    bool started = false, ended = false;
    bool multiplies = false;  // a product that a collective feeds or that feeds it has not ended
    Time start;
  };

 public:
  // What each takes of memory, for estimates.
  static constexpr std::size_t kCounterBytes = sizeof(Counter), kPerChipBytes = sizeof(PerChip);

 private:
  struct Stretch;  // passages that are alike
  static Stretch prepare(const Chip&, std::uint32_t lane, std::uint32_t phase, int i);
  struct PassageId;
  static PassageId last_sent(const Chip&, std::uint32_t lane);
  static MessageLabel label(const Chip&, std::uint32_t lane, std::uint32_t phase, int i);
  static DeviceProgram run_lane(Chip chip, std::uint32_t lane);
  static DeviceProgram after_launch(Chip chip);
  using Feed = CollectiveMatmulTask::Feed;
  static void multiply(const Chip&, Bytes part, Time overhead, Position, CounterId done);
  static void multiply_arrival(const Chip&, std::uint32_t lane, std::uint32_t phase, int i);
  static std::uint32_t arrivals(const Chip&);
  static std::optional<Bytes> departure(const Chip&, std::uint32_t lane, std::uint32_t phase, int i);
  static DeviceProgram multiply_arrivals(Chip chip);
  static DeviceProgram multiply_departures(Chip chip);
  static DeviceProgram run_compute(Chip chip, Time busy);
  static DeviceProgram run_host_load(Chip chip, Time time);
  static void post(const Chip&, const Stretch&, std::uint32_t lane, std::uint32_t phase, int i);
  static void send(const Chip&, const Message&, std::uint32_t hops, std::uint32_t lane, std::uint32_t phase, int i);
  static std::uint32_t take_route(const Fabric&, Message&, std::uint32_t route);
  static void post_split(const Chip&, const Stretch&, std::uint32_t lane, std::uint32_t phase, int i);

  void prepare(const Program&);
  void count_one(CounterId);
  void make_ready(std::uint32_t task, ChipId);
  void start_ready();
  void start(std::uint32_t task, const std::vector<ChipId>&);
  void arrive(std::uint32_t task, const std::vector<ChipId>&);
  std::vector<ChipId> chips_among(const std::vector<ChipId>& actors, std::uint32_t task);
  void start_collective(TaskRun&, const std::vector<ChipId>&);
  void start_lanes(TaskRun&, const std::vector<ChipId>&);
  void communicates(std::uint32_t task, ChipId, bool begins);
  void lane_finished(const Chip&);
  void product_finished(const Chip&);
  void finish(std::uint32_t task, ChipId);
  void retire(std::uint32_t task);
  void leave_unfinished();
  TaskRun& running(std::uint32_t task);
  std::uint32_t take_counters(std::uint32_t n);
  PerChip& per_chip(std::uint32_t task, ChipId c) { return per_chip_[std::size_t{task} * actors_ + index(c)]; }
  std::string describe_deadlock() const;

  const Fabric& fabric_;
  Engine& engine_;
  const Overheads overheads_;
  Recorder* const recorder_;
  const std::uint32_t chips_, actors_;  // actors: chips, then switches that take part in collectives
  const Program* program_ = nullptr;
  ArenaBlocks blocks_;
  std::vector<Counter> counters_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> free_counters_;  // size, first
  std::vector<TaskState> tasks_;
  std::vector<PerChip> per_chip_;                      // [task][actor]
  std::vector<std::vector<ChipId>> ready_, launched_;  // [task]: chips that start it this instant
  std::vector<std::uint32_t> ready_tasks_, launched_tasks_, ended_tasks_;
  std::vector<TaskTotals> totals_;
  std::vector<std::uint32_t> collectives_;  // by chip: at work
  std::uint64_t unfinished_ = 0;            // (task, actor)
};

}  // namespace hopsim

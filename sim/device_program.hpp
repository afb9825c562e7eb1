// What the device programs of a machine share: the chip they run on, the counters of a running task, the wait for
// one. Inside of sim/ only.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/machine.hpp"

namespace hopsim {

inline Time busy_of(const ComputeTask& task, ChipId chip) {
  return task.busy_of ? (*task.busy_of)[index(chip)] : task.busy;
}

// Where the counters of one running task are: one channel of all chips lies together, as they are used together.
struct Machine::TaskRun {
  TaskRun(ArenaBlocks& blocks, std::uint32_t task_, const Task& work, std::uint32_t chips_)
      : frames(blocks), task(task_), product(std::get_if<CollectiveMatmulTask>(&work.work)), chips(chips_) {
    if (const CollectiveTask* c = collective_of(work)) schedule = c->schedule.get();
  }

  std::uint32_t channels() const { return schedule ? static_cast<std::uint32_t>(schedule->channels) : 0; }
  std::uint32_t lanes() const { return schedule ? static_cast<std::uint32_t>(schedule->lanes.size()) : 0; }
  CounterId channel(ChipId c, int channel) const {
    return CounterId(first + static_cast<std::uint32_t>(channel) * chips + index(c));
  }
  CounterId sent(ChipId c, std::uint32_t lane) const { return channel(c, static_cast<int>(channels() + lane)); }
  CounterId timer(ChipId c) const { return sent(c, lanes()); }  // launch, or the end of a computation
  // Of a product: chunks multiplied for a lane to send; and all that are multiplied.
  CounterId made(ChipId c, std::uint32_t lane) const {
    return channel(c, static_cast<int>(channels() + lanes() + 1 + lane));
  }
  CounterId multiplied(ChipId c) const { return made(c, lanes()); }
  std::uint32_t counters() const { return (channels() + lanes() + 1 + (product ? lanes() + 1 : 0)) * chips; }
  std::uint32_t phases() const {
    std::size_t most = 0;
    for (const Lane& l : schedule->lanes) most = std::max(most, l.phases.size());
    return static_cast<std::uint32_t>(most);
  }
  int longest(std::uint32_t phase, const Coordinates& at) const {
    int most = 0;
    for (const Lane& l : schedule->lanes)
      if (phase < l.phases.size()) most = std::max(most, l.phases[phase].phase->length(at));
    return most;
  }
  bool feeds(CollectiveMatmulTask::Feed f) const { return product && product->feed == f; }

  Arena frames;
  std::uint32_t task;
  const Schedule* schedule = nullptr;
  const CollectiveMatmulTask* product;
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

  bool feeds(CollectiveMatmulTask::Feed f) const {
    return run->feeds(f) && index(id) < machine->chips_;
  }  // no switch
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

// Passages of a lane that are alike: what is taken, then what is sent, of the next.
struct Machine::Stretch {
  Message message;  // none where `arrived` is no counter
  CounterId wait = kNoCounter;
  std::uint32_t arrivals = 0;
  int end = 0;
  std::uint32_t hops = 0;
  bool split = false;  // the fabric splits messages over several routes

  void advance() { message.position = message.position.next(message.polite); }
};

// A passage of a lane.
struct Machine::PassageId {
  std::uint32_t phase = ~0u;
  int i = 0;
  friend bool operator==(PassageId, PassageId) = default;
};

}  // namespace hopsim

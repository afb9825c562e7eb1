// What device programs may ask of an engine, and the one thing an engine tells them: "this counter, plus one".
//
// Counters count arrivals as the hardware's DMA semaphores do. That narrow interface carries every engine: the event
// engine (event_engine.hpp) and SimGrid's fluid network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/coordinates.hpp"
#include "sim/ids.hpp"
#include "sim/quantities.hpp"
#include "sim/recorder.hpp"
#include "sim/run_control.hpp"
#include "sim/units.hpp"

namespace hopsim {

// Where a message stands in its sender's program. It breaks ties, so it may hold nothing but what is local to the
// sender: then a folded run, or one that takes an instant's events in another order, gives the same times.
class Position {
 public:
  constexpr Position() = default;
  // First in, first out: passage by passage, then lane by lane.
  static constexpr Position fifo(std::uint32_t task, std::uint32_t lane, std::uint32_t phase, std::uint32_t passage) {
    return Position(std::uint64_t{passage} << 40 | std::uint64_t{lane} << 28 | std::uint64_t{phase} << 20 | task);
  }
  // The least advanced phase first, then lane by lane.
  static constexpr Position least_advanced(std::uint32_t task, std::uint32_t lane, std::uint32_t phase,
                                           std::uint32_t passage) {
    return Position(std::uint64_t{phase} << 56 | std::uint64_t{lane} << 44 | std::uint64_t{passage} << 20 | task);
  }
  static constexpr std::uint32_t kTasks = 1u << 20, kLanes = 1u << 12, kPhases = 1u << 8, kPassages = 1u << 24;

  // Of the passage after this one.
  [[nodiscard]] constexpr Position next(bool least_advanced) const {
    return Position(key_ + (std::uint64_t{1} << (least_advanced ? 20 : 40)));
  }

  friend constexpr auto operator<=>(Position, Position) = default;
  constexpr std::uint64_t key() const { return key_; }
  constexpr std::uint32_t task() const { return static_cast<std::uint32_t>(key_ % kTasks); }

 private:
  explicit constexpr Position(std::uint64_t key) : key_(key) {}
  std::uint64_t key_ = 0;
};

// What only a recorder reads of a message.
struct MessageLabel {
  std::uint32_t task = 0, lane = 0, phase = 0, passage = 0;
  Op op = Op::copy;
  Chunk chunk{};
};

struct Message {
  ChipId from{}, to{};
  Offset offset;                   // where `to` is, seen from `from`: on a grid it gives the route
  Bytes bytes;                     // 0 is a message too
  CounterId arrived = kNoCounter;  // raised when the tail arrives
  CounterId sent = kNoCounter;     // raised when the tail has left the first link
  Position position;
  std::uint32_t channel = 0;  // of the sender: where chunk overheads add up
  std::uint8_t order = 0;     // on a grid: the dimension its route begins with, cyclically from there; else its route
  bool polite = false;        // enters a link only when that is idle; of those waiting the first position goes
};

struct CounterSink {
  // One instant's counters, +1 for each time they stand here, in no order.
  virtual void count(std::span<const CounterId> counters) = 0;
  // A hint: the counter will be raised soon, or, `near`, very soon.
  virtual void expect(CounterId, bool /*near*/) {}

 protected:
  ~CounterSink() = default;
};

struct EngineTotals {
  std::uint64_t events = 0, messages = 0, link_hops = 0;
  Bytes link_bytes;               // summed over hops
  std::uint64_t fingerprint = 0;  // of all that occupied a link or a compute unit, and when; in no order
};

// Delays that do not depend on sizes. All 0 on an ideal machine. Switches have none.
struct Overheads {
  Time step;                  // before the head of each message enters its first link; occupies nothing
  Time chunk;                 // the same, but the sender's channel is held meanwhile and until the tail is out
  Time launch;                // before a collective's first message, on every chip; the machine applies it
  Time loop{};                // of the compute unit, before each chunk of a collective matmul but the chip's own
  Ratio compute_share{0, 1};  // of the compute unit that communication takes; see Engine::share_compute
  Time jitter{};              // on top of `step`, of each message another delay of up to this, evenly distributed
  std::uint64_t seed = 0;     // of the jitter; it depends on the message, not on when it is posted

  Time before(const Message& m) const { return jitter == Time{} ? step : jittered(m); }  // step and jitter

 private:
  Time jittered(const Message&) const;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Time now() const = 0;
  virtual void send(const Message&, const MessageLabel&) = 0;
  virtual void count_after(Time delay, CounterId) = 0;
  // Occupies the chip's compute unit, which takes its tasks in order, for `busy`; then raises `done`.
  virtual void compute(ChipId, Time busy, Position, CounterId done, std::uint32_t task) = 0;
  // While `shared`, the chip's compute unit works at 1 - Overheads::compute_share of its speed, as where collectives
  // run on the same cores. REQUIRES: the share is above 0.
  virtual void share_compute(ChipId, bool shared) = 0;
  // Until nothing is in flight, or until it is told to stop; then it cannot go on, and now() is when it stopped.
  // Throws std::overflow_error past Time::max().
  virtual Stop run(CounterSink&, const RunControl& = {}) = 0;
  virtual EngineTotals totals() const = 0;
  virtual std::vector<Time> link_busy() const = 0;  // by LinkId, until now()
};

}  // namespace hopsim

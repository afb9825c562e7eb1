// Drives an engine without a machine: posts messages and computations at chosen times and notes when each counter
// rises.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "sim/event_engine.hpp"
#include "topologies/grid.hpp"

namespace hopsim::testing {

using namespace hopsim::literals;

// 1 GB/s: a byte takes a nanosecond, so expected times can be read off sizes.
inline const LinkModel kByteANanosecond{1_GBps, 500_ns};

inline Fabric line_of(int n, const LinkModel& link = kByteANanosecond) {
  return freeze(grid(grid_shape({n}, {false}), link));
}

inline Link& link_from(Fabric& fabric, std::uint32_t chip, int dimension = 0, bool backwards = false) {
  return fabric.links[index(fabric.grid_link(Fabric::port(dimension, backwards), chip))];
}

class Posting final : public CounterSink {
 public:
  explicit Posting(const Fabric& fabric, const Overheads& overheads = {}, Recorder* recorder = nullptr,
                   Activity* activity = nullptr)
      : fabric_(fabric), engine(fabric, overheads, recorder, activity) {}

  // Returns what the message raises when it has arrived.
  CounterId send(Time when, std::uint32_t from, Offset way, Bytes bytes, Message m = {}) {
    m.from = ChipId{from};
    m.offset = way;
    m.to = fabric_.shape.peer(fabric_.shape.at(m.from), way);
    m.bytes = bytes;
    m.arrived = fresh();
    at(when, [this, m] { engine.send(m, {}); });
    return m.arrived;
  }
  CounterId compute(Time when, std::uint32_t chip, Time busy, Position position = {}) {
    const CounterId done = fresh();
    at(when, [this, chip, busy, position, done] { engine.compute(ChipId{chip}, busy, position, done, 0); });
    return done;
  }
  CounterId fresh() { return CounterId{next_++}; }
  void run() { engine.run(*this); }
  // When it rose; Time::max() if it never did or did so more than once.
  Time risen(CounterId c) const {
    const auto found = risen_.find(c);
    return found == risen_.end() || found->second.size() != 1 ? Time::max() : found->second[0];
  }
  void count(std::span<const CounterId> counters) override {
    for (const CounterId c : counters) {
      risen_[c].push_back(engine.now());
      if (const auto due = due_.find(c); due != due_.end()) due->second();
    }
  }

 private:
  // At time 0 too by way of the engine, as it is the instant's end that lets resources choose.
  void at(Time when, std::function<void()> what) {
    const CounterId timer = fresh();
    due_[timer] = std::move(what);
    engine.count_after(when, timer);
  }

  const Fabric& fabric_;
  std::uint32_t next_ = 0;
  std::map<CounterId, std::vector<Time>> risen_;
  std::map<CounterId, std::function<void()>> due_;

 public:
  EventEngine engine;
};

}  // namespace hopsim::testing

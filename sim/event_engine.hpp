// The event engine: directed links with virtual cut-through and unlimited buffers.
//
// At each link of its route a message starts at max(head arrival, link free), holds the link for bytes / bandwidth,
// and its head moves on after the latency. It is delivered when its tail arrives, and a tail never leaves a fast link
// before it has left the slow one upstream. So a 6-hop message pays 6 latencies and one serialisation.
//
// An instant is a set: everything due at t is delivered, programs resume and post, and only then does each resource
// (link, compute unit, channel) grant its requests, in the order (time posted, position, hop, port). No order of
// events within an instant can change the result.
//
// Cost: one event a hop and one a delivery. Memory grows with the messages in flight, not with messages sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/activity.hpp"
#include "sim/engine.hpp"
#include "sim/fabric.hpp"
#include "sim/instant_queue.hpp"

namespace hopsim {

class EventEngine final : public Engine {
 public:
  // The fabric must outlive the engine; so must the recorder and the activity, where given.
  EventEngine(const Fabric&, const Overheads&, Recorder* = nullptr, Activity* = nullptr);

  Time now() const override { return now_; }
  void send(const Message&, const MessageLabel&) override;
  void count_after(Time delay, CounterId counter) override {
    queue_.push(later(now_, delay), event(kCount, index(counter)));
  }
  void compute(ChipId, Time busy, Position, CounterId done, std::uint32_t task) override;
  void share_compute(ChipId, bool shared) override;
  Stop run(CounterSink&, const RunControl& = {}) override;
  EngineTotals totals() const override { return totals_; }
  std::vector<Time> link_busy() const override;

  // For tests: takes the events of every instant in another order. Results must not move.
  void shuffle_instants(std::uint64_t seed) { shuffle_ = seed; }

 private:
  enum Kind : std::uint64_t { kCount, kHead, kFree, kComputed };
  static constexpr std::uint32_t kNone = ~0u;

  // Anything that serves one request at a time: links, then compute units, then channels.
  struct Resource {
    Time free_at;
    Time busy;
    std::uint32_t to = kNone;     // node at the far end of a link
    std::uint32_t queue = kNone;  // requests of this instant, best first
    std::uint32_t last = kNone;   // of them
    std::uint16_t rate = 0;       // of a link: index into rates_
    bool dirty = false, armed = false;
  };
  struct Rate {
    Bandwidth bandwidth;
    Time latency;
    Bytes last_bytes;  // 0 at first, which take no time
    Time last_duration;
  };
  // A message from its posting until it has left its last link, or a task that wants a compute unit. One cache line.
  struct alignas(64) Flight {
    Time posted, tail;  // tail: when it is in at `at`; of a compute task, how long it takes
    Offset rest;        // what is left of the way; or the node it leads to, by the tables
    Bytes bytes;
    Position position;
    std::uint32_t arrived, sent, at, next, from;
    std::uint16_t hop;
    std::uint8_t port;  // on a grid: where it came in
    std::uint8_t order : 4;
    bool polite : 4;
  };
  // What few runs need of a flight: recorded ones, chunk overheads.
  struct Aside {
    std::uint32_t to = 0, channel = 0;
    Time delay;  // before the first link, after the channel's
    std::uint64_t serial = 0;
    MessageLabel label;
  };

  // A compute unit that communication takes a share of: what it is at, which may be slowed or sped up.
  struct SharedUnit {
    std::uint32_t flight = kNone;  // none: idle
    Time start, since, left;       // left: at full speed, from `since` on
    bool slowed = false;
  };

 public:
  // What each takes of memory, for estimates.
  static constexpr std::size_t kResourceBytes = sizeof(Resource), kFlightBytes = sizeof(Flight);

 private:
  static std::uint64_t event(Kind k, std::uint32_t i) { return k << 32 | i; }
  bool before(const Flight&, const Flight&) const;
  std::uint32_t take_flight();
  void release(std::uint32_t flight, Flight&);
  void send_token(const Message&);
  void send_delayed(const Message&, const MessageLabel&, std::uint32_t flight);
  std::uint32_t next_link(const Flight&) const;
  std::uint32_t channel_resource(ChipId, std::uint32_t channel);
  void request(std::uint32_t resource, std::uint32_t flight, Flight&);
  void queue_up(Resource&, std::uint32_t flight, Flight&);
  void arbitrate();
  void serve(std::uint32_t resource);
  void serve_link(std::uint32_t link);
  void grant_link(std::uint32_t id, Resource& link, std::uint32_t flight, Flight&);
  void grant_compute(std::uint32_t unit, std::uint32_t flight);
  void grant_channel(std::uint32_t channel, std::uint32_t flight);
  void plan_end(std::uint32_t chip);
  void end_computing(std::uint32_t chip);
  void make_dirty(std::uint32_t id, Resource&);
  bool moved_on(std::uint32_t id, const Resource& link, Flight&) const;
  Time duration(std::uint16_t rate, Bytes);
  void deliver(std::uint32_t flight, Flight&, ChipId to, Time arrives, Time least);
  void record_hop(std::uint32_t flight, std::uint32_t link, Time start, Time leaves, bool last);
  void expect(std::uint64_t event, bool near, CounterSink&) const;
  void shuffle();
  void leave_in_flight();

  const Fabric& fabric_;
  const Overheads overheads_;
  Recorder* const recorder_;
  Activity* const activity_;
  const bool keeps_asides_;
  const bool delays_;    // whether anything stands before a message's first link
  const bool by_ports_;  // whether offsets may be ways
  const std::uint32_t chips_, first_unit_, first_channel_;
  Time now_;
  InstantQueue queue_;
  std::vector<std::uint64_t> instant_;
  std::vector<Resource> resources_;
  std::vector<Rate> rates_;
  std::vector<std::uint32_t> dirty_;
  std::vector<CounterId> counted_;
  std::vector<Flight> flights_;
  std::vector<Aside> asides_;       // beside flights_, where keeps_asides_
  std::vector<SharedUnit> shared_;  // by chip, where communication takes compute; else none
  std::uint32_t free_flight_ = kNone;
  std::uint64_t in_flight_ = 0;
  std::optional<std::uint64_t> shuffle_;
  EngineTotals totals_;
};

}  // namespace hopsim

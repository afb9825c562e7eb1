// The same programs on SimGrid 3.32 (S4U): its fluid max-min network and its CPU model. An independent witness.
//
// What SimGrid decides: how fast each message goes, given all others on its links (model CM02, no cross traffic), how
// long computations take, and the order of events in time. A message is one flow, which holds all links of its route
// at once; a task is an Exec on the chip's host. Neither needs an actor.
//
// What is ours, because the programs' meaning depends on it:
// - A chip feeds its links in order: a link takes the next message once the one before has had time to leave it
//   (bytes / bandwidth); `sent` rises then. First come (ready, time posted, position), polite ones after all others.
//   Left to the fluid model, all that are posted would share the link, and all chunks would arrive with the last.
// - Latency: the sum over the route, paid before the flow as CM02 would, but on SimGrid's clock, not on its links.
//   CM02 weighs flows by latency, so that over three hops one gets a third of its one-hop neighbour's share, and
//   throttles long fat links (network/TCP-gamma). Links between chips do neither.
// - Overheads and timers are dates on SimGrid's clock. A compute unit takes its tasks one by one, in order.
//
// Where the two models agree. Messages that cross one link each (neighbours) never share one, and both engines give
// the same picoseconds; so they do for messages that meet no others. Where messages meet on a later link, the event
// engine serves them one after the other and they wait in unlimited buffers; here they go on side by side, each at
// one speed on all of its way, and waiting hides no latency. Three things follow:
// - In turn, the first to come is sent on while others wait; side by side all come last. Schedules that send on what
//   came (trees, doubling, rings over a detour) take up to 40 % longer; doubling once took 21 % less.
// - What shares a later link is slow on its first one, too, and what its chip feeds behind it waits: up to 31 %.
// - A flow begins after all latency of its way. So a message that is fed behind one with a longer way may overtake
//   and meets it on their first link: up to 47 %, where messages take less time than latencies differ by. To begin
//   flows at once and pay latency at their end was tried: scatters then agree, but AllToAlls, gathers and trees are
//   further apart (315 of the runs below by more than 10 %, not 277).
// scenarios/cross_check.hpp tells which of these a step may come to, tests/scenarios/engines_test.cpp has them all:
// of 5,500 runs of all algorithms on 38 small fabrics 277 differ by more than 10 %. Direct AllToAll takes longer than
// on the event engine, at 45 GB/s and 1 us a hop, by
//
//     block     ring of 8    3x3     5x5     8x8   4x4x4   4x4x8
//     4 KiB       6.7 %     2.1 %   5.4 %   12 %    12 %    13 %
//     64 KiB       19 %      37 %    20 %  5.1 %   5.6 %   2.6 %
//     1 MiB       1.3 %      23 %   7.7 %  0.3 %   0.4 %   0.2 %
//
// Recorded hops: each takes the time of the flow, earlier by the latencies still ahead. Those of flows that share a
// link overlap.
//
// Time: SimGrid's clock is a double in seconds; everything within one picosecond is one instant, rounded up. Past
// 2^53 ps (2.5 hours) it cannot tell picoseconds apart: std::overflow_error.
//
// SimGrid's engine is one a process: a second SimgridEngine throws std::logic_error, even after the first has gone
// (scenarios/own_process.hpp gives each run one of its own). Any fabric: grids by offset and order, networks by
// table. Cost: some microseconds a message, times the flows in flight that share links, directly or by way of others:
// on one core some 100,000 messages/s between neighbours of 64 chips, 30,000 of 512; direct AllToAll 3,000 on 64
// chips, a few hundred on 128 (scenarios/simgrid_cost.hpp).
#pragma once

#include <memory>
#include <vector>

#include "sim/activity.hpp"
#include "sim/engine.hpp"
#include "sim/fabric.hpp"

namespace hopsim {

class SimgridEngine final : public Engine {
 public:
  // The fabric must outlive the engine; so must the recorder and the activity, where given.
  SimgridEngine(const Fabric&, const Overheads&, Recorder* = nullptr, Activity* = nullptr);
  ~SimgridEngine() override;

  Time now() const override;
  void send(const Message&, const MessageLabel&) override;
  void count_after(Time delay, CounterId) override;
  void compute(ChipId, Time busy, Position, CounterId done, std::uint32_t task) override;
  void share_compute(ChipId, bool shared) override;
  Stop run(CounterSink&, const RunControl& = {}) override;
  EngineTotals totals() const override;
  std::vector<Time> link_busy() const override;

 private:
  class Simulation;  // keeps SimGrid's headers from all who include this one
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace hopsim

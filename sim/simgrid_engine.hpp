// The same programs on SimGrid 3.32 (S4U): its fluid max-min network and its CPU model. An independent witness.
//
// What SimGrid decides: how fast each message goes, given all others on its links (model CM02, no cross traffic), how
// long computations take, and the order of events in time. A message is one flow that holds all links of its route at
// once; a task is an Exec on the chip's host. Neither needs an actor.
//
// What is ours, because the programs' meaning depends on it:
// - A chip feeds each of its links one message at a time, in the order (ready, time posted, position), polite ones after
//   all others. The fluid model would let all that are posted share the link, so chunks would all arrive last.
// - Latency: the sum over the route, paid after the flow, so that a link takes its next message as soon as the flow
//   ends. (CM02 pays it before, and would throttle long fat links by network/TCP-gamma and weigh flows by latency.)
// - `sent` rises when the flow ends. Where nothing else crosses the route that is when the tail leaves the first link.
// - Overheads and timers are dates on SimGrid's clock; each compute unit takes its tasks in order.
//
// Where the two models agree and where they cannot. Messages that cross one link each (neighbours) never share one, and
// both engines give the same picoseconds. A lone message over several hops takes the same, too. Where a message meets
// others on a later link, the event engine serves them one after the other from unlimited buffers, while here they go
// on side by side, each holding its whole route: a flow slowed further on keeps its first link from its successors.
//
// Recorded hops: hop h of a flow from s to e is shown from s to e, both later by the latencies before it. Slices of
// flows that share a link overlap.
//
// Time: SimGrid's clock is a double in seconds; everything within one picosecond is one instant, rounded up. Past 2^53
// ps (2.5 hours) it cannot tell picoseconds apart: std::overflow_error.
//
// SimGrid's engine is one a process: a second SimgridEngine throws std::logic_error, even after the first has gone.
// Any fabric: grids by offset and order, networks by table. Cost: some microseconds a message, growing with the flows
// in flight that share links.
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
  void run(CounterSink&) override;
  EngineTotals totals() const override;
  std::vector<Time> link_busy() const override;

 private:
  class Simulation;                    // keeps SimGrid's headers from all who include this one
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace hopsim

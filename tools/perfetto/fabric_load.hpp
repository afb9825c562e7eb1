// How much every chip and the whole fabric has on the wire: links busy and bytes in flight, as functions of time.
//
// A link is busy while a message holds it, from the head's entering to the tail's leaving. Bytes count for the chip
// that sends them, from the message's posting to its delivery. Records may come in any order. What lies outside of
// the scope's window counts at its edges.
//
// Memory: some 16 MiB, less where chips are few, and 4 KiB a chip beyond 4096 that are shown: the more of them, the
// sooner their curves become coarser (see step_function.hpp), from 1024 changes a curve down to 64. Chips that have
// no curves of their own in the trace (those not shown, and all at detail `steps`) share some 256.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fabric.hpp"
#include "sim/recorder.hpp"
#include "tools/perfetto/step_function.hpp"
#include "tools/perfetto/trace_scope.hpp"

namespace hopsim::perfetto {

struct NodeLoad {
  std::uint32_t links = 0;  // that leave it
  StepFunction busy_links, bytes_in_flight;
  double posted = 0;  // bytes whose delivery has not been recorded

  explicit NodeLoad(std::size_t capacity) : busy_links(capacity), bytes_in_flight(capacity) {}
};

class FabricLoad {
 public:
  FabricLoad(const Fabric&, const TraceScope&);  // the fabric outlives it

  void hop(const HopRecord&);
  // The run ends at this instant: what is recorded from now on, and lies behind it, counts there.
  void stop_at(Time last) { window_ = window_.up_to(last); }
  void close();  // after the last record: of messages that were not delivered

  const NodeLoad* node(std::uint32_t) const;  // null: it has none of its own
  NodeLoad total() const;

 private:
  NodeLoad& load(std::uint32_t node) { return loads_[place_[node]]; }

  const Fabric& fabric_;
  Window window_;
  std::uint32_t own_ = 0;  // loads that are of one node
  std::vector<std::uint32_t> place_;
  std::vector<NodeLoad> loads_;
};

}  // namespace hopsim::perfetto

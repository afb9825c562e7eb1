// How much every chip and the whole fabric has on the wire: links busy and bytes in flight, as functions of time.
//
// A link is busy while a message holds it, from the head's entering to the tail's leaving. Bytes count for the chip
// that sends them, from the message's posting to its delivery. Records may come in any order.
//
// Memory: some 16 MiB, less where chips are few, and 4 KiB a chip beyond 4096 of them: the more chips, the sooner
// their curves become coarser (see step_function.hpp), from 1024 changes a curve down to 64.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fabric.hpp"
#include "sim/recorder.hpp"
#include "tools/perfetto/step_function.hpp"

namespace hopsim::perfetto {

struct NodeLoad {
  std::uint32_t links = 0;  // that leave it
  StepFunction busy_links, bytes_in_flight;

  explicit NodeLoad(std::size_t capacity) : busy_links(capacity), bytes_in_flight(capacity) {}
};

class FabricLoad {
 public:
  explicit FabricLoad(const Fabric&);  // which outlives it

  void hop(const HopRecord&);

  const std::vector<NodeLoad>& nodes() const { return nodes_; }
  NodeLoad total() const;

 private:
  const Fabric& fabric_;
  std::vector<NodeLoad> nodes_;
};

}  // namespace hopsim::perfetto

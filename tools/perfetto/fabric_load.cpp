#include "tools/perfetto/fabric_load.hpp"

#include <algorithm>

#include "tools/perfetto/span.hpp"

namespace hopsim::perfetto {

namespace {

constexpr std::size_t kMost = 1024, kLeast = 64, kOfAllNodes = std::size_t{1} << 18;  // changes a curve
constexpr std::size_t kTotal = 4096;

std::size_t capacity(std::uint32_t nodes) { return std::clamp(kOfAllNodes / std::max(nodes, 1u), kLeast, kMost); }

}  // namespace

FabricLoad::FabricLoad(const Fabric& fabric)
    : fabric_(fabric), nodes_(fabric.nodes, NodeLoad(capacity(fabric.nodes))) {
  for (const Link& link : fabric.links)
    if (link.exists()) ++nodes_[link.from].links;
}

void FabricLoad::hop(const HopRecord& h) {
  StepFunction& busy = nodes_[fabric_.links[index(h.link)].from].busy_links;
  busy.change(nanoseconds(h.start), 1);
  busy.change(nanoseconds(h.end), -1);
  const auto bytes = static_cast<double>(h.bytes.count());
  StepFunction& in_flight = nodes_[index(h.from)].bytes_in_flight;
  if (h.hop == 0) in_flight.change(nanoseconds(h.posted), bytes);
  if (h.last) in_flight.change(nanoseconds(h.delivered), -bytes);
}

NodeLoad FabricLoad::total() const {
  NodeLoad total(kTotal);
  for (const NodeLoad& node : nodes_) {
    total.links += node.links;
    total.busy_links.add(node.busy_links);
    total.bytes_in_flight.add(node.bytes_in_flight);
  }
  return total;
}

}  // namespace hopsim::perfetto

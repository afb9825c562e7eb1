#include "tools/perfetto/fabric_load.hpp"

#include <algorithm>
#include <utility>

#include "tools/perfetto/span.hpp"

namespace hopsim::perfetto {

namespace {

constexpr std::size_t kMost = 1024, kLeast = 64, kOfAllNodes = std::size_t{1} << 18;  // changes a curve
constexpr std::size_t kTotal = 4096;
constexpr std::uint32_t kShared = 256;

std::size_t capacity(std::size_t loads) {
  return std::clamp(kOfAllNodes / std::max(loads, std::size_t{1}), kLeast, kMost);
}

}  // namespace

// Switches among chips that are chosen have curves of their own: they pass what shown chips send and what others do.
FabricLoad::FabricLoad(const Fabric& fabric, const TraceScope& scope) : fabric_(fabric), window_(scope.window) {
  const auto own = [&](std::uint32_t node) {
    return scope.detail != Detail::steps && (node >= fabric.chips() || scope.shows(ChipId(node)));
  };
  for (std::uint32_t node = 0; node < fabric.nodes; ++node) place_.push_back(own(node) ? own_++ : ~0u);
  const std::uint32_t others = fabric.nodes - own_;
  for (std::uint32_t node = 0, k = 0; node < fabric.nodes; ++node)
    if (place_[node] == ~0u) place_[node] = own_ + k++ % kShared;
  const std::size_t loads = own_ + std::min(others, kShared);
  loads_.assign(loads, NodeLoad(capacity(loads)));
  for (const Link& link : fabric.links)
    if (link.exists()) ++load(link.from).links;
}

void FabricLoad::hop(const HopRecord& h) {
  StepFunction& busy = load(fabric_.links[index(h.link)].from).busy_links;
  busy.change(nanoseconds(window_.cut(h.start)), 1);
  busy.change(nanoseconds(window_.cut(h.end)), -1);
  const auto bytes = static_cast<double>(h.bytes.count());
  NodeLoad& sender = load(index(h.from));
  if (h.hop == 0) {
    sender.posted += bytes;
    sender.bytes_in_flight.change(nanoseconds(window_.cut(h.posted)), bytes);
  }
  if (h.last) {
    sender.posted -= bytes;
    sender.bytes_in_flight.change(nanoseconds(window_.cut(h.delivered)), -bytes);
  }
}

void FabricLoad::close() {
  if (window_.end == Time::max()) return;
  for (NodeLoad& load : loads_) load.bytes_in_flight.change(nanoseconds(window_.end), -std::exchange(load.posted, 0));
}

const NodeLoad* FabricLoad::node(std::uint32_t node) const {
  return place_[node] < own_ ? &loads_[place_[node]] : nullptr;
}

NodeLoad FabricLoad::total() const {
  NodeLoad total(kTotal);
  for (const NodeLoad& load : loads_) {
    total.links += load.links;
    total.busy_links.add(load.busy_links);
    total.bytes_in_flight.add(load.bytes_in_flight);
  }
  return total;
}

}  // namespace hopsim::perfetto

#include "tools/report/fabric.hpp"

#include <string>
#include <utility>

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

Json node_json(const Fabric& fabric, std::uint32_t node, bool grid) {
  if (node >= fabric.chips())
    return {{"name", "switch " + std::to_string(node - fabric.chips())}, {"chip", false}, {"at", nullptr}};
  const ChipId chip{node};
  Json at;
  if (grid) {
    const Coordinates place = fabric.shape.at(chip);
    at = Json::array();
    for (int d = 0; d < fabric.shape.dimensions; ++d) at.push_back(place[d]);
  }
  return {{"name", fabric.chip_name(chip)}, {"chip", true}, {"at", std::move(at)}};
}

// Whether a link of a box leads round from one end of it to the other.
bool wraps(const Fabric& fabric, LinkId link) {
  if (!fabric.has_port(link)) return false;
  const int port = static_cast<int>(index(link) / fabric.chips());
  const int d = port / 2;
  const int at = fabric.shape.at(ChipId(index(link) % fabric.chips()))[d];
  return port == Fabric::port(d, false) ? at == fabric.shape.size[d] - 1 : at == 0;
}

bool is_drawn(const Fabric& fabric) { return fabric.chips() <= kMostDrawnChips; }

Json nodes_json(const Fabric& fabric, bool grid) {
  Json nodes = Json::array();
  for (std::uint32_t n = 0; n < fabric.nodes && is_drawn(fabric); ++n) nodes.push_back(node_json(fabric, n, grid));
  return nodes;
}

Json links_json(const Fabric& fabric, const RunResult& result) {
  Json from = Json::array(), to = Json::array(), name = Json::array(), share = Json::array(), busy = Json::array(),
       around = Json::array();
  for (std::uint32_t l = 0; l < fabric.links.size() && is_drawn(fabric); ++l) {
    const Link& link = fabric.links[l];
    if (!link.exists()) continue;
    const double seconds = result.link_busy[l].seconds();
    from.push_back(link.from);
    to.push_back(link.to);
    name.push_back(fabric.link_name(LinkId(l)));
    share.push_back(seconds / result.time.seconds());
    busy.push_back(seconds);
    around.push_back(wraps(fabric, LinkId(l)));
  }
  return {{"from", std::move(from)},         {"to", std::move(to)},       {"name", std::move(name)},
          {"utilization", std::move(share)}, {"busy_s", std::move(busy)}, {"wraps", std::move(around)}};
}

}  // namespace

Json fabric_json(const MachineModel& machine, const RunResult& result) {
  if (result.link_busy.empty() || result.time == Time{}) return nullptr;
  const Fabric& fabric = machine.fabric();
  const bool grid = machine.wires == Wires::grid;
  Json shape = Json::array(), wrap = Json::array();
  for (int d = 0; d < fabric.shape.dimensions; ++d) {
    shape.push_back(fabric.shape.size[d]);
    wrap.push_back(fabric.shape.wrap[d] || fabric.shape.twisted(d));
  }
  return {{"kind", grid ? "grid" : "network"},
          {"shape", std::move(shape)},
          {"wrap", std::move(wrap)},
          {"twisted", fabric.shape.any_twist()},
          {"nodes", nodes_json(fabric, grid)},
          {"links", links_json(fabric, result)},
          {"left_out", is_drawn(fabric) ? 0 : fabric.existing_links()}};
}

}  // namespace hopsim

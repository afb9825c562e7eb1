#include "tools/show_machine.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "scenarios/machine.hpp"
#include "sim/units.hpp"
#include "tools/report.hpp"
#include "tools/table.hpp"
#include "topologies/graph_facts.hpp"
#include "topologies/graphml.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;
using enum Table::Align;

// What several chips have together.
Json totals(const ChipModel& chip, std::uint64_t chips) {
  const auto n = static_cast<double>(chips);
  Json j{{"chips", chips}};
  if (const auto* torus = std::get_if<TorusFabric>(&chip.fabric);
      torus != nullptr && torus->chips_per_host.value > 0) {
    const auto per_host = static_cast<std::uint64_t>(torus->chips_per_host.value);
    j["hosts"] = (chips + per_host - 1) / per_host;
  }
  Json flops = Json::object();
  for (const auto& [dtype, rate] : chip.peak_flops)
    flops[dtype] = static_cast<double>(rate.value.flops_per_second()) * n;
  j["flops_per_s"] = flops;
  j["hbm_bytes"] = chips * chip.hbm_capacity.value.count();
  j["hbm_Bps"] = static_cast<double>(chip.hbm_bandwidth.value.bytes_per_second()) * n;
  return j;
}

// Beyond FlopRate's 18 EFLOP/s too.
std::string flop_rate(double rate) {
  constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
  if (rate < 1e15) {
    std::size_t p = 0;
    for (; rate >= 1e3 && p + 1 < kPrefixes.size(); ++p) rate /= 1e3;
    return fmt::format("{:.5g} {}FLOP/s", rate, kPrefixes[p]);
  }
  return rate < 1e18 ? fmt::format("{:.5g} PFLOP/s", rate / 1e15) : fmt::format("{:.5g} EFLOP/s", rate / 1e18);
}

std::string totals_text(const Json& j) {
  std::string text = fmt::format("{} chips", j["chips"].get<std::uint64_t>());
  if (j.contains("hosts")) text += fmt::format(", {} hosts", j["hosts"].get<std::uint64_t>());
  for (const auto& [dtype, rate] : j["flops_per_s"].items())
    text += fmt::format(", {} {}", flop_rate(rate.get<double>()), dtype);
  if (j["hbm_bytes"].get<std::uint64_t>() > 0)
    text += fmt::format(", {} of HBM at {}", format_bytes(Bytes(j["hbm_bytes"].get<std::uint64_t>())),
                        format_bytes_per_second(j["hbm_Bps"].get<double>()));
  return text;
}

MachineModel machine_of(const std::string& spec, const std::vector<std::string>& sets, bool ideal) {
  Document document = empty_document("show");
  replace_machine(document, machine_from_spec(spec, "show"));
  if (ideal) apply_set(document, "machine.ideal=true");
  for (const std::string& set : sets) apply_set(document, set);
  return build_machine(load_machine(document.root.items.front()));
}

// The line rate as KEY_Bps, what is payload of it as KEY_payload_Bps.
void add_link(Json& j, const std::string& key, const char* latency_key, const LinkModel& line,
              const LinkModel& real) {
  j[key + "_Bps"] = line.bandwidth.bytes_per_second();
  j[key + "_payload_Bps"] = real.bandwidth.bytes_per_second();
  j[latency_key] = real.latency.seconds();
}

Json bisection_json(const Fabric& fabric) {
  const auto cut = bisection(fabric);
  return cut ? Json(cut->bytes_per_second()) : Json(nullptr);
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

Json chip_json(const ChipModel& chip) {
  Json numbers = Json::array();
  for (const CatalogueNumber& n : chip.numbers)
    numbers.push_back({{"key", n.key}, {"value", n.text}, {"source", one_line(n.source)}});
  Json j{{"kind", "chip"},
         {"name", chip.name},
         {"description", chip.description},
         {"vendor", chip.vendor},
         {"numbers", numbers}};
  if (const GpuFabric* gpu = gpu_fabric(chip)) {
    j["domain"] = {{"chips", gpu->gpus_per_domain.value}, {"wiring", name(gpu->wiring)}};
    j["domain"].update(totals(chip, static_cast<std::uint64_t>(gpu->gpus_per_domain.value)));
  } else {
    const auto* torus = &torus_fabric(chip);
    j["pod"] = {{"shape", torus->pod_shape.value}};
    j["pod"].update(totals(chip, pod_chips(chip)));
  }
  return j;
}

std::string chip_text(const Json& j) {
  Table table({{"number", left}, {"value", left}, {"source", left}});
  for (const Json& n : j["numbers"]) table.add({n["key"], n["value"], n["source"]});
  std::string text = fmt::format("{}: {}, {}\n\n{}", j["name"].get<std::string>(),
                                 j["description"].get<std::string>(), j["vendor"].get<std::string>(), table.text());
  text += "\nRates are per chip; link, NIC, DCN and PCIe bandwidth one way.\n";
  if (j.contains("domain")) {
    const std::string wiring = j["domain"]["wiring"];
    const std::string link = wiring == "switched"          ? "all links of a chip together, into a switch"
                             : wiring == "fully_connected" ? "between two chips, all their links together"
                                                           : "one NVLink; one or two lead to each of four others";
    return text + fmt::format("link_bandwidth is {}\na whole domain: {}\n", link, totals_text(j["domain"]));
  }
  std::string shape;
  for (const Json& n : j["pod"]["shape"]) shape += (shape.empty() ? "" : "x") + n.dump();
  return text + fmt::format("a whole pod, {}: {}\n", shape, totals_text(j["pod"]));
}

Json machine_facts_json(const std::string& spec, const std::vector<std::string>& sets) {
  const MachineModel line_rate = machine_of(spec, sets, true), m = machine_of(spec, sets, false);
  Json dimensions = Json::array(), wrap = Json::array();
  for (int d = 0; d < m.shape.dimensions; ++d) {
    dimensions.push_back(m.shape.size[d]);
    wrap.push_back(m.shape.wrap[d] || m.shape.twisted(d));
  }
  Json j{{"kind", "machine"}, {"name", spec}, {"about", describe(m)}, {"dimensions", dimensions}, {"wrap", wrap}};
  j["twisted"] = m.shape.any_twist();
  j["chip"] = m.chip.name.empty() ? Json(nullptr) : Json(m.chip.name);
  j["nodes"] = m.domains();
  j["chips_per_node"] = m.domain;
  j["switches"] = m.fabric().nodes - m.fabric().chips();
  j["nvls"] = m.nvls;
  j["links"] = m.graph->links();
  add_link(j, "link", "hop_latency_s", line_rate.link, m.link);
  j["nic_Bps"] = j["nic_payload_Bps"] = j["nic_latency_s"] = nullptr;
  if (m.nic) add_link(j, "nic", "nic_latency_s", *line_rate.nic, *m.nic);
  const HopCounts hops = hop_counts(m.fabric());
  j["diameter_hops"] = hops.diameter;
  j["mean_hops"] = hops.mean;
  j["bisection_Bps"] = bisection_json(line_rate.fabric());
  j["bisection_payload_Bps"] = bisection_json(m.fabric());
  j["totals"] = totals(m.chip, m.shape.logical_chips());
  j["warnings"] = m.warnings;
  return j;
}

std::string machine_facts_text(const Json& j) {
  Table table({{"", left}, {"", left}});
  const auto rate = [&](const std::string& key) {
    const std::string payload = key + "_payload_Bps", line = key + "_Bps";
    if (j[line].is_null()) return std::string("-");
    std::string text = format_bytes_per_second(j[line].get<double>()) + " one way";
    if (j[line] != j[payload]) text += ", " + format_bytes_per_second(j[payload].get<double>()) + " of it payload";
    return text;
  };
  const auto time = [&](const char* key) { return format_seconds(j[key].get<double>()); };
  const auto switches = j["switches"].get<std::uint64_t>();
  std::string joined =
      fmt::format("{}, each {}; {} a hop", j["links"].get<std::uint64_t>(), rate("link"), time("hop_latency_s"));
  if (!j["nic_Bps"].is_null())
    joined = fmt::format("{}; within a node {}, {} a hop", j["links"].get<std::uint64_t>(), rate("link"),
                         time("hop_latency_s"));
  table.add({"links", joined});
  if (!j["nic_Bps"].is_null())
    table.add({"nodes", fmt::format("{} of {} chips, each chip with {} to the others; {} a hop",
                                    j["nodes"].get<std::uint64_t>(), j["chips_per_node"].get<std::uint64_t>(),
                                    rate("nic"), time("nic_latency_s"))});
  if (switches > 0)
    table.add({"switches", fmt::format("{}{}", switches, j["nvls"] ? "; those of nodes reduce and multicast" : "")});
  table.add({"diameter", fmt::format("{} hop{}; {:.4g} on average", j["diameter_hops"].get<int>(),
                                     j["diameter_hops"] == 1 ? "" : "s", j["mean_hops"].get<double>())});
  table.add({"bisection", rate("bisection") + ", across the narrowest cut of a dimension into halves"});
  table.add({"together", totals_text(j["totals"])});
  std::string text = j["about"].get<std::string>() + "\n" + table.text();
  for (const Json& warning : j["warnings"]) text += "note: " + warning.get<std::string>() + '\n';
  return text;
}

std::string machine_graph(const std::string& spec, const std::vector<std::string>& sets, GraphFormat format) {
  const MachineModel m = machine_of(spec, sets, false);
  std::ostringstream text;
  format == GraphFormat::dot ? write_dot(text, m.graph->topology()) : write_graphml(text, m.graph->topology());
  return text.str();
}

}  // namespace hopsim

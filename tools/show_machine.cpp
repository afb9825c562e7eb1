#include "tools/show_machine.hpp"

#include <fmt/format.h>

#include <array>

#include "scenarios/machine.hpp"
#include "sim/units.hpp"
#include "tools/machine_facts.hpp"
#include "tools/report.hpp"
#include "tools/table.hpp"

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

MachineModel machine_after(Document document, const std::vector<std::string>& sets, bool ideal) {
  if (ideal) apply_set(document, "machine.ideal=true");
  for (const std::string& set : sets) apply_set(document, set);
  return build_machine(load_machine(document.root.items.front()));
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
  if (const auto* torus = std::get_if<TorusFabric>(&chip.fabric)) {
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
  text += "\nRates are per chip; link, DCN and PCIe bandwidth one way.\n";
  if (!j.contains("pod")) return text;
  std::string shape;
  for (const Json& n : j["pod"]["shape"]) shape += (shape.empty() ? "" : "x") + n.dump();
  return text + fmt::format("a whole pod, {}: {}\n", shape, totals_text(j["pod"]));
}

Json machine_facts_json(const std::string& spec, const std::vector<std::string>& sets) {
  Document document = empty_document("show");
  replace_machine(document, machine_from_spec(spec, "show"));
  const MachineModel line_rate = machine_after(document, sets, true), m = machine_after(document, sets, false);
  Json dimensions = Json::array(), wrap = Json::array();
  for (int d = 0; d < m.shape.dimensions; ++d) {
    dimensions.push_back(m.shape.size[d]);
    wrap.push_back(m.shape.wrap[d]);
  }
  Json j{{"kind", "machine"}, {"name", spec}, {"about", describe(m)}, {"dimensions", dimensions}, {"wrap", wrap}};
  j["chip"] = m.chip.name.empty() ? Json(nullptr) : Json(m.chip.name);
  j["links"] = m.fabric.existing_links();
  j["link_Bps"] = line_rate.link.bandwidth.bytes_per_second();
  j["link_payload_Bps"] = m.link.bandwidth.bytes_per_second();
  j["hop_latency_s"] = m.link.latency.seconds();
  j["diameter_hops"] = diameter(m.fabric);
  j["bisection_Bps"] = bisection_json(line_rate.fabric);
  j["bisection_payload_Bps"] = bisection_json(m.fabric);
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
  table.add({"links", fmt::format("{}, each {}; {} a hop", j["links"].get<std::uint64_t>(), rate("link"),
                                  format_seconds(j["hop_latency_s"].get<double>()))});
  table.add({"diameter", fmt::format("{} hops", j["diameter_hops"].get<int>())});
  table.add({"bisection", rate("bisection") + ", across the narrowest cut of a dimension into halves"});
  table.add({"together", totals_text(j["totals"])});
  std::string text = j["about"].get<std::string>() + "\n" + table.text();
  for (const Json& warning : j["warnings"]) text += "note: " + warning.get<std::string>() + '\n';
  return text;
}

}  // namespace hopsim

#include "tools/inventory.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "collectives/algorithm.hpp"
#include "scenarios/document.hpp"
#include "scenarios/machine.hpp"
#include "sim/error.hpp"
#include "tools/collective_rows.hpp"

namespace hopsim {
namespace {

constexpr std::array kTopologies{
    TopologyEntry{"ring", "one dimension that wraps around", "ring:8,bw=45GB/s,lat=1us"},
    TopologyEntry{"line", "one dimension that does not", "line:8,bw=45GB/s,lat=1us"},
    TopologyEntry{"torus", "1 to 4 dimensions that wrap around", "torus:4x4,bw=45GB/s,lat=1us"},
    TopologyEntry{"mesh", "1 to 4 dimensions that do not", "mesh:4x4,bw=45GB/s,lat=1us"},
    TopologyEntry{"twisted_torus", "k x k x 2k or k x 2k x 2k, short wraps shifted",
                  "twisted_torus:3x3x6,bw=45GB/s,lat=1us"},
    TopologyEntry{"fully_connected", "a link between any two chips", "fully_connected:8,bw=45GB/s,lat=1us"},
    TopologyEntry{"switch", "every chip on one switch", "switch:8,bw=450GB/s,lat=1us"},
};

// Machines of the catalogue where algorithms run that no bare topology does.
constexpr std::array kMachines{
    TopologyEntry{"NVLS node", "GPUs on a switch that reduces", "h100_sxm:8"},
    TopologyEntry{"nodes of GPUs", "with a NIC a GPU", "h100_sxm:2x8"},
};

constexpr std::array kCollectives{
    CollectiveEntry{Operation::all_gather, "every chip gets the shards of all", "the gathered array"},
    CollectiveEntry{Operation::reduce_scatter, "sums arrays; every chip keeps its shard of the sum",
                    "the full-size array each chip holds"},
    CollectiveEntry{Operation::all_reduce, "sums arrays; every chip gets the sum",
                    "the full-size array each chip holds"},
    CollectiveEntry{Operation::all_to_all, "every chip sends each other one its block",
                    "the array spread over all chips of the group"},
    CollectiveEntry{Operation::broadcast, "the root's array goes to all", "the array"},
    CollectiveEntry{Operation::reduce, "sums arrays at the root", "the array"},
    CollectiveEntry{Operation::gather, "the root gets the shards of all", "the whole array at the root"},
    CollectiveEntry{Operation::scatter, "the root hands out the shards of its array", "the whole array at the root"},
    CollectiveEntry{Operation::collective_permute, "every chip sends to one and receives from one",
                    "what each sender sends"},
    CollectiveEntry{Operation::send_recv, "one chip sends to another; here, each to the next",
                    "what each sender sends"},
};

bool can_be_built(const TopologyEntry& topology) {
  try {
    Document document = empty_document("example");
    replace_machine(document, machine_from_spec(topology.example));
    build_machine(load_machine(document.root.items.front()));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// The comment at the top, up to its first empty line.
std::string about(std::string_view text) {
  constexpr std::string_view kEditorLine = "yaml-language-server";
  std::string about;
  while (text.starts_with('#')) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(1, end - 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with(kEditorLine)) continue;
    if (line.empty()) break;
    about.append(about.empty() ? "" : " ").append(line);
  }
  return about;
}

std::string name_in(const EmbeddedFile& file) {
  const Document document = parse_document(file.text, std::string(file.name));
  if (const YamlValue* name = document.root.is_map() ? document.root.find("name") : nullptr) return name->text;
  const std::size_t slash = file.name.rfind('/') + 1;
  return std::string(file.name.substr(slash, file.name.rfind('.') - slash));
}

}  // namespace

std::vector<TopologyEntry> known_topologies() {
  std::vector<TopologyEntry> known;
  std::copy_if(kTopologies.begin(), kTopologies.end(), std::back_inserter(known), can_be_built);
  return known;
}

std::span<const CollectiveEntry> known_collectives() { return kCollectives; }

std::vector<Runs> runs_of(std::string_view algorithm) {
  std::vector<Runs> runs;
  std::vector<TopologyEntry> fabrics = known_topologies();
  fabrics.insert(fabrics.end(), kMachines.begin(), kMachines.end());
  for (const TopologyEntry& topology : fabrics)
    for (const CollectiveEntry& collective : kCollectives) {
      CollectiveArguments arguments;
      arguments.operations = {std::string(name(collective.operation))};
      arguments.algorithm = std::string(algorithm);
      arguments.bytes = "1MiB";
      arguments.flags.machine = topology.example;
      try {
        const CollectiveRows planned = plan_rows(arguments);
        const ClosedForm& form = planned.rows.front().step().formula;
        runs.push_back({collective.operation, topology.name, topology.example, form.formula, form.hops});
      } catch (const InputError&) {  // it does not
      }
    }
  return runs;
}

std::vector<ShippedScenario> shipped_scenarios() {
  std::vector<ShippedScenario> all;
  for (const EmbeddedFile& file : scenario_files())
    all.push_back({.name = name_in(file), .about = about(file.text), .file = file.name, .text = file.text});
  return all;
}

}  // namespace hopsim

#include "tools/show_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "collectives/algorithm.hpp"
#include "scenarios/fields.hpp"
#include "sim/version.hpp"
#include "tools/inventory.hpp"
#include "tools/output_file.hpp"
#include "tools/result_files.hpp"
#include "tools/show_machine.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;
using enum Table::Align;

struct Entry {
  Json json;
  std::string text;
};

std::string operations_text(const Json& runs) {
  Table table({{"does", left}, {"on", left}, {"such as", left}, {"closed form", left}, {"hops"}});
  for (const Json& r : runs) table.add({r["op"], r["on"], r["machine"], r["closed_form"], r["hops"].dump()});
  return table.text();
}

Json runs_json(std::string_view algorithm) {
  Json runs = Json::array();
  for (const Runs& r : runs_of(algorithm))
    runs.push_back({{"op", name(r.operation)},
                    {"on", r.topology},
                    {"machine", r.machine},
                    {"closed_form", r.formula},
                    {"hops", r.hops}});
  return runs;
}

Entry algorithm_entry(const Algorithm& a) {
  const Json runs = runs_json(a.name);
  return {{{"kind", "algorithm"}, {"name", a.name}, {"about", a.summary}, {"source", a.source}, {"runs", runs}},
          fmt::format("{} (an algorithm): {}\nsource: {}\n\n{}\nV: bytes of the whole array; N: chips; W: bandwidth "
                      "of a link, both ways together\n",
                      a.name, a.summary, a.source, operations_text(runs))};
}

Entry topology_entry(const TopologyEntry& t) {
  return {{{"kind", "topology"}, {"name", t.name}, {"about", t.about}, {"example", t.example}},
          fmt::format("{} (a topology): {}\nas a machine: {}\n", t.name, t.about, t.example)};
}

Entry collective_entry(const CollectiveEntry& c) {
  Json by = Json::array();
  std::string names;
  for (const Algorithm& a : algorithms()) {
    const auto runs = runs_of(a.name);
    if (std::none_of(runs.begin(), runs.end(), [&](const Runs& r) { return r.operation == c.operation; })) continue;
    by.push_back(a.name);
    names += (names.empty() ? "" : ", ") + std::string(a.name);
  }
  const double factor = nccl_size(c.operation, Bytes(1), 8).bus_factor;
  return {{{"kind", "collective"},
           {"name", name(c.operation)},
           {"title", title(c.operation)},
           {"about", c.about},
           {"bytes", c.bytes},
           {"algorithms", by}},
          fmt::format("{} ({}): {}\nbytes: {}\nbusbw / algbw: {:g} on 8 chips\nalgorithms: {}\n", name(c.operation),
                      title(c.operation), c.about, c.bytes, factor, names.empty() ? "none yet" : names)};
}

Entry scenario_entry(const ShippedScenario& s) {
  return {{{"kind", "scenario"}, {"name", s.name}, {"file", s.file}, {"about", s.about}, {"text", s.text}},
          std::string(s.text)};
}

bool called(const ShippedScenario& s, std::string_view name) {
  if (s.name == name || s.file == name) return true;
  const std::string_view base = s.file.substr(s.file.rfind('/') + 1);
  return base == name || base.substr(0, base.rfind('.')) == name;
}

std::vector<Entry> entries_of(const std::string& name, const std::vector<std::string>& sets) {
  std::vector<Entry> found;
  const auto chips = catalogue_names();
  if (std::find(chips.begin(), chips.end(), name) != chips.end()) {
    const Json chip = chip_json(find_chip(name));
    found.push_back({chip, chip_text(chip)});
  }
  for (const TopologyEntry& t : known_topologies())
    if (t.name == name) found.push_back(topology_entry(t));
  for (const CollectiveEntry& c : known_collectives())
    if (operation_named(name) == c.operation) found.push_back(collective_entry(c));
  for (const Algorithm& a : algorithms())
    if (a.name == name) found.push_back(algorithm_entry(a));
  for (const ShippedScenario& s : shipped_scenarios())
    if (called(s, name)) found.push_back(scenario_entry(s));
  if (found.empty() && name.find(':') != std::string::npos) {
    check_machine_sets(sets);
    const Json machine = machine_facts_json(name, sets);
    found.push_back({machine, machine_facts_text(machine)});
  } else if (!found.empty() && !sets.empty()) {
    throw InputError("--set changes machines only", name, "a machine such as tpu_v5e:8x4");
  }
  return found;
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> all = catalogue_names();
  for (const TopologyEntry& t : known_topologies()) all.emplace_back(t.name);
  for (const CollectiveEntry& c : known_collectives()) all.emplace_back(hopsim::name(c.operation));
  for (const Algorithm& a : algorithms()) all.emplace_back(a.name);
  for (const ShippedScenario& s : shipped_scenarios()) all.push_back(s.name);
  const std::string near(nearest(name, Names(all.begin(), all.end())));
  throw InputError("nothing is called so" + (near.empty() ? "" : " (did you mean " + near + "?)"),
                   quoted_for_message(name), "the names of hopsim list, or a machine such as tpu_v5e:8x4");
}

// Where a graph goes; opened before the graph is made.
class GraphFile {
 public:
  explicit GraphFile(const std::string& path) : wanted_(!path.empty()) {
    if (wanted_ && path != "-") file_.emplace(path);
  }
  bool wanted() const { return wanted_; }
  void write(const std::string& graph, std::ostream& out) {
    if (!file_) {
      out << graph << std::flush;
      return;
    }
    file_->write(graph);
    file_->finish();
  }

 private:
  bool wanted_;
  std::optional<OutputFile> file_;
};

void check_outputs(const ShowArguments& a) {
  const std::array<const std::string*, 3> paths{&a.json, &a.dot, &a.graphml};
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!paths[i]->empty() && *paths[i] == *paths[k])
        throw InputError("two outputs go to the same place", *paths[i], "a place each");
}

}  // namespace

int show_command(const ShowArguments& arguments, const Streams& streams) {
  check_outputs(arguments);
  ResultFiles files(arguments.json);
  GraphFile dot(arguments.dot), graphml(arguments.graphml);
  const std::vector<Entry> entries = entries_of(arguments.name, arguments.sets);
  if (entries.empty()) refuse(arguments.name);
  if ((dot.wanted() || graphml.wanted()) && entries.front().json["kind"] != "machine")
    throw InputError("only machines are graphs", arguments.name, "a machine such as h100_sxm:2x8");
  Json json{{"schema", "hopsim.show/1"}, {"version", kVersion}, {"entries", Json::array()}};
  std::string text;
  for (const Entry& entry : entries) {
    json["entries"].push_back(entry.json);
    text += (text.empty() ? "" : "\n") + entry.text;
  }
  if (dot.wanted()) dot.write(machine_graph(arguments.name, arguments.sets, GraphFormat::dot), streams.out);
  if (graphml.wanted())
    graphml.write(machine_graph(arguments.name, arguments.sets, GraphFormat::graphml), streams.out);
  files.write(json, {}, streams.out);
  const bool taken = files.own_standard_output() || arguments.dot == "-" || arguments.graphml == "-";
  if (!taken) streams.out << text << std::flush;
  return 0;
}

}  // namespace hopsim

#include "tools/list_command.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ostream>

#include "collectives/algorithm.hpp"
#include "sim/version.hpp"
#include "tools/inventory.hpp"
#include "tools/result_files.hpp"
#include "tools/table.hpp"
#include "topologies/catalogue.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;
using enum Table::Align;

// Each list is an array of flat objects; the table has the same columns.
Json chips() {
  Json list = Json::array();
  for (const std::string& name : catalogue_names()) {
    const ChipModel chip = find_chip(name);
    Json row{{"name", name}, {"description", chip.description}};
    for (const char* key : {"pod_shape", "gpus_per_domain", "peak_flops.bf16", "hbm_capacity", "hbm_bandwidth",
                            "links_per_chip", "link_bandwidth", "nic_bandwidth"}) {
      const auto at =
          std::find_if(chip.numbers.begin(), chip.numbers.end(), [key](const auto& n) { return n.key == key; });
      row[key] = at != chip.numbers.end() ? Json(at->text) : Json(nullptr);
    }
    list.push_back(std::move(row));
  }
  return list;
}

Json topologies() {
  Json list = Json::array();
  for (const TopologyEntry& t : known_topologies())
    list.push_back({{"name", t.name}, {"about", t.about}, {"example", t.example}});
  return list;
}

Json collectives() {
  Json list = Json::array();
  for (const CollectiveEntry& c : known_collectives())
    list.push_back(
        {{"name", name(c.operation)}, {"title", title(c.operation)}, {"about", c.about}, {"bytes", c.bytes}});
  return list;
}

Json algorithm_rows() {
  Json list = Json::array();
  for (const Algorithm& a : algorithms()) {
    Json does = Json::array(), on = Json::array();
    const auto add = [](Json& names, std::string_view name) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Runs& r : runs_of(a.name)) {
      add(does, name(r.operation));
      add(on, r.topology);
    }
    list.push_back({{"name", a.name}, {"about", a.summary}, {"does", does}, {"on", on}, {"source", a.source}});
  }
  return list;
}

Json scenarios() {
  Json list = Json::array();
  for (const ShippedScenario& s : shipped_scenarios())
    list.push_back({{"name", s.name}, {"file", s.file}, {"about", s.about}});
  return list;
}

struct Kind {
  std::string_view name;
  Json (*rows)();
};
constexpr std::array kKinds{Kind{"chips", chips}, Kind{"topologies", topologies}, Kind{"collectives", collectives},
                            Kind{"algorithms", algorithm_rows}, Kind{"scenarios", scenarios}};

constexpr std::size_t kWidest = 72;  // of a cell

std::string cell(const Json& value) {
  std::string text;
  if (value.is_string()) text = value.get<std::string>();
  if (value.is_null()) text = "-";
  if (value.is_array())
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + item.get<std::string>();
  if (text.size() <= kWidest) return text;
  text.resize(text.rfind(' ', kWidest));
  return text + " ...";
}

std::string table(const Json& rows) {
  if (rows.empty()) return {};
  std::vector<Table::Column> columns;
  for (const auto& [key, value] : rows.front().items()) columns.push_back({key, left});
  Table table(std::move(columns));
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [key, value] : row.items()) cells.push_back(cell(value));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::vector<std::string_view> listable() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  return names;
}

int list_command(const ListArguments& arguments, const Streams& streams) {
  ResultFiles files(arguments.json);
  Json json{{"schema", "hopsim.list/1"}, {"version", kVersion}};
  std::string text;
  for (const Kind& kind : kKinds) {
    if (!arguments.what.empty() && arguments.what != kind.name) continue;
    json[std::string(kind.name)] = kind.rows();
    if (arguments.what.empty()) text += (text.empty() ? "" : "\n") + std::string(kind.name) + ":\n";
    text += table(json[std::string(kind.name)]);
  }
  files.write(json, {}, streams.out);
  if (!files.own_standard_output()) streams.out << text << std::flush;
  return 0;
}

}  // namespace hopsim

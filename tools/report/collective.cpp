#include "tools/report/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "tools/collective_report.hpp"
#include "tools/report.hpp"
#include "tools/report/data.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

// The closed form's two terms by operation, axis and algorithm, of the first such row: time is latency_s + bytes /
// bandwidth_Bps, and the two are equal at knee_bytes. Nothing of what moves no bytes.
Json curves_json(const CollectiveRows& all, const Json& rows) {
  Json curves = Json::array();
  std::set<std::tuple<Json, Json, Json>> told;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    const Terms t = terms(all.rows[i].step());
    if (t.transfer_s <= 0 || !told.emplace(row["op"], row["axis"], row["algorithm"]).second) continue;
    const double bandwidth = row["bytes"].get<double>() / t.transfer_s;
    curves.push_back({{"op", row["op"]},
                      {"axis", row["axis"]},
                      {"algorithm", row["algorithm"]},
                      {"latency_s", t.latency_s},
                      {"bandwidth_Bps", bandwidth},
                      {"knee_bytes", t.latency_s * bandwidth}});
  }
  return curves;
}

Operation operation_of(const CollectiveRow& row) { return row.step().collective->operation; }

}  // namespace

bool is_drawn(const CollectiveRows& all, std::size_t row, bool each) {
  if (row + 1 == all.rows.size()) return true;
  return each && operation_of(all.rows[row]) != operation_of(all.rows[row + 1]);
}

std::string collective_title(const CollectiveRows& all) {
  std::set<std::string> operations;
  for (const CollectiveRow& row : all.rows) operations.insert(row.step().text);
  const std::string what =
      operations.size() == 1 ? *operations.begin() : fmt::format("{} operations", operations.size());
  return fmt::format("{} on {} {}", what, all.machine.name, shape_text(all.machine.shape));
}

Json collective_data(const CollectiveRows& all, Json result, const std::vector<Json>& drawn) {
  Json players = Json::array(), notes = Json::array();
  const auto say = [&notes](const Json& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const std::string& warning : all.warnings) say(warning);
  for (const CollectiveRow& row : all.rows)
    for (const std::string& warning : row.plan.warnings) say(warning);
  for (const Json& run : drawn) {
    players.insert(players.end(), run["players"].begin(), run["players"].end());
    for (const Json& note : run["notes"]) say(note);
  }
  Json curves = curves_json(all, result["rows"]);
  return {{"result", without_cost(std::move(result))},
          {"machine", describe(all.machine)},
          {"curves", std::move(curves)},
          {"players", std::move(players)},
          {"fabric", drawn.empty() ? Json() : drawn.back()["fabric"]},
          {"notes", std::move(notes)}};
}

}  // namespace hopsim

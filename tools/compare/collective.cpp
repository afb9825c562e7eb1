#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/units.hpp"
#include "tools/compare/kinds.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

using Row = Sides;

Pair time_of(const Row& r) { return r.pair("time_s"); }

std::string key_of(const ResultValue& row) {
  return fmt::format("{} {} {:.0f}", row.text("op"), row.text("axis"), row.number("bytes"));
}

// In the order of A, then what only B has; of several with one key the first with the first.
std::vector<Row> rows_of(const ResultValue& a, const ResultValue& b) {
  std::vector<Row> rows;
  std::multimap<std::string, std::size_t> open;
  for (const ResultValue& row : a.list("rows")) {
    row.number("time_s");
    open.emplace(key_of(row), rows.size());
    rows.push_back({row, std::nullopt});
  }
  for (const ResultValue& row : b.list("rows")) {
    row.number("time_s");
    if (const auto found = open.find(key_of(row)); found != open.end()) {
      rows[found->second].b = row;
      open.erase(found);
    } else {
      rows.push_back({std::nullopt, row});
    }
  }
  return rows;
}

std::string rate_text(std::optional<double> rate) {
  if (!rate || *rate <= 0) return "-";
  return *rate < 1e18 ? format_bytes_per_second(*rate) : fmt::format("{:.3g} B/s", *rate);
}

std::string algorithms(const Row& r) {
  if (!r.a || !r.b) return r.any().text("algorithm");
  return changed(r.a->text("algorithm"), r.b->text("algorithm"));
}

std::string verdict(const Row& r) {
  if (!r.a) return "only in B";
  if (!r.b) return "only in A";
  if (r.comparable()) return speed(time_of(r));
  const bool in_a = r.a->flag("partial"), in_b = r.b->flag("partial");
  return in_a && in_b ? "partial in both" : in_a ? "partial in A" : "partial in B";
}

std::string table_of(const std::vector<Row>& rows) {
  using enum Table::Align;
  Table table({{"op", left},
               {"axis", left},
               {"bytes"},
               {"algorithm", left},
               {"A"},
               {"B"},
               {"difference"},
               {"of A"},
               {"busbw A"},
               {"busbw B"},
               {"", left}});
  for (const Row& r : rows) {
    const Pair time = time_of(r), busbw = r.pair("busbw_Bps");
    const auto ratio = time.ratio();
    table.add({r.any().text("op"), r.any().text("axis"), bytes_text(r.any().number("bytes")), algorithms(r),
               time_text(time.a), time_text(time.b), signed_time(time.time_difference()),
               signed_percent(ratio ? std::optional(*ratio - 1) : std::nullopt), rate_text(busbw.a),
               rate_text(busbw.b), verdict(r)});
  }
  return table.text();
}

std::string where(const Row& r) {
  return fmt::format("{} over {}, {}: {}", r.any().text("op"), r.any().text("axis"),
                     bytes_text(r.any().number("bytes")), speed(time_of(r)));
}

// "faster in 2 of 3 rows; most: ...".
std::string summary(const std::vector<Row>& rows) {
  const Row *gain = nullptr, *loss = nullptr;
  std::size_t compared = 0, faster = 0, slower = 0;
  const auto quotient = [](const Row& r) { return time_of(r).ratio().value_or(1); };
  for (const Row& r : rows) {
    if (!r.comparable()) continue;
    ++compared;
    const double q = quotient(r);
    faster += q < 1;
    slower += q > 1;
    if (q < 1 && (!gain || q < quotient(*gain))) gain = &r;
    if (q > 1 && (!loss || q > quotient(*loss))) loss = &r;
  }
  std::string text =
      fmt::format("of {} rows that both have, B is faster in {} and slower in {}\n", compared, faster, slower);
  if (gain) text += "B gains most: " + where(*gain) + "\n";
  if (loss) text += "B loses most: " + where(*loss) + "\n";
  return text;
}

Json row_json(const Row& r) {
  const auto text = [](const std::optional<ResultValue>& row, const char* key) {
    return row ? row->text_if(key) : std::string();
  };
  Json j{{"op", r.any().text("op")}, {"axis", r.any().text("axis")}, {"bytes", r.any().at("bytes").json()}};
  j["algorithm"] = text_json(text(r.a, "algorithm"), text(r.b, "algorithm"));
  j["partial"] = r.partial();
  j["time_s"] = time_json(time_of(r));
  for (const char* key : {"algbw_Bps", "busbw_Bps", "closed_form_s", "lower_bound_s", "link_share"})
    j[key] = to_json(r.pair(key));
  return j;
}

Json lasting(const ResultFile& file) {
  Json json = file.json;
  json.erase("cost");
  return json;
}

}  // namespace

Compared compare_collectives(const ResultFile& a, const ResultFile& b) {
  const ResultValue root_a = a.root(), root_b = b.root();
  const ResultValue machine_a = root_a.at("machine"), machine_b = root_b.at("machine");
  const std::vector<Row> rows = rows_of(root_a, root_b);
  const bool equal = lasting(a) == lasting(b);
  std::vector<std::string> notes = common_notes(root_a, root_b);
  if (machine_a.json() != machine_b.json()) notes.push_back("different machines");

  Compared c{{{"equal", equal}}, headings(a, machine_text(machine_a), b, machine_text(machine_b))};
  c.json["machine"] = {{"a", machine_a.json()}, {"b", machine_b.json()}};
  c.json["notes"] = notes;
  c.json["rows"] = Json::array();
  for (const Row& r : rows) c.json["rows"].push_back(row_json(r));
  for (const std::string& note : notes) c.text += "note: " + note + "\n";
  if (equal)
    c.text += fmt::format("A and B are equal: all {} rows, but for what it took to simulate\n", rows.size());
  else
    c.text += table_of(rows) + summary(rows);
  return c;
}

}  // namespace hopsim

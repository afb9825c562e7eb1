#include <fmt/format.h>

#include <algorithm>

#include "tools/compare/kinds.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

using Way = Sides;

// In the order of A, then what only B has.
std::vector<Way> ways_of(const ResultValue& a, const ResultValue& b) {
  std::vector<Way> ways;
  for (const ResultValue& s : a.list("strategies")) ways.push_back({s, std::nullopt});
  for (const ResultValue& s : b.list("strategies")) {
    const std::string name = s.text("name");
    const auto same = std::find_if(ways.begin(), ways.end(),
                                   [&](const Way& w) { return w.a && !w.b && w.a->text("name") == name; });
    if (same == ways.end())
      ways.push_back({std::nullopt, s});
    else
      same->b = s;
  }
  return ways;
}

std::string chosen_of(const ResultValue& answer) { return answer.text_if("chosen"); }

std::string state_of(const Way& w, const ResultValue& a, const ResultValue& b) {
  std::string text = !w.b ? "only in A" : !w.a ? "only in B" : "";
  const auto is_chosen = [](const std::optional<ResultValue>& s, const ResultValue& answer) {
    return s && s->text("name") == chosen_of(answer);
  };
  const bool in_a = is_chosen(w.a, a), in_b = is_chosen(w.b, b);
  if (in_a || in_b)
    text += (text.empty() ? "" : ", ") + std::string("chosen in ") + (in_a && in_b ? "both" : in_a ? "A" : "B");
  return text;
}

std::string table_of(const std::vector<Way>& ways, const ResultValue& a, const ResultValue& b) {
  using enum Table::Align;
  Table table({{"strategy", left},
               {"A"},
               {"B"},
               {"difference"},
               {"of A"},
               {"communication", left},
               {"computation", left},
               {"bytes a chip", left},
               {"", left}});
  for (const Way& w : ways) {
    const Pair time = w.pair("time_s"), comm = w.pair("comm_s"), math = w.pair("math_s"),
               held = w.pair("bytes_per_chip");
    const auto ratio = time.ratio();
    const auto bytes = [](std::optional<double> v) { return v ? bytes_text(*v) : "-"; };
    table.add({w.any().text("name"), time_text(time.a), time_text(time.b), signed_time(time.time_difference()),
               signed_percent(ratio ? std::optional(*ratio - 1) : std::nullopt),
               changed(time_text(comm.a), time_text(comm.b)), changed(time_text(math.a), time_text(math.b)),
               changed(bytes(held.a), bytes(held.b)), state_of(w, a, b)});
  }
  return table.text();
}

// The time of the way that was chosen, on both sides.
Pair chosen_times(const std::vector<Way>& ways, const ResultValue& a, const ResultValue& b) {
  Pair times;
  for (const Way& w : ways) {
    if (w.a && w.a->text("name") == chosen_of(a)) times.a = w.a->number_if("time_s");
    if (w.b && w.b->text("name") == chosen_of(b)) times.b = w.b->number_if("time_s");
  }
  return times;
}

Json way_json(const Way& w) {
  const auto output = [](const std::optional<ResultValue>& s) { return s ? s->text_if("output") : std::string(); };
  Json j{{"name", w.any().text("name")}, {"in", {{"a", w.a.has_value()}, {"b", w.b.has_value()}}}};
  for (const char* key : {"time_s", "comm_s", "math_s", "bound_s"}) j[key] = time_json(w.pair(key));
  j["bytes_per_chip"] = to_json(w.pair("bytes_per_chip"));
  j["output"] = text_json(output(w.a), output(w.b));
  return j;
}

std::string heading_of(const ResultValue& answer) {
  const std::string text = answer.text("expression");
  return answer.has("machine") ? text + " on " + machine_text(answer.at("machine")) : text + ", without a machine";
}

}  // namespace

Compared compare_explanations(const ResultFile& a, const ResultFile& b) {
  const ResultValue root_a = a.root(), root_b = b.root();
  const std::vector<Way> ways = ways_of(root_a, root_b);
  const bool equal = a.json == b.json;
  std::vector<std::string> notes = common_notes(root_a, root_b);
  if (root_a.text("expression") != root_b.text("expression")) notes.push_back("different lines");
  const Pair chosen = chosen_times(ways, root_a, root_b);

  Compared c{{{"equal", equal}}, headings(a, heading_of(root_a), b, heading_of(root_b))};
  c.json["expression"] = text_json(root_a.text("expression"), root_b.text("expression"));
  c.json["notes"] = notes;
  c.json["chosen"] = text_json(chosen_of(root_a), chosen_of(root_b));
  c.json["time_s"] = time_json(chosen);
  c.json["strategies"] = Json::array();
  for (const Way& w : ways) c.json["strategies"].push_back(way_json(w));
  for (const std::string& note : notes) c.text += "note: " + note + "\n";
  if (equal) {
    c.text += fmt::format("A and B are equal: all {} strategies\n", ways.size());
    return c;
  }
  c.text += table_of(ways, root_a, root_b) + "chosen: " + changed(chosen_of(root_a), chosen_of(root_b)) + "\n";
  if (chosen.both())
    c.text += fmt::format("{}: {} in place of {}\n", speed(chosen), time_text(chosen.b), time_text(chosen.a));
  return c;
}

}  // namespace hopsim

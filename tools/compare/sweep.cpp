#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "scenarios/place.hpp"
#include "sim/error.hpp"
#include "tools/compare/kinds.hpp"
#include "tools/sweep/points.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const std::string& key, const Json& value) {
  if (value.is_number() && key.ends_with("bytes")) return bytes_text(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string last_name(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// Last names where they tell keys apart.
std::vector<std::string> columns_of(const std::vector<std::string>& keys) {
  std::vector<std::string> columns;
  for (const std::string& key : keys) {
    const auto alike = std::count_if(keys.begin(), keys.end(),
                                     [&](const std::string& other) { return last_name(other) == last_name(key); });
    columns.push_back(alike > 1 ? key : last_name(key));
  }
  return columns;
}

// "slice 4x4x4, bytes 1 MiB".
std::string said(const ResultValue& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters.json().items())
    text += (text.empty() ? "" : ", ") + last_name(key) + " " + value_text(key, value);
  return text;
}

bool is_size(const Metric& metric) { return metric.path().find("bytes") != std::string::npos; }

std::string metric_text(const Metric& metric, double value) {
  constexpr double kMost = 1e18;
  if (metric.is_makespan()) return time_text(value);
  if (is_size(metric)) return bytes_text(value);
  return std::abs(value) < kMost ? metric.text(value) : fmt::format("{:.3g}", value);
}

struct Side {
  std::optional<ResultValue> point;
  std::optional<double> value;  // of what points are ranked by; none: it did not run, or not to its end
  bool best = false;            // of its work

  bool ran() const { return point && point->has("result"); }
};

struct PointPair {
  Side a, b;

  const ResultValue& any() const { return a.point ? *a.point : *b.point; }
  Pair values() const { return {a.value, b.value}; }
};

class SweepSide {
 public:
  SweepSide(const ResultFile& file, const Metric& metric) : root_(file.root()), metric_(metric) {
    for (const ResultValue& point : root_.list("points")) {
      point.at("parameters");
      points_.push_back({point, value_of(point)});
    }
    for (const ResultValue& best : root_.list("best")) {
      const auto point = static_cast<std::size_t>(best.count("point"));
      check_best(best);
      if (point < points_.size()) points_[point].best = true;
    }
  }

  const std::vector<Side>& points() const { return points_; }
  const ResultValue& root() const { return root_; }

 private:
  void check_best(const ResultValue& best) const {
    const double value = best.number("value");
    if (value < 0 && (metric_.is_makespan() || is_size(metric_)))
      throw InputError(best.file() + ": a value of best is below 0", fmt::format("{:g}", value),
                       "a number from 0 up");
  }

  std::optional<double> value_of(const ResultValue& point) const {
    if (!point.has("result")) return std::nullopt;
    const ResultValue result = point.at("result");
    result.number("time_s");
    if (result.flag("partial")) return std::nullopt;
    std::optional<double> value;
    try {
      value = metric_.of(result.json());
    } catch (const InputError&) {
      return std::nullopt;  // such as the MFU of what computes nothing
    }
    result.check_sign(metric_.path(), *value);
    return value;
  }

  ResultValue root_;
  const Metric& metric_;
  std::vector<Side> points_;
};

// In the order of A, then what only B has.
std::vector<PointPair> paired(const SweepSide& a, const SweepSide& b) {
  std::vector<PointPair> pairs;
  std::unordered_map<std::string, std::size_t> open;
  for (const Side& point : a.points()) {
    open.emplace(point.point->at("parameters").json().dump(), pairs.size());
    pairs.push_back({point, {}});
  }
  for (const Side& point : b.points()) {
    const auto found = open.find(point.point->at("parameters").json().dump());
    if (found == open.end()) {
      pairs.push_back({{}, point});
      continue;
    }
    pairs[found->second].b = point;
    open.erase(found);
  }
  return pairs;
}

std::string state_of(const PointPair& p) {
  const auto failed = [](const Side& s) {
    return !s.point ? "" : !s.ran() ? "error" : !s.value ? "partial" : s.best ? "best" : "";
  };
  const std::string a = failed(p.a), b = failed(p.b);
  if (!p.a.point || !p.b.point) {
    const std::string state = a + b;
    return std::string("only in ") + (p.a.point ? "A" : "B") + (state.empty() ? "" : ", " + state);
  }
  if (a == b) return a.empty() ? "" : a + " in both";
  std::string text = a.empty() ? "" : a + " in A";
  if (!b.empty()) text += (text.empty() ? "" : ", ") + b + " in B";
  return text;
}

class SweepComparison {
 public:
  SweepComparison(const ResultFile& a, const ResultFile& b, const Metric& metric)
      : metric_(metric), a_(a, metric), b_(b, metric), pairs_(paired(a_, b_)) {}

  std::string text() const { return table() + summary() + winners("A", a_) + winners("B", b_); }

  Json points_json() const {
    Json list = Json::array();
    for (const PointPair& p : pairs_) {
      Json j{{"parameters", p.any().at("parameters").json()}};
      j["value"] = metric_.is_makespan() ? time_json(p.values()) : to_json(p.values());
      j["best"] = {{"a", p.a.best}, {"b", p.b.best}};
      j["state"] = state_of(p);
      list.push_back(std::move(j));
    }
    return list;
  }

 private:
  std::string said_value(std::optional<double> v) const { return v ? metric_text(metric_, *v) : "-"; }

  std::string said_difference(const Pair& p) const {
    if (metric_.is_makespan()) return signed_time(p.time_difference());
    const auto d = p.difference();
    if (!d) return "-";
    return (*d > 0 ? "+" : *d < 0 ? "-" : "") + metric_text(metric_, std::abs(*d));
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const SweepSide* side : {&a_, &b_})
      for (const auto& [key, values] : side->root().at("axes").json().items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    return keys;
  }

  std::string table() const {
    using enum Table::Align;
    const std::vector<std::string> of = keys();
    std::vector<Table::Column> columns;
    for (const std::string& column : columns_of(of)) columns.push_back({column, left});
    columns.insert(columns.end(), {{"A"}, {"B"}, {"difference"}, {"of A"}, {"", left}});
    Table table(columns);
    for (const PointPair& p : pairs_) {
      const Json& parameters = p.any().at("parameters").json();
      std::vector<std::string> row;
      for (const std::string& key : of)
        row.push_back(parameters.contains(key) ? value_text(key, parameters[key]) : "-");
      const auto ratio = p.values().ratio();
      row.insert(row.end(), {said_value(p.a.value), said_value(p.b.value), said_difference(p.values()),
                             signed_percent(ratio ? std::optional(*ratio - 1) : std::nullopt), state_of(p)});
      table.add(row);
    }
    return table.text();
  }

  // How much better B is: above 0 where it is.
  std::optional<double> gain(const PointPair& p) const {
    const auto d = p.values().difference();
    if (!d || !p.values().ratio()) return std::nullopt;
    const double relative = *p.values().ratio() - 1;
    return metric_.more_is_better() ? relative : -relative;
  }

  std::string summary() const {
    const PointPair *most = nullptr, *least = nullptr;
    std::size_t both = 0, better = 0, worse = 0;
    for (const PointPair& p : pairs_) {
      const auto g = gain(p);
      if (!g) continue;
      ++both;
      better += *g > 0;
      worse += *g < 0;
      if (*g > 0 && (!most || *g > *gain(*most))) most = &p;
      if (*g < 0 && (!least || *g < *gain(*least))) least = &p;
    }
    std::string text =
        fmt::format("of {} points that ran in both, B is better at {} and worse at {}\n", both, better, worse);
    for (const auto& [point, what] : {std::pair{most, "gains"}, {least, "loses"}})
      if (point)
        text += fmt::format("B {} most: {}: {} in place of {}\n", what, said(point->any().at("parameters")),
                            metric_text(metric_, *point->b.value), metric_text(metric_, *point->a.value));
    return text;
  }

  std::string winners(const char* name, const SweepSide& side) const {
    constexpr std::size_t kMostLines = 20;
    const std::vector<ResultValue> best = side.root().list("best");
    std::string text;
    for (std::size_t i = 0; i < std::min(best.size(), kMostLines); ++i)
      text += fmt::format("best of {}: {}, {}\n", name, said(best[i].at("parameters")),
                          metric_text(metric_, best[i].number("value")));
    if (best.size() > kMostLines) text += fmt::format("best of {}: and {} more\n", name, best.size() - kMostLines);
    return text;
  }

  const Metric& metric_;
  SweepSide a_, b_;
  std::vector<PointPair> pairs_;
};

std::string heading_of(const ResultValue& root) {
  std::string axes;
  for (const auto& [key, values] : root.at("axes").json().items())
    axes += fmt::format("{}{} ({})", axes.empty() ? "" : " x ", key, values.size());
  return fmt::format("{}: {} points: {}", root.text("scenario"), root.at("points").json().size(), axes);
}

std::vector<std::string> notes_of(const ResultValue& a, const ResultValue& b) {
  std::vector<std::string> notes = common_notes(a, b);
  if (a.text("scenario") != b.text("scenario")) notes.push_back("different scenarios");
  if (a.at("axes").json() != b.at("axes").json()) notes.push_back("they vary different keys or values");
  return notes;
}

}  // namespace

Compared compare_sweeps(const ResultFile& a, const ResultFile& b) {
  const ResultValue root_a = a.root(), root_b = b.root();
  const std::string ranked_by = root_a.text("ranked_by");
  if (root_b.text("ranked_by") != ranked_by)
    throw InputError(b.file + ": its points are ranked by another number than those of " + a.file,
                     quoted_for_message(root_b.text("ranked_by")),
                     quoted_for_message(ranked_by) + ", by --best of hopsim sweep");
  const Metric metric(ranked_by);
  const SweepComparison comparison(a, b, metric);
  const bool equal = a.json == b.json;
  const std::vector<std::string> notes = notes_of(root_a, root_b);

  Compared c{{{"equal", equal}}, headings(a, heading_of(root_a), b, heading_of(root_b))};
  c.json["scenario"] = text_json(root_a.text("scenario"), root_b.text("scenario"));
  c.json["notes"] = notes;
  c.json["ranked_by"] = ranked_by;
  c.json["points"] = comparison.points_json();
  for (const std::string& note : notes) c.text += "note: " + note + "\n";
  if (!metric.is_makespan()) c.text += "points are compared by " + ranked_by + "\n";
  c.text += equal ? fmt::format("A and B are equal: all {} points\n", root_a.at("points").json().size())
                  : comparison.text();
  return c;
}

}  // namespace hopsim

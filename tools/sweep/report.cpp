#include "tools/sweep/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "scenarios/sweep_values.hpp"
#include "sim/units.hpp"
#include "tools/report.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

// The last `names` names of a dotted path, more if they would begin with the number of a list's item.
std::string tail(const std::string& path, std::size_t names) {
  std::size_t begin = path.size();
  for (std::size_t n = 0; begin > 0; ++n) {
    const bool number = begin < path.size() && std::isdigit(static_cast<unsigned char>(path[begin])) != 0;
    if (n >= names && !number) break;
    const std::size_t dot = path.rfind('.', begin == path.size() ? begin : begin - 2);
    begin = dot == std::string::npos ? 0 : dot + 1;
  }
  return path.substr(begin);
}

std::vector<std::string> columns_of(const std::vector<const SweepKey*>& keys) {
  std::vector<std::string> columns;
  for (const SweepKey* key : keys) {
    std::size_t names = 1;
    const auto shared = [&] {
      return std::count_if(keys.begin(), keys.end(), [&](const SweepKey* other) {
               return tail(other->path, names) == tail(key->path, names);
             }) > 1;
    };
    while (shared()) ++names;
    columns.push_back(tail(key->path, names));
  }
  return columns;
}

std::string heading(const std::string& scenario, const Sweep& sweep) {
  std::string axes;
  for (const SweepAxis& axis : sweep.spec().axes) {
    std::string keys;
    for (const SweepKey& key : axis.keys) keys += (keys.empty() ? "" : " with ") + key.path;
    axes += fmt::format("{}{} ({})", axes.empty() ? "" : " x ", keys, axis.size());
  }
  std::string text =
      fmt::format("{}: {} point{}: {}", scenario, sweep.points(), sweep.points() == 1 ? "" : "s", axes);
  if (!sweep.spec().where.empty()) text += fmt::format("; where keeps {} of {}", sweep.points(), sweep.grid_points());
  return text + "\n";
}

std::string times(std::optional<double> ratio) { return ratio ? fmt::format("{:.2f}x", *ratio) : "-"; }

std::string note(const SweepPoint& p, bool best) {
  if (!p.ran()) return "error: " + p.error;
  if (!p.ranked()) return (p.partial.empty() ? p.unranked : p.partial) + (p.failed ? ", NOT AS EXPECTED" : "");
  if (p.failed) return best ? "best, NOT AS EXPECTED" : "NOT AS EXPECTED";
  return best ? "best" : "";
}

class ReportWriter {
 public:
  ReportWriter(const Sweep& sweep, const std::vector<SweepPoint>& points, const Metric& metric)
      : sweep_(sweep), points_(points), metric_(metric), names_(sweep), ranking_(sweep, points, metric) {}

  std::string table() const {
    using enum Table::Align;
    std::vector<Table::Column> columns;
    for (const std::string& column : names_.columns()) columns.push_back({column, left});
    const bool algorithms = algorithms_say_more();
    if (algorithms) columns.push_back({"algorithm", left});
    columns.insert(columns.end(), {{"time"}, {"closed form"}, {"bound"}});
    if (!metric_.is_makespan()) columns.push_back({metric_.path()});
    columns.insert(columns.end(), {{"against best"}, {"", left}});
    Table table(columns);
    for (std::size_t i = 0; i < points_.size(); ++i) table.add(row(i, algorithms));
    return table.text();
  }

  // A line for each work of which there are two points to compare, while a screen holds them.
  std::string winners() const {
    constexpr std::size_t kMostLines = 40;
    if (ranking_.works().size() > kMostLines)
      return fmt::format("the best of {} different works are marked\n", ranking_.works().size());
    std::string text;
    for (const Work& work : ranking_.works())
      if (work.best && (work.points.size() > 1 || ranking_.works().size() == 1)) text += winner(work);
    return text;
  }

  std::string expectations() const {
    std::string text;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].expected.empty()) continue;
      text += names_.name(i) + ":\n";
      for (const std::string& line : points_[i].expected) text += line;
    }
    return text;
  }

 private:
  // Not if they are what the sweep varies.
  bool algorithms_say_more() const {
    const auto& columns = names_.columns();
    const auto column = std::find(columns.begin(), columns.end(), "algorithm");
    if (column == columns.end()) return true;
    const auto key = static_cast<std::size_t>(column - columns.begin());
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (points_[i].ran() && points_[i].algorithms != sweep_.value(i, key).text) return true;
    return false;
  }

  std::vector<std::string> row(std::size_t i, bool algorithms) const {
    const SweepPoint& p = points_[i];
    const auto time = [&](Time t) { return p.ran() ? format_time(t) : "-"; };
    const std::string so_far = p.partial.empty() ? "" : "> ";
    std::vector<std::string> row;
    for (std::size_t k = 0; k < names_.columns().size(); ++k) row.push_back(flow_text(sweep_.value(i, k)));
    if (algorithms) row.push_back(p.algorithms.empty() ? "-" : p.algorithms);
    row.insert(row.end(), {so_far + time(p.time), time(p.closed_form), time(p.lower_bound)});
    if (!metric_.is_makespan()) row.push_back(p.ranked() ? metric_.text(p.metric) : "-");
    row.insert(row.end(), {times(ranking_.against_best(i)), note(p, ranking_.is_best(i))});
    return row;
  }

  std::string winner(const Work& work) const {
    const bool several = ranking_.works().size() > 1;
    const auto said = [&](std::size_t point) {
      return names_.name(point, several ? PointNames::Part::rest : PointNames::Part::all) + ", " +
             metric_.text(points_[point].metric);
    };
    std::string text = "best";
    if (several) text += " of " + names_.name(*work.best, PointNames::Part::work);
    if (!metric_.is_makespan()) text += " by " + metric_.path();
    if (work.next && points_[*work.last].metric == points_[*work.best].metric)
      return text + ": " + metric_.text(points_[*work.best].metric) + " at all of them\n";
    text += ": " + said(*work.best);
    if (work.next) text += "; next: " + said(*work.next) + ", " + times(ranking_.against_best(*work.next));
    if (work.next && work.last != work.next)
      text += "; last: " + said(*work.last) + ", " + times(ranking_.against_best(*work.last));
    return text + "\n";
  }

  const Sweep& sweep_;
  const std::vector<SweepPoint>& points_;
  const Metric& metric_;
  const PointNames names_;
  const Ranking ranking_;
};

}  // namespace

bool is_work(const SweepKey& key) {
  constexpr std::array<std::string_view, 13> kAmounts{
      "bytes", "flops", "time", "m", "n", "k", "dtype", "sequence", "d_model", "d_ff", "batch", "heads", "layers"};
  if (key.path == "dims" || key.path == "dtype" || key.path.starts_with("dims.")) return true;
  const std::string_view last = std::string_view(key.path).substr(key.path.rfind('.') + 1);
  return key.path.starts_with("program.") && std::find(kAmounts.begin(), kAmounts.end(), last) != kAmounts.end();
}

Ranking::Ranking(const Sweep& sweep, const std::vector<SweepPoint>& points, const Metric& metric)
    : points_(points), more_(metric.more_is_better()), work_of_(points.size(), 0) {
  group(sweep);
  for (Work& work : works_) rank(work);
}

void Ranking::group(const Sweep& sweep) {
  const std::vector<const SweepKey*> keys = sweep.keys();
  const bool all = std::all_of(keys.begin(), keys.end(),
                               [](const SweepKey* key) { return is_work(*key) || key->values.size() == 1; });
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    std::string work;
    for (std::size_t k = 0; k < keys.size() && !all; ++k)
      if (is_work(*keys[k])) work += flow_text(sweep.value(i, k)) + '\n';
    const auto [at, fresh] = seen.emplace(work, works_.size());
    if (fresh) works_.emplace_back();
    works_[at->second].points.push_back(i);
    work_of_[i] = at->second;
  }
}

void Ranking::rank(Work& work) const {
  const auto better = [&](std::size_t a, std::size_t b) {
    return more_ ? points_[a].metric > points_[b].metric : points_[a].metric < points_[b].metric;
  };
  for (const std::size_t i : work.points) {
    if (!points_[i].ranked()) continue;
    if (!work.best || better(i, *work.best)) {
      work.next = work.best;
      work.best = i;
    } else if (!work.next || better(i, *work.next)) {
      work.next = i;
    }
    if (!work.last || better(*work.last, i)) work.last = i;
  }
}

bool Ranking::is_best(std::size_t point) const {
  const auto& best = works_[work_of_[point]].best;
  return points_[point].ranked() && points_[point].metric == points_[*best].metric;
}

std::optional<double> Ranking::against_best(std::size_t point) const {
  if (!points_[point].ranked()) return std::nullopt;
  if (is_best(point)) return 1;
  const double best = points_[*works_[work_of_[point]].best].metric, value = points_[point].metric;
  const double ratio = more_ ? best / value : value / best;
  return ratio > 0 && ratio < 1e15 ? std::optional(ratio) : std::nullopt;
}

PointNames::PointNames(const Sweep& sweep) : sweep_(sweep), keys_(sweep.keys()), columns_(columns_of(keys_)) {}

std::string PointNames::name(std::size_t point, Part part) const {
  std::string text;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (part != Part::all && is_work(*keys_[k]) != (part == Part::work)) continue;
    text += (text.empty() ? "" : ", ") + columns_[k] + " " + flow_text(sweep_.value(point, k));
  }
  return text;
}

std::string sweep_report(const std::string& scenario, const Sweep& sweep, const std::vector<SweepPoint>& points,
                         const Metric& metric) {
  const ReportWriter writer(sweep, points, metric);
  return heading(scenario, sweep) + writer.table() + writer.winners() + writer.expectations();
}

Json sweep_row(Json parameters, const SweepPoint& p, std::optional<double> against_best, const Metric& metric) {
  Json row = std::move(parameters);
  const auto add = [&](const char* key, Json value) { row[key] = p.ran() ? std::move(value) : Json(nullptr); };
  const auto optional = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  add("algorithms", p.algorithms);
  add("time_s", p.time.seconds());
  add("closed_form_s", p.closed_form.seconds());
  add("lower_bound_s", p.lower_bound.seconds());
  add("compute_s", p.compute.seconds());
  add("comm_s", p.comm.seconds());
  add("exposed_comm_s", p.exposed_comm.seconds());
  add("overlap", p.overlap);
  add("bound_s", p.bound.seconds());
  add("mfu", optional(p.mfu));
  add("peak_bytes_per_chip", p.peak_bytes_per_chip.count());
  add("max_utilization", p.max_utilization);
  add("fingerprint", p.fingerprint);
  if (!row.contains(metric.path())) add(metric.path().c_str(), p.ranked() ? Json(p.metric) : Json(nullptr));
  add("against_best", optional(against_best));
  row["partial"] = !p.partial.empty();
  row["error"] = p.error.empty() ? Json(nullptr) : Json(p.error);
  return row;
}

}  // namespace hopsim

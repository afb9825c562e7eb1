#include "tools/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/evaluate.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/sweep_json.hpp"
#include "scenarios/sweep_values.hpp"
#include "sim/units.hpp"
#include "tools/report.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

const char* unit(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::time:
      return "s";
    case QuantityKind::bytes:
      return "B";
    case QuantityKind::bandwidth:
      return "B/s";
    case QuantityKind::flop_rate:
      return "FLOP/s";
    case QuantityKind::number:
      return "";
  }
  return "";
}

// `values`: as SweepJson has them, which are numbers where all are of one kind.
Json key_json(const SweepKey& key, const std::string& label, const Json& values) {
  const bool numeric = std::all_of(values.begin(), values.end(), [](const Json& v) { return v.is_number(); });
  return {{"path", key.path},
          {"label", label},
          {"numeric", numeric},
          {"unit", numeric ? unit(parse_quantity(key.values.front().text).kind) : ""},
          {"work", is_work(key)}};
}

// "time", "exposed comm", "links max utilization".
std::string label(const Metric& metric) {
  std::string text = metric.path();
  for (const char* suffix : {"_s", "_Bps"})
    if (text.ends_with(suffix)) text.resize(text.size() - std::string_view(suffix).size());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '_' || c == '.'; }, ' ');
  return text;
}

Json times_json(const SweepPoint& p) {
  return {{"time_s", p.time.seconds()},
          {"closed_form_s", p.closed_form.seconds()},
          {"lower_bound_s", p.lower_bound.seconds()},
          {"compute_s", p.compute.seconds()},
          {"comm_s", p.comm.seconds()},
          {"exposed_comm_s", p.exposed_comm.seconds()},
          {"bound_s", p.bound.seconds()},
          {"overlap", p.overlap},
          {"max_utilization", p.max_utilization},
          {"mfu", p.mfu ? Json(*p.mfu) : Json(nullptr)},
          {"peak_bytes_per_chip", p.peak_bytes_per_chip.count()},
          {"algorithms", p.algorithms}};
}

// Without numbers where it did not run.
Json point_json(const Sweep& sweep, const SweepJson& json, const Ranking& ranking, const SweepPoint& p, std::size_t i,
                std::size_t work) {
  Json labels = Json::array();
  for (std::size_t k = 0; k < sweep.keys().size(); ++k) labels.push_back(flow_text(sweep.value(i, k)));
  const auto against = ranking.against_best(i);
  Json point{{"parameters", json.parameters(i)},
             {"labels", std::move(labels)},
             {"metric", p.ranked() ? Json(p.metric) : Json(nullptr)}};
  if (p.ran()) point.update(times_json(p));
  point["against_best"] = against ? Json(*against) : Json(nullptr);
  point["best"] = ranking.is_best(i);
  point["work"] = work;
  if (!p.ran()) point["error"] = p.error;
  if (!p.partial.empty()) point["partial"] = p.partial;
  point["failed"] = p.failed;
  return point;
}

// By point, its place in ranking.works().
std::vector<std::size_t> works_of(std::size_t points, const Ranking& ranking) {
  std::vector<std::size_t> works(points);
  for (std::size_t w = 0; w < ranking.works().size(); ++w)
    for (const std::size_t point : ranking.works()[w].points) works[point] = w;
  return works;
}

std::vector<bool> drawn_points(std::size_t points, const Ranking& ranking) {
  std::vector<bool> drawn(points, points <= kMostDrawnPoints);
  if (points <= kMostDrawnPoints) return drawn;
  std::size_t left = kMostDrawnPoints;
  for (std::size_t i = 0; i < points && left > 0; ++i)
    if (ranking.is_best(i)) {
      drawn[i] = true;
      --left;
    }
  for (std::size_t n = 0; n < left; ++n) drawn[n * points / left] = true;
  return drawn;
}

// null where points differ in it, or have none that can be built.
Json machine_text(const Sweep& sweep) {
  for (const SweepKey* key : sweep.keys())
    if (key->path == "machine" || key->path.starts_with("machine.")) return nullptr;
  try {
    return describe(build_machine(load_scenario(sweep.document(0)).machine));
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace

Json sweep_data(const Sweep& sweep, const std::vector<SweepPoint>& all, const Ranking& ranking, const Metric& metric,
                Json result, std::vector<std::string> notes) {
  const SweepJson json(sweep);
  const PointNames names(sweep);
  const Json axes = json.axes();
  Json keys = Json::array(), points = Json::array();
  for (std::size_t k = 0; k < names.columns().size(); ++k) {
    const SweepKey& key = *sweep.keys()[k];
    keys.push_back(key_json(key, names.columns()[k], axes[key.path]));
  }
  const std::vector<bool> drawn = drawn_points(all.size(), ranking);
  const std::vector<std::size_t> works = works_of(all.size(), ranking);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (drawn[i]) points.push_back(point_json(sweep, json, ranking, all[i], i, works[i]));
  if (points.size() < all.size())
    notes.push_back(fmt::format("{} of {} points are shown, the best among them; --json and --csv have all",
                                points.size(), all.size()));
  return {{"result", std::move(result)},
          {"keys", std::move(keys)},
          {"metric",
           {{"path", metric.path()},
            {"label", label(metric)},
            {"unit", unit(kind_of_value(metric.path()))},
            {"more_is_better", metric.more_is_better()}}},
          {"points", std::move(points)},
          {"machine", machine_text(sweep)},
          {"notes", std::move(notes)}};
}

}  // namespace hopsim

#include "tools/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>

#include "collectives/proof.hpp"
#include "scenarios/evaluate.hpp"
#include "scenarios/result_json.hpp"
#include "scenarios/simulate.hpp"
#include "sim/machine.hpp"
#include "sim/units.hpp"
#include "tools/prepare.hpp"
#include "tools/report.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

struct Ran {
  RunResult result;
  Json json;
};

Ran simulate_point(const Document& document, const RunOptions& options) {
  const Prepared p = prepare(document);
  Ran ran{simulate(p.machine, p.plan, options), {}};
  ran.result.scenario = p.scenario.name;
  ran.result.expect = evaluate(p.scenario.expect, ran.result, p.machine);
  ran.json = to_json(ran.result, p.machine);
  ran.json.erase("cost");
  return ran;
}

std::string algorithms_of(const RunResult& r) {
  std::vector<std::string> seen;
  std::string text;
  for (const StepResult& s : r.steps) {
    const std::string& name = s.step.algorithm;
    if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

SweepPoint kept_of(const RunResult& r) {
  SweepPoint point;
  point.failed = !r.passed();
  if (r.partial()) point.partial = stopped_text(r);
  point.time = r.time;
  for (const StepResult& s : r.steps) {
    point.closed_form += s.step.closed_form;
    point.lower_bound = std::max(point.lower_bound, s.step.lower_bound);
  }
  point.compute = r.compute;
  point.comm = r.comm;
  point.exposed_comm = r.exposed_comm;
  point.bound = r.bound();
  point.overlap = r.overlap();
  point.max_utilization = r.max_utilization;
  point.mfu = r.mfu;
  point.peak_bytes_per_chip = r.peak_bytes_per_chip;
  point.algorithms = algorithms_of(r);
  point.fingerprint = r.fingerprint;
  for (const ExpectResult& e : r.expect) point.expected.push_back(expectation_line(e));
  return point;
}

// Results do not depend on the folder they were made in: of the scenario's path they have the last name.
std::string without_folder(const std::string& message, const std::string& file) {
  if (!message.starts_with(file + ":")) return message;
  return std::filesystem::path(file).filename().string() + message.substr(file.size());
}

constexpr const char* kNoMemory = "not enough memory for this run";

PointOutcome failure(const std::string& what, const std::string& file, bool failed) {
  PointOutcome outcome;
  outcome.point.error = without_folder(what, file);
  std::replace(outcome.point.error.begin(), outcome.point.error.end(), '\n', ' ');
  outcome.point.failed = failed;
  return outcome;
}

PointOutcome failure(const PlacedError& e, const std::string& file) {
  PointOutcome outcome = failure(e.what(), file, false);
  const std::string place = without_folder(e.place().str() + ":", file);
  if (outcome.point.error.starts_with(place)) outcome.point.error_place = place.size() - 1;
  return outcome;
}

PointOutcome outcome_of(Ran ran) {
  return {kept_of(ran.result), std::move(ran.json), std::move(ran.result.warnings)};
}

PointOutcome try_point(const Sweep& sweep, std::size_t point, const RunOptions& options,
                       const std::vector<std::string>& late_sets) {
  const std::string& file = sweep.base().name;
  try {
    Document document = sweep.document(point);
    for (const std::string& set : late_sets) apply_set(document, set);
    return outcome_of(simulate_point(document, options));
  } catch (const PlacedError& e) {
    return failure(e, file);
  } catch (const InputError& e) {
    return failure(e.what(), file, false);
  } catch (const std::overflow_error& e) {
    return failure(e.what(), file, false);
  } catch (const std::length_error& e) {
    return failure(e.what(), file, false);
  } catch (const std::bad_alloc&) {
    return failure(kNoMemory, file, false);
  } catch (const Deadlock& e) {
    return failure(e.what(), file, true);
  } catch (const ProofFailed& e) {
    return failure(e.what(), file, true);
  } catch (const BoundBeaten& e) {
    return failure(e.what(), file, true);
  } catch (const EngineDied& e) {
    return failure(e.what(), file, true);
  }
}

}  // namespace

Metric::Metric(const std::string& path)
    : path_{path == "time" ? "time_s" : path, {std::make_shared<const std::string>("--best")}} {
  constexpr std::array<std::string_view, 4> kMore{"mfu", "overlap", "algbw_Bps", "busbw_Bps"};
  const std::string last = path.substr(path.rfind('.') + 1);
  more_ = std::find(kMore.begin(), kMore.end(), last) != kMore.end() || last.ends_with("utilization");
}

double Metric::of(const Json& result) const { return number_at(result, path_); }

std::string Metric::text(double value) const {
  switch (kind_of_value(path())) {
    case QuantityKind::time:
      return format_seconds(value);
    case QuantityKind::bandwidth:
      return rate(value);
    case QuantityKind::bytes:
      return format_bytes(Bytes(static_cast<std::uint64_t>(value)));
    default:
      return fmt::format("{:.6g}", value);
  }
}

// Whoever knows where in the file puts that before it, so the words are what is left to tell by.
bool PointOutcome::lacked_memory() const {
  return point.error.find("too little memory: ") != std::string::npos || point.error == kNoMemory;
}

PointOutcome run_point(const Sweep& sweep, std::size_t point, const RunOptions& options,
                       const std::vector<std::string>& late_sets, const Metric& metric) {
  PointOutcome outcome = try_point(sweep, point, options, late_sets);
  if (!outcome.point.ranked()) return outcome;
  try {
    outcome.point.metric = metric.of(outcome.result);
  } catch (const PlacedError&) {
    if (point == 0) throw;  // lest a slip is told when all have run
    outcome.point.unranked = "no " + metric.path();
  }
  return outcome;
}

}  // namespace hopsim

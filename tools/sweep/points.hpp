// Runs a point of a sweep, and keeps little of it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results.hpp"
#include "scenarios/simulate.hpp"
#include "scenarios/sweep.hpp"

namespace hopsim {

// What points are ranked by: a number of the run's result, by its dotted path. Of rates, utilisations and overlap
// more is better, of all else less.
class Metric {
 public:
  explicit Metric(const std::string& path);  // "time" is time_s

  const std::string& path() const { return path_.value; }
  bool is_makespan() const { return path_.value == "time_s"; }
  bool more_is_better() const { return more_; }
  bool better(double a, double b) const { return more_ ? a > b : a < b; }
  double of(const nlohmann::ordered_json& result) const;  // throws PlacedError where the result has no such number
  std::string text(double value) const;

 private:
  Placed<std::string> path_;
  bool more_ = false;
};

struct SweepPoint {
  std::string error;            // empty: it ran
  std::size_t error_place = 0;  // how many of its characters say where: "rings.yaml:5:34"
  bool failed = false;          // an expectation or a proof, a bound that was beaten, a deadlock
  std::string partial;          // which limit stopped it, and when; empty: none did
  std::string unranked;         // what it lacks to be ranked: "no mfu"; empty: nothing
  double metric = 0;
  Time time;
  Time closed_form;  // of its steps, summed up
  Time lower_bound;  // the largest of its steps
  Time compute, comm, exposed_comm, bound;
  double overlap = 0, max_utilization = 0;
  std::optional<double> mfu;
  Bytes peak_bytes_per_chip;
  std::string algorithms, fingerprint;
  std::vector<std::string> expected;  // a line each

  bool ran() const { return error.empty(); }
  bool ranked() const { return ran() && partial.empty() && unranked.empty(); }
};

struct PointOutcome {
  SweepPoint point;
  nlohmann::ordered_json result;  // as of a run, without cost; null if it has an error
  std::vector<std::string> warnings;

  bool lacked_memory() const;  // which another time, with less beside it, it might not
};

// `late_sets`: KEY=VALUE of what lies below keys of the sweep. Throws for a metric the result does not have, and for
// faults of our own; all else is the point's. Safe to call from several threads.
PointOutcome run_point(const Sweep&, std::size_t point, const RunOptions&, const std::vector<std::string>& late_sets,
                       const Metric&);

}  // namespace hopsim

// A sweep's points as people and spreadsheets read them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/sweep.hpp"
#include "scenarios/sweep_json.hpp"
#include "tools/sweep/points.hpp"

namespace hopsim {

// Whether a key says how much work is done (`bytes` of a step, `dims`, ...) and not how or on what.
bool is_work(const SweepKey&);

// Points of the same work, one after another in the order of the sweep.
struct Work {
  std::vector<std::size_t> points;
  // Of those that ran to their end: the best, the first of equals; the best of the others; the worst.
  std::optional<std::size_t> best, next, last;
};

// How good points are: each against the best of the same work. Where nothing but the work varies, against the best
// of all.
class Ranking {
 public:
  Ranking(const Sweep&, const std::vector<SweepPoint>&, const Metric&);  // the points outlive this

  const std::vector<Work>& works() const { return works_; }
  bool is_best(std::size_t point) const;  // or its equal
  // How many times as good the best is; none where that says nothing.
  std::optional<double> against_best(std::size_t point) const;

 private:
  void group(const Sweep&);
  void rank(Work&) const;

  const std::vector<SweepPoint>& points_;
  bool more_;  // is better
  std::vector<Work> works_;
  std::vector<std::size_t> work_of_;  // by point
};

// The values of a point by the keys' last names: "slice 4x4x4, bytes 1 MiB".
class PointNames {
 public:
  explicit PointNames(const Sweep&);

  const std::vector<std::string>& columns() const { return columns_; }
  enum class Part { all, work, rest };
  std::string name(std::size_t point, Part = Part::all) const;

 private:
  const Sweep& sweep_;
  std::vector<const SweepKey*> keys_;
  std::vector<std::string> columns_;  // of as many last names as tell the keys apart
};

std::string sweep_report(const std::string& scenario, const Sweep&, const std::vector<SweepPoint>&, const Metric&);

// A row of the CSV.
nlohmann::ordered_json sweep_row(nlohmann::ordered_json parameters, const SweepPoint&,
                                 std::optional<double> against_best, const Metric&);

}  // namespace hopsim

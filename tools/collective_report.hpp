// The rows of `hopsim collective` as people and programs read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/results.hpp"
#include "tools/collective_rows.hpp"
#include "tools/table.hpp"

namespace hopsim {

// The two terms of the closed form: what the hops take, and what the bytes take on a link. The larger one says what a
// row is bound by.
struct Terms {
  double latency_s = 0, transfer_s = 0;

  const char* regime() const;  // "latency-bound", "bandwidth-bound", or "-" where nothing moves
};
Terms terms(const PlannedStep&);

// A table of its own making, so that a row can be shown when it is there.
class CollectiveTable {
 public:
  explicit CollectiveTable(const CollectiveRows&);

  std::string heading() const;  // the machine, what runs by which formula, the titles
  std::string line(const CollectiveRow&, const RunResult&) const;

 private:
  std::string about(const PlannedStep&) const;
  std::vector<std::string> cells(const CollectiveRow&, const RunResult*) const;

  const CollectiveRows& all_;
  bool measured_ = false;
  Table table_;
};

// Schema "hopsim.collective/1"; results[i] is of rows[i].
nlohmann::ordered_json collective_json(const CollectiveRows&, const std::vector<RunResult>& results);

}  // namespace hopsim

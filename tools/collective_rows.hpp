// What `hopsim collective` runs: for every operation and every size a program of one step, on one machine, made like
// that of a scenario file, so that flags and files cannot disagree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/plan.hpp"
#include "tools/flags.hpp"
#include "tools/measured_times.hpp"

namespace hopsim {

struct CollectiveArguments {
  std::vector<std::string> operations;                                                  // also JAX's names
  std::optional<std::string> axis, bytes, algorithm, chunks, schedule, root, measured;  // as on the command line
  CommonFlags flags;
};

struct CollectiveRow {
  Plan plan;  // of one step
  std::optional<Time> measured;

  const PlannedStep& step() const { return plan.steps.front(); }
};

struct CollectiveRows {
  MachineModel machine;
  std::vector<CollectiveRow> rows;  // by operation, then size
  std::vector<std::string> warnings;
};

// Throws what the scenarios room throws; places name the flag and count within it.
CollectiveRows plan_rows(const CollectiveArguments&);

}  // namespace hopsim

// What every chip of a machine does: tasks, each begun on a chip once the tasks it comes after have ended on that
// chip. The same on all chips (SPMD). Steps in a row are a chain; `parallel` forks and joins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "sim/quantities.hpp"
#include "sim/schedule.hpp"

namespace hopsim {

struct CollectiveTask {
  std::shared_ptr<const Schedule> schedule;
  // Whose times count for the task: the chips that send or receive something. None: all of them.
  std::function<bool(const Coordinates&)> takes_part{};
};

struct ComputeTask {
  Time busy;  // of the compute unit, on every chip
  // Where chips differ: of each chip, in place of `busy`.
  std::shared_ptr<const std::vector<Time>> busy_of{};
};

// Every chip waits for its host, over links of its own that are no part of the fabric. Occupies nothing else.
struct HostLoadTask {
  Time time;
};

struct BarrierTask {};  // every chip waits for all others; itself it takes no time

struct Task {
  std::variant<CollectiveTask, ComputeTask, HostLoadTask, BarrierTask> work;
  std::vector<std::uint32_t> after;  // indices of earlier tasks
};

using Program = std::vector<Task>;  // each task after those it names

}  // namespace hopsim

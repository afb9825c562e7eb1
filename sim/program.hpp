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
#include "sim/units.hpp"

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

// A product done chunk by chunk: each takes its share of the FLOPs and of the memory traffic of what is cut into
// chunks, and reads or writes again what is not.
struct ChunkedProduct {
  Time flops, memory;                                  // of all chunks
  Time again;                                          // memory, of every chunk
  std::shared_ptr<const std::vector<Ratio>> speeds{};  // of each chip, where some are slow

  // Rounded up. REQUIRES: all > 0.
  Time of_chunk(std::uint64_t part, std::uint64_t all, ChipId) const;
};

// A product that a collective feeds, or that feeds a collective, block by block ("collective matmul"): what is here
// is multiplied while the rest travels. Links and compute unit work at the same time.
struct CollectiveMatmulTask {
  enum class Feed {
    from_arrivals,  // of an AllGather: each chunk is multiplied as it comes in, the chip's own ones at once
    to_departures,  // of a ReduceScatter: each chunk's partial sum is made before it goes out, the chip's own last
  };
  CollectiveTask collective;
  Feed feed{};
  ChunkedProduct product;
  Bytes bytes;  // of all chunks
};

// Every chip waits for its host, over links of its own that are no part of the fabric. Occupies nothing else.
struct HostLoadTask {
  Time time;
};

struct BarrierTask {};  // every chip waits for all others; itself it takes no time

struct Task {
  std::variant<CollectiveTask, ComputeTask, CollectiveMatmulTask, HostLoadTask, BarrierTask> work;
  std::vector<std::uint32_t> after;  // indices of earlier tasks
};

using Program = std::vector<Task>;  // each task after those it names

// The collective of a task, by itself or under a product; else null.
inline const CollectiveTask* collective_of(const Task& task) {
  if (const auto* c = std::get_if<CollectiveTask>(&task.work)) return c;
  const auto* m = std::get_if<CollectiveMatmulTask>(&task.work);
  return m ? &m->collective : nullptr;
}

}  // namespace hopsim

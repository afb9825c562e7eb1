// Builders for tests: a fabric in one line, a collective run on it in another.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/bounds.hpp"
#include "collectives/proof.hpp"
#include "sim/error.hpp"
#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "topologies/grid.hpp"

namespace hopsim::testing {

using namespace hopsim::literals;

inline const LinkModel kIci{45_GBps, 1_us};

inline Shape box(const std::vector<int>& size, bool wrap = true) {
  return grid_shape(size, std::vector<bool>(size.size(), wrap));
}

struct Ran {
  Time time;
  EngineTotals totals;
};

inline Ran run_schedule(const Shape& shape, std::shared_ptr<const Schedule> schedule, const LinkModel& link = kIci,
                        const Overheads& overheads = {}, std::uint64_t shuffle = 0) {
  const Fabric fabric = freeze(grid(shape, link));
  EventEngine engine(fabric, overheads);
  if (shuffle) engine.shuffle_instants(shuffle);
  Machine machine(fabric, engine, overheads);
  Program program;
  program.push_back({.work = CollectiveTask{std::move(schedule)}, .after = {}});
  machine.run(program);
  return {machine.totals()[0].end, engine.totals()};
}

// With its own number of chunks where the request names none (0).
inline std::shared_ptr<const Schedule> schedule_of(std::string_view name, Request r) {
  const bool own = std::exchange(r.chunks, std::max(r.chunks, 1)) == 0;
  const Algorithm& algorithm = choose_algorithm(name, r);
  if (own && algorithm.own_chunks) r.chunks = algorithm.own_chunks(r);
  return std::make_shared<const Schedule>(algorithm.schedule(r));
}

// Seconds; exact expectations are computed in the test.
inline double seconds(const Shape& shape, std::string_view algorithm, const Request& r,
                      const LinkModel& link = kIci) {
  return run_schedule(shape, schedule_of(algorithm, r), link).time.seconds();
}

}  // namespace hopsim::testing

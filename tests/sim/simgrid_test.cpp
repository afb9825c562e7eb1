// The SimGrid engine beside the event engine: the same programs, the same times.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "sim/simgrid_engine.hpp"
#include "tests/sim/phases.hpp"
#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {
struct R { Time t; EngineTotals totals; };
TEST(Simgrid, Try) {
  const Shape s = box({8});
  const Fabric f = freeze(grid(s, kIci));
  SimgridEngine e(f, {});
  Machine m(f, e, {});
  Request r{.operation = Operation::all_gather, .row = row_along(s, 0), .bytes = 1_MiB, .chunks = 4};
  Program p{{.work = CollectiveTask{schedule_of("bidirectional_ring", r)}, .after = {}}};
  m.run(p);
  std::printf("%llu %llu\n", (unsigned long long)m.totals()[0].end.ps(), (unsigned long long)run_schedule(s, schedule_of("bidirectional_ring", r)).time.ps());
}
}
}

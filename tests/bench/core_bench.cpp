// Messages a second of the core, beside the bare loop on the same load, so that their ratio is of one run on one
// machine.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <memory>
#include <stdexcept>

#include "collectives/algorithm.hpp"
#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "tests/bench/bare_loop.hpp"
#include "topologies/grid.hpp"

namespace hopsim::bench {
namespace {

using namespace literals;

constexpr Bytes kArray = 1_GiB;
const LinkModel kIci{45_GBps, 1_us};

Shape torus(std::int64_t n) {
  const int size = static_cast<int>(n);
  return grid_shape({size, size, size}, {true, true, true});
}

Request all_gather(const Shape& shape, int chunks) {
  return {.operation = Operation::all_gather, .row = row_along(shape, 0), .bytes = kArray, .chunks = chunks};
}

Program one_collective(const Request& request, const char* algorithm) {
  auto schedule = std::make_shared<const Schedule>(choose_algorithm(algorithm, request).schedule(request));
  Program program;
  program.push_back({.work = CollectiveTask{std::move(schedule)}, .after = {}});
  return program;
}

void report(benchmark::State& state, std::uint64_t messages, Time end) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["messages/s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["messages"] = static_cast<double>(messages);
  state.counters["simulated_us"] = end.seconds() * 1e6;
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;  // of the process so far
}

// Engine and machine are new in each iteration, as in a run of the program; the fabric is frozen once.
void run_core(benchmark::State& state, const Fabric& fabric, const Program& program,
              const Overheads& overheads = {}) {
  EngineTotals totals;
  Time end;
  for (auto _ : state) {
    EventEngine engine(fabric, overheads);
    Machine machine(fabric, engine, overheads);
    machine.run(program);
    totals = engine.totals();
    end = engine.now();
  }
  report(state, totals.messages, end);
}

// Every ring along x of an n x n x n torus at once, both ways; chunks by the second argument.
void core_all_gather(benchmark::State& state) {
  const Shape shape = torus(state.range(0));
  const Fabric fabric = freeze(grid(shape, kIci));
  run_core(state, fabric, one_collective(all_gather(shape, static_cast<int>(state.range(1))), "bidirectional_ring"));
}

// Latencies all differ, hence so do nearly all times: what grouping by instant cannot help.
void core_all_gather_distinct_times(benchmark::State& state) {
  const Shape shape = torus(state.range(0));
  Fabric fabric = freeze(grid(shape, kIci));
  std::uint64_t z = 1;
  for (Link& l : fabric.links) {
    z = z * 6364136223846793005u + 1442695040888963407u;
    l.latency = Time::picoseconds(l.latency.ps() + (z >> 48) % 50'000);  // up to 5 %
  }
  run_core(state, fabric, one_collective(all_gather(shape, static_cast<int>(state.range(1))), "bidirectional_ring"));
}

void core_all_gather_with_step_overhead(benchmark::State& state) {
  const Shape shape = torus(state.range(0));
  const Fabric fabric = freeze(grid(shape, kIci));
  const Overheads overheads{.step = 300_ns, .chunk = {}, .launch = {}};
  run_core(state, fabric, one_collective(all_gather(shape, static_cast<int>(state.range(1))), "bidirectional_ring"),
           overheads);
}

void bare_loop_all_gather(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  const Bytes shard(kArray.count() / static_cast<std::uint64_t>(n));
  const Time expected = [&] {  // n/2 - 1 shards and half a one, n/2 hops
    const Time half = kIci.bandwidth.duration(Bytes(shard.count() / 2)), whole = kIci.bandwidth.duration(shard);
    const auto hops = static_cast<std::uint64_t>(n / 2);
    return (hops - 1) * whole + half + hops * kIci.latency;
  }();
  BareResult result;
  for (auto _ : state) result = bare_all_gather(n, kIci.bandwidth.duration(shard).ps(), kIci.latency.ps());
  if (result.end_ps > expected.ps() + 1 || result.end_ps + 1 < expected.ps())
    state.SkipWithError("the bare loop runs another load");
  report(state, result.messages, Time::picoseconds(result.end_ps));
}

BENCHMARK(bare_loop_all_gather)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_gather)->Args({8, 1})->Args({16, 1})->Args({32, 1})->Args({16, 4})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_gather_with_step_overhead)->Args({16, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_gather_distinct_times)->Args({16, 1})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hopsim::bench

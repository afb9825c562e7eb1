// Messages a second of the core, proof and trace off, by the sizes of the torus and the number of chunks.
#include <optional>

#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/loads.hpp"
#include "topologies/grid.hpp"

namespace hopsim::bench {
namespace {

// Engine and machine are new in each iteration, as in a run of the program; the fabric is frozen once.
void run(benchmark::State& state, const Fabric& fabric, const Program& program, const Overheads& overheads = {}) {
  Figures figures;
  for (auto _ : state) {
    EventEngine engine(fabric, overheads);
    Machine machine(fabric, engine, overheads);
    machine.run(program);
    figures = {engine.totals().messages, engine.totals().link_hops, engine.now()};
  }
  report(state, figures);
}

int chunks(const benchmark::State& state) { return static_cast<int>(state.range(3)); }

void core_all_gather(benchmark::State& state) {
  run(state, torus_fabric(sizes(state)), all_gather(sizes(state), chunks(state)));
}

void core_all_gather_distinct_times(benchmark::State& state) {
  run(state, torus_fabric_of_distinct_times(sizes(state)), all_gather(sizes(state), chunks(state)));
}

// Every message is delayed before its first link: one event more a message.
void core_all_gather_step_overhead(benchmark::State& state) {
  const Overheads overheads{.step = 300_ns, .chunk = {}, .launch = {}};
  run(state, torus_fabric(sizes(state)), all_gather(sizes(state), chunks(state)), overheads);
}

void core_all_reduce(benchmark::State& state) {
  run(state, torus_fabric(sizes(state)), all_reduce(sizes(state), chunks(state)));
}

void core_all_reduce_distinct_times(benchmark::State& state) {
  run(state, torus_fabric_of_distinct_times(sizes(state)), all_reduce(sizes(state), chunks(state)));
}

void core_all_reduce_jitter(benchmark::State& state) {
  Overheads overheads;
  overheads.jitter = 50_ns;
  run(state, torus_fabric(sizes(state)), all_reduce(sizes(state), chunks(state)), overheads);
}

void core_all_to_all(benchmark::State& state) { run(state, torus_fabric(sizes(state)), all_to_all(sizes(state))); }

void core_all_to_all_distinct_times(benchmark::State& state) {
  run(state, torus_fabric_of_distinct_times(sizes(state)), all_to_all(sizes(state)));
}

void core_nd_all_to_all(benchmark::State& state) {
  run(state, torus_fabric(sizes(state)), nd_all_to_all(sizes(state), chunks(state)));
}

void folded_all_reduce(benchmark::State& state) {
  run(state, folded(torus_fabric(sizes(state))).value(), all_reduce(sizes(state), chunks(state)));
}

BENCHMARK(core_all_gather)
    ->Args({8, 8, 8, 1})
    ->Args({16, 16, 16, 1})
    ->Args({16, 16, 16, 4})
    ->Args({32, 32, 32, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_gather_distinct_times)->Args({16, 16, 16, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_gather_step_overhead)->Args({16, 16, 16, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_reduce)
    ->Args({8, 8, 8, 1})
    ->Args({8, 8, 8, 8})
    ->Args({16, 16, 16, 1})
    ->Args({16, 16, 16, 8})
    ->Args({16, 20, 28, 1})
    ->Args({32, 32, 32, 1})
    ->Args({64, 64, 64, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_reduce_distinct_times)->Args({8, 8, 8, 1})->Args({16, 16, 16, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_reduce_jitter)->Args({8, 8, 8, 1})->Args({16, 16, 16, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_to_all)->Args({8, 8, 8})->Args({16, 16, 16})->Unit(benchmark::kMillisecond);
BENCHMARK(core_all_to_all_distinct_times)->Args({8, 8, 8})->Unit(benchmark::kMillisecond);
BENCHMARK(core_nd_all_to_all)->Args({8, 8, 8, 3})->Args({16, 20, 28, 3})->Unit(benchmark::kMillisecond);
BENCHMARK(folded_all_reduce)->Args({16, 16, 16, 8})->Args({64, 64, 64, 8})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hopsim::bench

#include "tests/bench/figures.hpp"

#include <sys/resource.h>

namespace hopsim::bench {

void report(benchmark::State& state, const Figures& figures) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto rate = [](std::uint64_t n) {
    return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["messages/s"] = rate(figures.messages);
  state.counters["link_hops/s"] = rate(figures.link_hops);
  state.counters["messages"] = static_cast<double>(figures.messages);
  state.counters["simulated_us"] = figures.end.seconds() * 1e6;
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // of the process so far
}

}  // namespace hopsim::bench

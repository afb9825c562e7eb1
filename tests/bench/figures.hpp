// What every benchmark reports beside its time.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "sim/quantities.hpp"
#include "tests/bench/far_first.hpp"

namespace hopsim::bench {

inline Sizes sizes(const benchmark::State& state) {
  return {static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)),
          static_cast<std::uint32_t>(state.range(2))};
}

// Of one iteration.
struct Figures {
  std::uint64_t messages = 0, link_hops = 0;
  Time end;
};
void report(benchmark::State&, const Figures&);

}  // namespace hopsim::bench

// Messages a second of the bare loops. Each must take the time that a formula gives, or it would be another load than
// the core's.
#include "tests/bench/bare_loop.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/loads.hpp"

namespace hopsim::bench {

namespace {

const LinkTimes kTimes{1e12 / static_cast<double>(kBandwidth.bytes_per_second()), kLatency.ps()};

// Rounding of a hop's time is of the order of a picosecond.
void expect_end(benchmark::State& state, const BareResult& result, Time expected, std::uint64_t hops) {
  if (result.end_ps > expected.ps() + hops || result.end_ps + hops < expected.ps())
    state.SkipWithError("the bare loop runs another load");
}

void run(benchmark::State& state, const BareResult& result) {
  report(state, {result.messages, result.link_hops, Time::picoseconds(result.end_ps)});
}

void bare_all_gather(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  const Bytes shard(kArray.count() / static_cast<std::uint64_t>(n));
  const auto hops = static_cast<std::uint64_t>(n / 2);  // of shards, the last one half
  const Time expected =
      (hops - 1) * kBandwidth.duration(shard) + kBandwidth.duration(Bytes(shard.count() / 2)) + hops * kLatency;
  BareResult result;
  for (auto _ : state) result = all_gather_loop(n, kBandwidth.duration(shard).ps(), kLatency.ps());
  expect_end(state, result, expected, hops);
  run(state, result);
}

// On a cube no two parts ever meet on a link: n - 1 hops a dimension, there and back, of a block that is the part of
// one direction, divided by n once more each dimension.
void bare_all_reduce(benchmark::State& state) {
  const Sizes s = sizes(state);
  BareResult result;
  for (auto _ : state) result = all_reduce_loop(s, kArray.count(), kTimes);
  if (s[0] == s[1] && s[1] == s[2]) {
    const std::uint64_t n = s[0];
    Time expected;
    for (std::uint64_t k = 1, blocks = 6 * n; k <= 3; ++k, blocks *= n)
      expected += 2 * (n - 1) * (kBandwidth.duration(Bytes(kArray.count() / blocks)) + kLatency);
    expect_end(state, result, expected, 200 * n);  // blocks are no whole bytes, of 22 ps
  }
  run(state, result);
}

// Links are loaded evenly, so they carry their share of all hops, and it takes no less than that.
void bare_all_to_all(benchmark::State& state) {
  const Sizes s = sizes(state);
  BareResult result;
  for (auto _ : state) result = all_to_all_loop(s, kBlock.count(), kTimes);
  const std::uint64_t chips = std::uint64_t{s[0]} * s[1] * s[2];
  if (result.messages != chips * (chips - 1) ||
      result.end_ps < result.link_hops / (kPorts * chips) * kBandwidth.duration(kBlock).ps())
    state.SkipWithError("the bare loop runs another load");
  run(state, result);
}

BENCHMARK(bare_all_gather)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK(bare_all_reduce)
    ->Args({8, 8, 8})
    ->Args({16, 16, 16})
    ->Args({16, 20, 28})
    ->Args({32, 32, 32})
    ->Args({64, 64, 64})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bare_all_to_all)->Args({8, 8, 8})->Args({16, 16, 16})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hopsim::bench

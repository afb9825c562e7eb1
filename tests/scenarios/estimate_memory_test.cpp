// What a run is thought to take of memory, against what it takes: every allocation of this program is counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "scenarios/build_plan.hpp"
#include "scenarios/estimate.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace {

std::atomic<std::size_t> allocated{0}, most{0};

void* counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  const std::size_t now = allocated += ::malloc_usable_size(p);
  if (now > most) most = now;
  return p;
}

void uncounted(void* p) noexcept {
  if (p != nullptr) allocated -= ::malloc_usable_size(p);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return counted(std::malloc(n)); }
void* operator new(std::size_t n, std::align_val_t align) {
  const auto a = static_cast<std::size_t>(align);
  return counted(std::aligned_alloc(a, (n + a - 1) / a * a));
}
void operator delete(void* p) noexcept { uncounted(p); }
void operator delete(void* p, std::size_t) noexcept { uncounted(p); }
void operator delete(void* p, std::align_val_t) noexcept { uncounted(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { uncounted(p); }

namespace hopsim::test {
namespace {

// Estimated over counted.
double ratio(const std::string& shape, const std::string& step) {
  const Scenario s = scenario("machine: {topology: {kind: torus, shape: " + shape +
                              "}, link: {bandwidth: 45 GB/s, latency: 1 us}, overrides: {peak_flops: 100 TFLOP/s, "
                              "hbm_bandwidth: 1 TB/s}}\nprogram: [" +
                              step + "]\n");
  const MachineModel m = build_machine(s.machine);
  const Plan plan = build_plan(s, m);
  std::uint64_t estimated = 0;
  std::size_t before = 0;
  simulate(m, plan, {.fold = Fold::off, .before = [&](const Estimate& e) {
                       estimated = e.bytes;
                       before = allocated;
                       most = before;
                     }});
  return static_cast<double>(estimated) / static_cast<double>(most - before);
}

// Frames of coroutines are larger where nothing is optimised, and vectors that grew by doubling may be half empty:
// that is counted here, but no memory yet. Hence the width.
TEST(EstimateMemory, IsAboutWhatIsAllocated) {
  for (const char* shape : {"[8, 8, 8]", "[12, 10, 6]"})
    for (const char* step :
         {"{all_reduce: {bytes: 64 MiB}}", "{all_to_all: {bytes: 64 MiB}, algorithm: direct}",
          "{all_to_all: {bytes: 64 MiB}}", "{all_gather: {axis: X, bytes: 64 MiB}}",
          "{all_gather: {axis: Y, bytes: 64 MiB}, chunks: 32}",
          "{transformer_layer: {d_model: 480, d_ff: 960, heads: 120, batch: 120, sequence: 48, tensor: X, data: Y, "
          "pass: both}}"}) {
      const double r = ratio(shape, step);
      RecordProperty(std::string(step).substr(1, 14), std::to_string(r));
      EXPECT_GT(r, 0.5) << shape << step;
      EXPECT_LT(r, 1.8) << shape << step;
    }
}

}  // namespace
}  // namespace hopsim::test

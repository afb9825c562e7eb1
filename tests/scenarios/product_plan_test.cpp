// Strategies on machines: against thresholds worked out by hand, and against runs.
#include "scenarios/product_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

MachineModel machine(const std::string& text) {
  return build_machine(scenario("machine: {" + text + "}\nprogram:\n  - barrier\n").machine);
}

Product product(const MachineModel& m, const std::string& line, const Sizes& sizes) {
  return resolve_product(std::get<Matmul>(parse(line, m.mesh.names())), {m.mesh, sizes, DType::bf16, {}});
}

double bound_us(const MachineModel& m, const Product& p, PlanKind kind) {
  const StrategyPlan plan = plan_product(m, p, {.collectives = {.book = true}, .kind = kind});
  return plan.best().bound().seconds() * 1e6;
}

// "How to Scale Your Model", chapter 3, question 4, on a v5p with C/W = 459e12 / 180e9 = 2550: gathering the weights
// takes max(2BDF/C, 2DF/W), adding up partial sums max(2BDF/(XC), 4BF/W). Below B = 2550 both are bound by
// communication and meet at D = 2B; above, at 2BD/C = 4B/W, D = 5100. F is large, so that the 2 us of hops on either
// side are below 0.2 %.
TEST(ProductPlan, GatherAgainstPartialSumsOnV5p) {
  const MachineModel m = machine("chip: tpu_v5p, slice: 4x4x4, ideal: true");
  struct Case {
    std::uint64_t batch, threshold;
  };
  for (const auto& [batch, threshold] :
       {Case{512, 1024}, Case{1024, 2048}, Case{2048, 4096}, Case{4096, 5100}, Case{8192, 5100}})
    for (const bool above : {false, true}) {
      const std::uint64_t d = (above ? threshold * 102 / 100 : threshold * 98 / 100) / 4 * 4;
      const Product p = product(m, "Z[B, F] = X[B, D] * Y[D_X, F]", {{"B", batch}, {"D", d}, {"F", 65536}});
      const double gather = bound_us(m, p, PlanKind::gather), partial = bound_us(m, p, PlanKind::partial);
      EXPECT_EQ(partial < gather, above) << "B " << batch << ", D " << d << ": " << gather << ", " << partial;
    }
}

// Question 2's fun fact: 2 MiB to gather over X of 4, 15 / 16 of it over twice the links if Z helps. On X alone 3/4
// of V/W and 2 hops; with Z at least V (1 - 1/16) / (2W) and a hop, at most the 4 hops of two rings after one
// another.
TEST(ProductPlan, AnIdleAxisIsPutToWork) {
  const MachineModel m = machine("chip: tpu_v4p, slice: 4x4x4, ideal: true");
  const auto sized = [&](const char* text) {
    ArrayRef a = with_sizes(parse_array(text, m.mesh.names()), {{"B", 1024}, {"D", 4096}});
    a.dtype = DType::bf16;
    return a;
  };
  const StrategyPlan plan = plan_resharding(m, sized("A[B_X, D_Y]"), sized("A[B, D_Y]"), {});
  ASSERT_EQ(plan.strategies.size(), 2u);
  EXPECT_EQ(plan.best().strategy.name, "slice A over Z along B, gather A over XZ");
  const double v = 2.0 * 1024 * 4096 / 4, w = 90e3;  // bytes; a microsecond's worth
  EXPECT_GE(plan.best().time.seconds() * 1e6, v * 15 / 16 / (2 * w) + 1);
  EXPECT_LE(plan.best().time.seconds() * 1e6, v * 15 / 16 / (2 * w) + 4);
  EXPECT_NEAR(plan.strategies[1].time.seconds() * 1e6, v * 3 / 4 / w + 2, 0.001);
}

// On a line the chips end a collective one after the other, so steps overlap a little: what the planner says of its
// choice is what the run takes, to the picosecond.
TEST(ProductPlan, TimesAreThoseOfTheRun) {
  for (const std::string text :
       {"chip: tpu_v5e, slice: 4x4", "chip: tpu_v5p, slice: 4x4x4", "chip: h100_sxm, slice: 8",
        "chip: tpu_v5e, slice: 2x4, faults: [{chip: 3, speed: 50%}]"}) {
    const MachineModel m = machine(text);
    for (const std::string line :
         {"C[I, K] = A[I, J_X] * B[J, K]", "C[I, K] = A[I_X, J] * B[J, K_X]", "C[I_X, K] = A[I, J] * B[J_X, K]"})
      for (const std::string plan : {"auto", "gather"}) {
        const std::string step = "  - {matmul: \"" + line + "\", plan: " + plan + "}\n";
        const Scenario s = scenario("machine: {" + text + "}\ndims: {I: 512, J: 2048, K: 1024}\nprogram:\n" + step);
        const Time run = simulate(m, build_plan(s, m), {}).time;
        const StrategyPlan p =
            plan_product(m, product(m, line, {{"I", 512}, {"J", 2048}, {"K", 1024}}),
                         {.collectives = {}, .kind = plan == "auto" ? PlanKind::automatic : PlanKind::gather});
        EXPECT_EQ(p.best().time, run) << text << ": " << step;
      }
  }
}

// Nothing is launched over an axis of one chip.
TEST(ProductPlan, AxesOfOneChipCostNothing) {
  const std::string text = "chip: tpu_v5p, slice: 2x2x1";
  const MachineModel m = machine(text);
  const std::string line = "C[I, K] = A[I, J_Z] * B[J, K]";
  const Scenario s = scenario("machine: {" + text + "}\ndims: {I: 512, J: 2048, K: 1024}\nprogram:\n  - {matmul: \"" +
                              line + "\", plan: gather}\n");
  const RunResult run = simulate(m, build_plan(s, m), {.verify = true});
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_EQ(run.steps[0].step.kind, "matmul");
  const Product p = product(m, line, {{"I", 512}, {"J", 2048}, {"K", 1024}});
  EXPECT_EQ(plan_product(m, p, {.collectives = {}, .kind = PlanKind::gather}).best().time, run.time);
}

// Problem 5: W_in[D, F] is 512 MiB and a chip may hold 300 MB. Whole it does not fit; a quarter of it does.
TEST(ProductPlan, OnlyWhatFitsIsChosen) {
  const MachineModel m = machine("chip: tpu_v5e, slice: 2x2, ideal: true");
  const Sizes sizes{{"B", 128}, {"D", 8192}, {"F", 32768}};
  PlanOptions options{.collectives = {}, .memory = Bytes(300'000'000), .must_fit = true, .free_operands = true};
  const StrategyPlan plan = plan_product(m, product(m, "Mid[?, ?] = In[B, D] * W[D, F]", sizes), options);
  EXPECT_LE(plan.best().strategy.bytes_per_chip, Bytes(300'000'000));
  options.memory = Bytes(100'000'000);
  EXPECT_THAT(error_of([&] { plan_product(m, product(m, "Mid[?, ?] = In[B, D] * W[D, F]", sizes), options); }),
              ::testing::AllOf(::testing::HasSubstr("no way of doing it fits a chip's memory"),
                               ::testing::HasSubstr("at least 1")));
}

TEST(ProductPlan, ALineWithoutSuchAWaySaysSo) {
  const MachineModel m = machine("chip: tpu_v5e, slice: 2x2, ideal: true");
  const Product p = product(m, "C[I_X, K] = A[I_X, J] * B[J, K]", {{"I", 8}, {"J", 8}, {"K", 8}});
  EXPECT_THAT(error_of([&] { plan_product(m, p, {.collectives = {}, .kind = PlanKind::partial}); }),
              ::testing::HasSubstr("no way leaves partial sums"));
}

}  // namespace
}  // namespace hopsim::test

// Layers in a program: what of their text is refused, which tasks they become, what they hold.
//
// On ideal tpu_v5p chips: 459 TFLOP/s, 2.8 TB/s of HBM, 90 GB/s one way a link, 1 us a hop, 96 GB.
#include "scenarios/layer_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/build_plan.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/simulate.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr const char* kRing = "chip: tpu_v5p, slice: 4x1x1, wrap: [true, false, false], mesh: {X: 4}, ideal: true";
constexpr const char* kCube = "chip: tpu_v5p, slice: 4x4x4, mesh: {X: 4, Y: 4, Z: 4}, ideal: true";
constexpr const char* kMlp = "d_model: 4096, d_ff: 16384, batch: 4, sequence: 2048";
constexpr const char* kLayer = "d_model: 4096, d_ff: 16384, heads: 32, batch: 4, sequence: 2048";

std::string document(const std::string& step, const std::string& machine) {
  return "machine: {" + machine + "}\nprogram:\n  - " + step + "\n";
}

std::string layer(const std::string& operation, const std::string& sizes, const std::string& more = {}) {
  return operation + ": {" + sizes + (more.empty() ? "" : ", " + more) + "}";
}

Plan plan(const std::string& step, const std::string& machine = kRing) {
  const Scenario s = scenario(document(step, machine));
  return build_plan(s, build_machine(s.machine));
}

RunResult run(const std::string& step, const std::string& machine = kRing) {
  const Scenario s = scenario(document(step, machine));
  const MachineModel m = build_machine(s.machine);
  return simulate(m, build_plan(s, m), {.verify = true});
}

std::string refusal(const std::string& step, const std::string& machine = kRing) {
  return error_of([&] { plan(step, machine); });
}

std::vector<std::string> kinds(const Plan& p) {
  std::vector<std::string> kinds;
  for (const PlannedStep& s : p.steps) kinds.push_back(s.kind);
  return kinds;
}

std::vector<std::string> axes(const std::string& more, const std::string& machine) {
  const Plan p = plan(layer("megatron_mlp", kMlp, more), machine);
  std::vector<std::string> all = p.layers.at(0).spec.tensor;
  all.push_back("|");
  all.insert(all.end(), p.layers.at(0).spec.data.begin(), p.layers.at(0).spec.data.end());
  return all;
}

std::size_t index_of(const std::vector<PlannedStep>& steps, const std::string& begin) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].text.starts_with(begin)) return i;
  ADD_FAILURE() << "no step " << begin;
  return 0;
}

TEST(LayerStep, AxesByNameOrBySize) {
  EXPECT_THAT(axes("tensor: XY, data: Z", kCube), ElementsAre("X", "Y", "|", "Z"));
  EXPECT_THAT(axes("tensor: [Z, X]", kCube), ElementsAre("Z", "X", "|"));
  EXPECT_THAT(axes("tensor: 1", kCube), ElementsAre("|"));
  const std::string mesh = "chip: tpu_v5p, slice: 4x4x4, mesh: {X: 16, Y: 4}";
  EXPECT_THAT(axes("tensor: 16, data: 4", mesh), ElementsAre("X", "|", "Y"));
  EXPECT_THAT(axes("data: X, tensor: 4", "chip: tpu_v5p, slice: 4x4x1, mesh: {X: 4, Y: 4}"),
              ElementsAre("Y", "|", "X"))
      << "the one the other key does not name";
}

TEST(LayerStep, OptionsInsideOrBeside) {
  for (const char* step :
       {"{megatron_mlp: {d_model: 64, d_ff: 64, batch: 4, sequence: 8}, tensor: X, schedule: book}",
        "{megatron_mlp: {d_model: 64, d_ff: 64, batch: 4, sequence: 8, tensor: X, schedule: book}}"})
    EXPECT_TRUE(plan(step).steps.at(2).collective->book) << step;
  EXPECT_EQ(plan(layer("megatron_mlp", kMlp, "tensor: X, dtype: int8")).steps.at(2).collective->bytes,
            Bytes(8192 * 4096));
}

TEST(LayerStep, WhatIsRefused) {
  const struct {
    std::string step, message;
  } cases[] = {
      {"megatron_mlp: {d_model: 1}", "f.yaml:3:19: megatron_mlp needs the key d_ff"},
      {layer("megatron_mlp", kMlp, "heads: 8"),
       "f.yaml:3:74: unknown key in megatron_mlp; got heads; valid: d_model, d_ff, batch, sequence, tensor"},
      {layer("megatron_attention", "d_ff: 8"), "f.yaml:3:26: unknown key in megatron_attention; got d_ff"},
      {layer("megatron_mlp", kMlp, "pass: back"), "f.yaml:3:80: unknown value of pass; got back; valid: forward"},
      {layer("megatron_mlp", kMlp, "layers: 0"), "f.yaml:3:82: layers: a count is too small"},
      {layer("megatron_mlp", kMlp, "layers: 1001"), "f.yaml:3:82: layers: a count is too large"},
      {layer("megatron_mlp", kMlp, "tensor: Q"), "f.yaml:3:82: unknown axis; got Q; valid: X"},
      {layer("megatron_mlp", kMlp, "tensor: []"), "f.yaml:3:82: tensor lists no axis"},
      {layer("megatron_mlp", kMlp, "tensor: 8"),
       "f.yaml:3:82: tensor: no axis of the mesh is of 8 chips; got 8; valid: names of axes, of X of 4"},
      {layer("megatron_mlp", kMlp, "tensor: X, data: X"), "f.yaml:3:91: an axis is both tensor and data; got X"},
      {layer("megatron_mlp", "d_model: 8, d_ff: 8, batch: 6, sequence: 8, data: X"),
       "f.yaml:3:48: the layer's batch must be a multiple of 4"},
      {layer("transformer_layer", "d_model: 60, d_ff: 8, heads: 6, batch: 4, sequence: 8, tensor: X"),
       "f.yaml:3:54: the layer's heads must be a multiple of 4"},
      {layer("transformer_layer", "d_model: 64, d_ff: 8, heads: 8, kv_heads: 2, batch: 4, sequence: 8, tensor: X"),
       "f.yaml:3:67: the layer's kv_heads must be a multiple of 4"},
      {layer("megatron_mlp", kMlp, "tensor: X, algorithm: bucked"), "f.yaml:3:96: unknown algorithm"},
      {layer("megatron_mlp", kMlp, "overlap: collective_matmul"),
       "f.yaml:3:83: no product of this layer can be overlapped with what is communicated before or behind it"},
      {layer("megatron_mlp", kMlp, "tensor: X, overlap: collective_matmul, chunks: 9000"),
       "f.yaml:3:121: more chunks than a shard has rows along b, s; got 9000; valid: 1 to 8192"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal(c.step), StartsWith(c.message)) << c.step;
  EXPECT_THAT(refusal(layer("megatron_mlp", kMlp, "tensor: 4"), kCube),
              StartsWith("f.yaml:3:82: tensor: several axes of the mesh are of 4 chips; got 4; valid: names of axes, "
                         "of X of 4, Y of 4, Z of 4"));
}

TEST(LayerLines, FusedStepsMakeNoTask) {
  const Plan p = plan(layer("megatron_mlp", kMlp, "tensor: X"));
  ASSERT_THAT(kinds(p), ElementsAre("matmul", "matmul", "all_reduce"));  // no gelu between
  EXPECT_THAT(p.program[1].after, ElementsAre(0u));
  EXPECT_THAT(p.program[2].after, ElementsAre(1u));
  EXPECT_EQ(p.steps[0].text, "A[b, s, f_X] = X[b, s, m] * W1[m, f_X]");
  EXPECT_THAT(p.steps[2].axes, ElementsAre("X"));
  EXPECT_EQ(p.steps[2].output, "Y[b, s, m]");
  EXPECT_THAT(kinds(plan(layer("megatron_mlp", kMlp))), ElementsAre("matmul", "matmul"));  // nor a sum over one chip
}

TEST(LayerLines, LinesFollowOneAnother) {
  const std::string mlp = layer("megatron_mlp", kMlp, "data: X, pass: both");
  const Plan p = plan(mlp + "\n  - compute: {time: 1 us}");
  ASSERT_THAT(kinds(p), ElementsAre("matmul", "matmul", "matmul", "matmul", "all_reduce", "matmul", "matmul",
                                    "all_reduce", "compute"));
  EXPECT_THAT(p.program.back().after, ElementsAre(7u));  // which came after all others
}

// 8192 tokens a chip: a product takes 2395 us, the AllReduce of a gradient 2 x 3/4 x 128 MiB / 180 GB/s + 4 us.
TEST(LayerLines, GradientsAreSummedBehindTheBackwardPass) {
  const RunResult r =
      run(layer("megatron_mlp", "d_model: 4096, d_ff: 16384, batch: 16, sequence: 2048", "data: X, pass: both"));
  std::vector<PlannedStep> steps;
  for (const StepResult& s : r.steps) steps.push_back(s.step);
  const StepResult& sum = r.steps[index_of(steps, "dW2[f, m] = AllReduce")];
  const StepResult& product = r.steps[index_of(steps, "dX[b_X, s, m] = ")];
  EXPECT_EQ(sum.start, product.start);
  EXPECT_LT(sum.end, product.end);
  EXPECT_NEAR(r.exposed_comm.seconds(), 1122.481e-6, 1e-9);  // of the last one
  EXPECT_NEAR(r.comm.seconds(), 2 * 1122.481e-6, 1e-9);
  EXPECT_EQ(r.lines_proven, 1u);
}

TEST(LayerLines, SequenceParallelismHalvesEverySum) {
  const auto moved = [](const char* more) {
    const Plan p = plan(layer("transformer_layer", kLayer, std::string("tensor: X, pass: both") + more));
    std::map<std::string, int> count;
    for (const std::string& kind : kinds(p)) ++count[kind];
    return count;
  };
  auto summed = moved(""), halved = moved(", sequence_parallel: true");
  EXPECT_EQ(summed["all_reduce"], 4);
  EXPECT_EQ(halved["all_reduce"], 0);
  EXPECT_EQ(halved["all_gather"], 4);
  EXPECT_EQ(halved["reduce_scatter"], 4);
}

TEST(LayerLines, AStackSharesItsSchedules) {
  const Plan p = plan(layer("transformer_layer", kLayer, "tensor: X, data: Y, pass: both, layers: 80"), kCube);
  std::set<const Schedule*> schedules;
  std::size_t collectives = 0;
  for (const Task& t : p.program)
    if (const CollectiveTask* c = collective_of(t)) {
      schedules.insert(c->schedule.get());
      ++collectives;
    }
  EXPECT_EQ(collectives, 80u * (4 + 6));  // activations, and gradients of six weights
  EXPECT_EQ(schedules.size(), 3u);        // of activations; of weights of attention, of the MLP
}

TEST(LayerLines, PairsOverlapWhereTheyAreToldToOrWhereItIsFaster) {
  const std::string sizes = "tensor: X, sequence_parallel: true, pass: both, overlap: ";
  EXPECT_THAT(kinds(plan(layer("megatron_mlp", kMlp, sizes + "none"))), Each(Not("collective_matmul")));
  const Plan all = plan(layer("megatron_mlp", kMlp, sizes + "collective_matmul"));
  ASSERT_THAT(kinds(all), ElementsAre("collective_matmul", "collective_matmul", "collective_matmul", "matmul",
                                      "collective_matmul", "matmul"));
  EXPECT_THAT(all.program[3].after, ElementsAre(2u));  // dW2, which reads what was gathered
  const Plan faster = plan(layer("megatron_mlp", kMlp, sizes + "auto"));
  EXPECT_THAT(kinds(faster), ElementsAre("collective_matmul", "collective_matmul", "collective_matmul", "matmul",
                                         "matmul", "reduce_scatter", "matmul"));  // behind dW1 it is hidden anyway
}

TEST(LayerLines, ASumInChunksLetsTheNextProductStart) {
  const Plan p =
      plan(layer("megatron_mlp", kMlp, "tensor: X, pass: backward, overlap: collective_matmul, chunks: 2"));
  ASSERT_THAT(kinds(p), ElementsAre("matmul", "matmul", "matmul", "all_reduce", "matmul", "all_reduce", "matmul"));
  EXPECT_THAT(p.program[2].after, ElementsAre(1u));
  EXPECT_THAT(p.program[4].after, ElementsAre(2u));
  EXPECT_THAT(p.program[5].after, UnorderedElementsAre(3u, 4u));
  EXPECT_THAT(p.program[6].after, ElementsAre(4u));
}

// Weights and gradients of an MLP: 2 x 2 x 4096 x 16384 / 4 bytes each.
TEST(LayerLines, WhatIsHeldIsCountedOnce) {
  const std::string both = layer("megatron_mlp", kMlp, "tensor: X, pass: both, layers: 3");
  const std::string forward = layer("megatron_mlp", kMlp, "tensor: X, layers: 3");
  const Plan p = plan(both);
  const LayerMemory& m = p.layers.at(0).memory;
  EXPECT_EQ(m.weights.count(), 3u * 2 * 2 * 4096 * 16384 / 4);
  EXPECT_EQ(m.gradients, m.weights);
  EXPECT_EQ(p.bytes_per_chip(), m.total());
  EXPECT_EQ(p.arrays.at(0).sharding, "W1[layer, m, f_X]");
  EXPECT_EQ(p.arrays.at(0).layout.bytes_per_chip.count(), 3u * 2 * 4096 * 16384 / 4);
  EXPECT_EQ(plan(forward + "\n  - " + both).bytes_per_chip(), m.total()) << "the same layers";
  const Plan other = plan(both + "\n  - " +
                          layer("megatron_mlp", "d_model: 4096, d_ff: 16384, batch: 8, sequence: 2048", "tensor: X"));
  EXPECT_EQ(other.bytes_per_chip(), m.total() + other.layers.at(1).memory.total());
  EXPECT_EQ(other.arrays.back().name, "step 2: Y");
}

TEST(LayerLines, LayersThatDoNotFitAreToldWhatWould) {
  const std::string sizes = "d_model: 8192, d_ff: 28672, heads: 64, batch: 16, sequence: 4096";
  const std::string both = layer("transformer_layer", sizes, "tensor: X, data: Y, pass: both, layers: 80");
  const std::string message = refusal(both, kCube);
  EXPECT_THAT(message, StartsWith("f.yaml:3:5: 80 of transformer_layer do not fit a chip of tpu_v5p, which has 96 GB "
                                  "of memory; got "));
  EXPECT_THAT(message, AllOf(HasSubstr(" GB of weights, "), HasSubstr(" GB of gradients, "),
                             HasSubstr(" GB of activations, "), HasSubstr("; valid: recompute: full, or ")));
  // What is offered fits, one layer more does not.
  const std::size_t at = message.find("layers: ");
  ASSERT_NE(at, std::string::npos);
  const int most = std::stoi(message.substr(at + 8));
  const auto with = [&](int layers) {
    return refusal(
        layer("transformer_layer", sizes, "tensor: X, data: Y, pass: both, layers: " + std::to_string(layers)),
        kCube);
  };
  EXPECT_EQ(with(most), "no error");
  EXPECT_THAT(with(most + 1), HasSubstr("do not fit"));
  EXPECT_THAT(
      refusal(layer("transformer_layer", sizes, "tensor: X, data: Y, pass: both, layers: 80, recompute: full"),
              kCube),
      "no error");
  EXPECT_THAT(refusal(layer("megatron_mlp", "d_model: 1000000, d_ff: 1000000, batch: 4, sequence: 1"), kCube),
              HasSubstr("valid: a tensor axis of 50 chips"));
  EXPECT_THAT(refusal(layer("megatron_mlp", "d_model: 1000000, d_ff: 1000003, batch: 1, sequence: 1"), kCube),
              HasSubstr("valid: none of recompute, sequence_parallel, a larger tensor axis, a smaller batch or fewer "
                        "layers is enough alone"));
}

// What a backward pass computes again is work, but no model FLOPs: 24 b s m^2 and 4 b s^2 m of a layer, three times.
TEST(LayerLines, ModelFlopsAreThoseOfTheModel) {
  const double model = 3 * (24.0 * 4 * 2048 * 4096 * 4096 + 4.0 * 4 * 2048 * 2048 * 4096);
  for (const char* recompute : {"none", "selective", "full", "full, overlap: collective_matmul"}) {
    const RunResult r =
        run(layer("transformer_layer", kLayer, std::string("tensor: X, pass: both, recompute: ") + recompute));
    EXPECT_NEAR(*r.mfu, model / 4 / 459e12 / r.time.seconds(), 1e-6) << recompute;
  }
}

}  // namespace
}  // namespace hopsim::test

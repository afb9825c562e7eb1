// What layers cost and what they wait for, against the formulas of the papers and counts made by hand.
#include "sharding/layer.hpp"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace hopsim {
namespace {

using enum LayerKind;

// b = 16 sequences of s = 32 tokens, m = 64, f = 256, 8 heads of k = 8; bf16.
constexpr std::uint64_t b = 16, s = 32, m = 64, f = 256, heads = 8;

LayerSpec spec_of(LayerKind kind, LayerPass pass = LayerPass::forward) {
  LayerSpec spec;
  spec.kind = kind;
  spec.d_model = m;
  spec.d_ff = f;
  spec.heads = spec.kv_heads = heads;
  spec.batch = b;
  spec.sequence = s;
  spec.tensor = {"T"};
  spec.data = {"D"};
  spec.pass = pass;
  return spec;
}

Mesh mesh_of(std::uint32_t tensor, std::uint32_t data) { return Mesh({{"D", data}, {"T", tensor}}); }

// ---- Collectives

struct Traffic {
  std::uint64_t count = 0, bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
std::ostream& operator<<(std::ostream& out, const Traffic& t) { return out << t.count << " of " << t.bytes << " B"; }

Traffic traffic(const Layer& layer, CollectiveKind kind, LayerPass pass, bool behind = false) {
  Traffic t;
  for (const LayerStep& step : layer.steps) {
    const auto* c = std::get_if<ResolvedCollective>(&step.work);
    if (c == nullptr || c->kind != kind || step.pass != pass || step.behind != behind) continue;
    ++t.count;
    t.bytes += c->bytes.count();
    EXPECT_GT(c->group, 1u);
  }
  return t;
}

std::size_t collectives(const Layer& layer) {
  std::size_t count = 0;
  for (const LayerStep& step : layer.steps) count += std::holds_alternative<ResolvedCollective>(step.work) ? 1 : 0;
  return count;
}

// How many AllReduces a pass has: of the blocks' results forward, of their inputs' gradients backward.
struct Sums {
  LayerKind kind;
  std::uint64_t forward, backward, weights;
};
const std::vector<Sums> kSums{
    {column_linear, 0, 1, 1}, {row_linear, 1, 0, 1}, {mlp, 1, 1, 2}, {attention, 1, 1, 4}, {transformer, 2, 2, 6}};

TEST(Layer, AllReducesOfEachPass) {
  using enum CollectiveKind;
  for (const auto& [kind, forward, backward, weights] : kSums) {
    for (const std::uint32_t tensor : {1, 2, 4}) {
      for (const std::uint32_t data : {1, 2}) {
        const Layer layer = build_layer(spec_of(kind, LayerPass::both), mesh_of(tensor, data));
        const std::uint64_t v = b / data * s * m * 2, any = tensor > 1 ? 1 : 0;
        EXPECT_EQ(traffic(layer, all_reduce, LayerPass::forward), (Traffic{any * forward, any * forward * v}));
        EXPECT_EQ(traffic(layer, all_reduce, LayerPass::backward), (Traffic{any * backward, any * backward * v}));
        EXPECT_EQ(traffic(layer, all_reduce, LayerPass::backward, true).count, data > 1 ? weights : 0);
        EXPECT_EQ(collectives(layer), any * (forward + backward) + (data > 1 ? weights : 0));
      }
    }
  }
}

// AllReduce of V = ReduceScatter of V + AllGather of V: the same bytes, in twice as many steps.
TEST(Layer, SequenceParallelismMovesTheSameBytes) {
  using enum CollectiveKind;
  for (const auto& [kind, forward, backward, weights] : kSums) {
    for (const std::uint32_t tensor : {1, 2, 4}) {
      LayerSpec spec = spec_of(kind, LayerPass::both);
      spec.sequence_parallel = true;
      const Layer layer = build_layer(spec, mesh_of(tensor, 2));
      const std::uint64_t v = b / 2 * s * m * 2, any = tensor > 1 ? 1 : 0;
      // A column linear gathers forward what its gradient scatters backward, a row linear the reverse.
      const Traffic sums_forward{any * forward, any * forward * v}, sums_backward{any * backward, any * backward * v};
      EXPECT_EQ(traffic(layer, reduce_scatter, LayerPass::forward), sums_forward);
      EXPECT_EQ(traffic(layer, all_gather, LayerPass::forward), sums_backward);
      EXPECT_EQ(traffic(layer, reduce_scatter, LayerPass::backward), sums_backward);
      EXPECT_EQ(traffic(layer, all_gather, LayerPass::backward), sums_forward);
      EXPECT_EQ(traffic(layer, all_reduce, LayerPass::forward).count, 0u);
      EXPECT_EQ(traffic(layer, all_reduce, LayerPass::backward).count, 0u);
    }
  }
}

// The forward pass's collectives again, but the last.
TEST(Layer, FullRecomputationCommunicatesAgain) {
  using enum CollectiveKind;
  LayerSpec spec = spec_of(transformer, LayerPass::both);
  spec.recompute = Recompute::full;
  EXPECT_EQ(traffic(build_layer(spec, mesh_of(2, 1)), all_reduce, LayerPass::backward).count, 2u + 1);
  spec.sequence_parallel = true;
  const Layer layer = build_layer(spec, mesh_of(2, 1));
  EXPECT_EQ(traffic(layer, all_gather, LayerPass::backward).count, 2u + 2);
  EXPECT_EQ(traffic(layer, reduce_scatter, LayerPass::backward).count, 2u + 1);
  spec.recompute = Recompute::selective;
  EXPECT_EQ(collectives(build_layer(spec, mesh_of(2, 1))), 8u);
}

TEST(Layer, GradientsAreSummedAtTheirSize) {
  const Layer layer = build_layer(spec_of(transformer, LayerPass::backward), mesh_of(4, 2));
  // Wq, Wk, Wv, Wo of m x m and W1, W2 of m x f, a quarter each.
  EXPECT_EQ(traffic(layer, CollectiveKind::all_reduce, LayerPass::backward, true).bytes,
            (4 * m * m + 2 * m * f) / 4 * 2);
}

TEST(Layer, SeveralAxesMakeOneGroup) {
  LayerSpec spec = spec_of(mlp, LayerPass::both);
  spec.tensor = {"Y", "X"};
  spec.data = {"D", "One"};
  const Mesh mesh({{"X", 2}, {"One", 1}, {"Y", 4}, {"D", 2}});
  const Layer layer = build_layer(spec, mesh);
  const LayerStep& sum = layer.steps.at(3);
  EXPECT_EQ(line(sum), "Y[b_D, s, m] = AllReduce_YX(Y[b_D, s, m]{U_YX})");
  EXPECT_EQ(std::get<ResolvedCollective>(sum.work).group, 8u);
  EXPECT_EQ(line(layer.steps.at(0)), "A[b_D, s, f_YX] = X[b_D, s, m] * W1[m, f_YX]");
}

// ---- Computation

std::uint64_t flops(const Layer& layer, LayerPass pass) {
  std::uint64_t sum = 0;
  for (const LayerStep& step : layer.steps)
    if (const auto* p = std::get_if<LocalProduct>(&step.work); p != nullptr && step.pass == pass)
      sum += static_cast<std::uint64_t>(p->flops.count());
  return sum;
}

TEST(Layer, FlopsByTheFormula) {
  constexpr std::uint64_t tokens = b * s, scores = 2 * tokens * s * m;  // one of Q K^T, P V
  const std::map<LayerKind, std::uint64_t> forward{{column_linear, 2 * tokens * m * f},
                                                   {row_linear, 2 * tokens * m * f},
                                                   {mlp, 4 * tokens * m * f},
                                                   {attention, 8 * tokens * m * m + 2 * scores},
                                                   {transformer, 24 * tokens * m * m + 4 * tokens * s * m}};
  for (const auto& [kind, expected] : forward) {
    for (const std::uint32_t tensor : {1, 2, 4}) {
      for (const std::uint32_t data : {1, 2}) {
        LayerSpec spec = spec_of(kind, LayerPass::both);
        const auto backward = [&](Recompute recompute) {
          spec.recompute = recompute;
          return flops(build_layer(spec, mesh_of(tensor, data)), LayerPass::backward) * tensor * data;
        };
        EXPECT_EQ(flops(build_layer(spec, mesh_of(tensor, data)), LayerPass::forward) * tensor * data, expected);
        EXPECT_EQ(backward(Recompute::none), 2 * expected);
        EXPECT_EQ(backward(Recompute::full), 3 * expected);
        EXPECT_EQ(backward(Recompute::selective) - 2 * expected,
                  kind == attention || kind == transformer ? scores : 0);
      }
    }
  }
}

// Two query heads to each key/value head: K and V and their weights are half as large.
TEST(Layer, GroupedHeads) {
  LayerSpec spec = spec_of(attention);
  spec.kv_heads = heads / 2;
  const Layer layer = build_layer(spec, mesh_of(2, 1));
  EXPECT_EQ(flops(layer, LayerPass::forward) * 2, 2 * b * s * m * m * (1 + 0.5 + 0.5 + 1) + 4 * b * s * s * m);
  EXPECT_EQ(layer.memory.weights.count(), 3 * m * m / 2 * 2);
}

Bytes bytes_of(const Layer& layer, const std::string& begins, std::size_t which = 0) {
  for (const LayerStep& step : layer.steps) {
    if (!line(step).starts_with(begins) || which-- > 0) continue;
    if (const auto* p = std::get_if<LocalProduct>(&step.work)) return p->bytes;
    if (const auto* e = std::get_if<LayerElementwise>(&step.work)) return e->bytes;
  }
  ADD_FAILURE() << "no step " << begins;
  return {};
}

TEST(Layer, BytesOfComputation) {
  constexpr std::uint64_t x = b * s * m * 2, score = b * heads * s * s * 2 / 2, head = x / 2;  // over 2 chips
  Layer layer = build_layer(spec_of(transformer, LayerPass::both), mesh_of(2, 1));
  EXPECT_EQ(bytes_of(layer, "A[").count(), x + m * f + b * s * f);  // W1 and A: a half of 2 bytes each
  EXPECT_EQ(bytes_of(layer, "H[").count(), 0u);
  EXPECT_EQ(bytes_of(layer, "N1[").count(), 2 * x);
  EXPECT_EQ(bytes_of(layer, "R[").count(), 3 * x);
  EXPECT_EQ(bytes_of(layer, "S[").count(), 2 * head + score);
  EXPECT_EQ(bytes_of(layer, "P[").count(), 2 * score);
  EXPECT_EQ(bytes_of(layer, "O[").count(), 2 * head + score);
  EXPECT_EQ(bytes_of(layer, "dS[").count(), 3 * score);
  EXPECT_EQ(bytes_of(layer, "dN1[").count(), head + m * m + x);
  EXPECT_EQ(bytes_of(layer, "dN1[", 1).count(), head + m * m + 2 * x);  // added to what is there

  LayerSpec fused = spec_of(transformer, LayerPass::both);
  fused.recompute = Recompute::selective;
  layer = build_layer(fused, mesh_of(2, 1));
  EXPECT_EQ(bytes_of(layer, "S[").count(), 2 * head);
  EXPECT_EQ(bytes_of(layer, "P[").count(), 0u);
  EXPECT_EQ(bytes_of(layer, "dS[").count(), 0u);
  EXPECT_EQ(bytes_of(build_layer(spec_of(attention), mesh_of(2, 1)), "O[").count(), 2 * head);
}

// Between the blocks, sequence parallelism splits norms and residual sums.
TEST(Layer, SequenceParallelismSplitsWhatLiesBetween) {
  LayerSpec spec = spec_of(transformer);
  spec.sequence_parallel = true;
  EXPECT_EQ(bytes_of(build_layer(spec, mesh_of(4, 1)), "R[").count(), 3 * b * s * m * 2 / 4);
}

// ---- Order

// All steps that end before this one starts.
std::set<std::uint32_t> before(const Layer& layer, std::uint32_t step) {
  std::set<std::uint32_t> all;
  for (const std::uint32_t earlier : layer.steps[step].after) {
    EXPECT_LT(earlier, step);
    all.merge(before(layer, earlier));
    all.insert(earlier);
  }
  return all;
}

std::uint32_t step_of(const Layer& layer, const std::string& begins) {
  for (std::uint32_t i = 0; i < layer.steps.size(); ++i)
    if (line(layer.steps[i]).starts_with(begins)) return i;
  ADD_FAILURE() << "no step " << begins;
  return 0;
}

TEST(Layer, ComputationIsInOrder) {
  LayerSpec spec = spec_of(transformer, LayerPass::both);
  spec.recompute = Recompute::full;
  spec.sequence_parallel = true;
  const Layer layer = build_layer(spec, mesh_of(2, 2));
  std::uint32_t last = 0;
  for (std::uint32_t i = 1; i < layer.steps.size(); ++i) {
    if (std::holds_alternative<ResolvedCollective>(layer.steps[i].work)) continue;
    EXPECT_TRUE(before(layer, i).contains(last)) << i;
    last = i;
  }
}

// dW is computed while dX is summed; gradients are summed one after the other, and nobody waits for them.
TEST(Layer, WhatMayOverlap) {
  for (const bool sequence_parallel : {false, true}) {
    LayerSpec spec = spec_of(mlp, LayerPass::both);
    spec.sequence_parallel = sequence_parallel;
    spec.layers = 2;
    const Layer layer = build_layer(spec, mesh_of(2, 2));
    const std::uint32_t partial = step_of(layer, "dX["), sum = partial + 1, weight = step_of(layer, "dW1[");
    EXPECT_TRUE(std::holds_alternative<ResolvedCollective>(layer.steps[sum].work));
    EXPECT_TRUE(before(layer, sum).contains(partial));
    EXPECT_FALSE(before(layer, sum).contains(weight));
    EXPECT_TRUE(before(layer, weight).contains(partial));
    EXPECT_FALSE(before(layer, weight).contains(sum));
    std::vector<std::uint32_t> behind;
    for (std::uint32_t i = 0; i < layer.steps.size(); ++i) {
      for (const std::uint32_t earlier : layer.steps[i].after)
        EXPECT_TRUE(layer.steps[i].behind || !layer.steps[earlier].behind);
      if (layer.steps[i].behind) behind.push_back(i);
    }
    ASSERT_EQ(behind.size(), 4u);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(before(layer, behind[i]).contains(behind[i - 1]));
    const std::uint32_t next = step_of(layer, "dW1[") + 2;  // the first of the layer below
    EXPECT_EQ(layer.steps[next].layer, 0u);
    EXPECT_TRUE(before(layer, next).contains(sum));
  }
}

// The gradient of the output comes of the output.
TEST(Layer, TheBackwardPassFollowsTheForwardPass) {
  const Layer layer = build_layer(spec_of(mlp, LayerPass::both), mesh_of(2, 1));
  EXPECT_TRUE(before(layer, step_of(layer, "dH[")).contains(3));
  EXPECT_EQ(line(layer.steps[3]), "Y[b, s, m] = AllReduce_T(Y[b, s, m]{U_T})");
}

// ---- Memory

// Per token, in bytes: Korthikanti et al. count 34 m + 5 a s, of which 2 m + a s are dropout masks and 2 a s a
// dropout's output, which we have not.
TEST(Layer, ActivationsAsThePaperCounts) {
  LayerSpec spec = spec_of(transformer, LayerPass::both);
  const auto kept = [&](std::uint32_t tensor) { return layer_memory(spec, mesh_of(tensor, 1)).activations.count(); };
  EXPECT_EQ(kept(1), b * s * (32 * m + 2 * heads * s));
  EXPECT_EQ(kept(4), b * s * (8 * m + (24 * m + 2 * heads * s) / 4));
  spec.sequence_parallel = true;  // but both gathered inputs are kept whole
  EXPECT_EQ(kept(4), b * s * (4 * m + (28 * m + 2 * heads * s) / 4));
  spec.recompute = Recompute::selective;
  EXPECT_EQ(kept(4), b * s * (4 * m + 28 * m / 4));
  spec.recompute = Recompute::full;
  EXPECT_EQ(kept(4), b * s * 2 * m / 4);
  spec.sequence_parallel = false;
  spec.layers = 3;
  EXPECT_EQ(kept(4), 3 * b * s * 2 * m);
  spec.pass = LayerPass::forward;
  EXPECT_EQ(kept(4), 0u);
}

TEST(Layer, MemoryByHand) {
  constexpr std::uint64_t x = b * s * m * 2, h = b * s * f * 2 / 2;  // over 2 chips
  LayerSpec spec = spec_of(mlp);
  spec.layers = 3;
  LayerMemory memory = build_layer(spec, mesh_of(2, 1)).memory;
  EXPECT_EQ(memory.weights.count(), 3 * 2 * m * f * 2 / 2);
  EXPECT_EQ(memory.gradients.count() + memory.activations.count(), 0u);
  EXPECT_EQ(memory.working.count(), 2 * h);  // A, then H made from it: more than X and A, H and Y, Y and Y
  EXPECT_EQ(memory.total(), memory.weights + memory.working);
  spec.pass = LayerPass::both;
  memory = layer_memory(spec, mesh_of(2, 1));
  EXPECT_EQ(memory.gradients, memory.weights);
  EXPECT_EQ(memory.activations.count(), 3 * (x + 2 * h));  // X, A, H
  EXPECT_EQ(memory.working.count(), 2 * h);                // dH, dA: more than dY and dH, or dA and dX
  spec.recompute = Recompute::full;
  memory = layer_memory(spec, mesh_of(2, 1));
  EXPECT_EQ(memory.activations.count(), 3 * x);
  EXPECT_EQ(memory.working.count(), 3 * h + x);  // dY, dH, A, H
}

// X, Q, K and V at once; scores stay on chip, unless the backward pass is to find them: then S and P beside V.
TEST(Layer, ScoresTakeMemoryOnlyWhereTheyAreKept) {
  constexpr std::uint64_t x = b * s * m * 2, score = b * heads * s * s * 2;
  EXPECT_EQ(layer_memory(spec_of(attention), mesh_of(1, 1)).working.count(), 4 * x);
  const LayerMemory both = layer_memory(spec_of(attention, LayerPass::both), mesh_of(1, 1));
  EXPECT_EQ(both.activations.count(), 5 * x + score);  // X, Q, K, V, O, P
  EXPECT_EQ(both.working.count(), 2 * score + x);      // dP, dS made from it, dV
}

}  // namespace
}  // namespace hopsim

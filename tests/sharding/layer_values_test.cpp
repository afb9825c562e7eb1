// Every layer, sharded every way, gives the unsharded output and gradients; and a step changed for the worse is
// found.
#include "sharding/layer_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "collectives/proof.hpp"
#include "tests/sharding/layer_specs.hpp"

namespace hopsim {
namespace {

using enum LayerKind;

std::string verdict(const Layer& layer, const Mesh& mesh) {
  try {
    prove_layer(layer, mesh);
  } catch (const ProofFailed& e) {
    return e.what();
  }
  return "";
}

std::string text(const LayerSpec& s, const Mesh& mesh) {
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  return "kind " + number(s.kind) + ", chips " + std::to_string(mesh.chips()) + ", sp " +
         number(s.sequence_parallel) + ", pass " + number(s.pass) + ", recompute " + number(s.recompute);
}

// All passes and ways to recompute, with and without sequence parallelism.
void prove_all(LayerSpec s, const Mesh& mesh) {
  for (const bool sequence_parallel : {false, true}) {
    for (const LayerPass pass : {LayerPass::forward, LayerPass::backward, LayerPass::both}) {
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        s.sequence_parallel = sequence_parallel;
        s.pass = pass;
        s.recompute = recompute;
        EXPECT_EQ(verdict(build_layer(s, mesh), mesh), "") << text(s, mesh);
      }
    }
  }
}

TEST(LayerValues, EveryLayerGivesTheUnshardedOutputAndGradients) {
  for (const LayerKind kind : {column_linear, row_linear, mlp, attention, transformer})
    for (const std::uint32_t tensor : {1, 2, 4})
      for (const std::uint32_t data : {1, 2}) prove_all(spec_of(kind), Mesh({{"D", data}, {"T", tensor}}));
}

TEST(LayerValues, GroupedHeadsAndStacks) {
  LayerSpec grouped = spec_of(attention);
  grouped.kv_heads = 2;
  prove_all(grouped, Mesh({{"D", 2}, {"T", 2}}));
  LayerSpec stack = spec_of(transformer);
  stack.kv_heads = 4;
  stack.layers = 2;
  prove_all(stack, Mesh({{"T", 2}, {"D", 2}}));
  stack.layers = 5;
  stack.pass = LayerPass::both;
  EXPECT_EQ(verdict(build_layer(stack, Mesh({{"T", 2}, {"D", 2}})), Mesh({{"T", 2}, {"D", 2}})), "");
}

// Several axes to a group, axes nothing lies on, one-chip axes, no axes at all; large ones are cut down.
TEST(LayerValues, AnyMesh) {
  LayerSpec s = spec_of(transformer);
  s.pass = LayerPass::both;
  s.sequence_parallel = true;
  s.tensor = {"Y", "X"};
  s.data = {"V", "W"};
  const Mesh mesh({{"X", 2}, {"R", 3}, {"Y", 4}, {"W", 2}, {"V", 1}});
  EXPECT_EQ(verdict(build_layer(s, mesh), mesh), "");
  const Mesh large({{"T", 64}, {"D", 256}});
  LayerSpec wide = spec_of(transformer);
  wide.heads = wide.kv_heads = wide.d_model = 64;
  wide.batch = 1024;
  wide.pass = LayerPass::both;
  EXPECT_EQ(verdict(build_layer(wide, large), large), "");
  wide.tensor = wide.data = {};
  EXPECT_EQ(verdict(build_layer(wide, Mesh()), Mesh()), "");
}

// ---- Mistakes

struct Mistake {
  std::string line;                        // of the step that is changed
  std::function<void(LayerStep&)> change;  // none: the step is dropped
  std::string finding;                     // part of what the proof says
};

// A step dropped: those after it wait for what it waited for.
void drop(Layer& layer, std::uint32_t index) {
  const LayerStep gone = layer.steps[index];
  layer.steps.erase(layer.steps.begin() + index);
  for (LayerStep& step : layer.steps) {
    std::vector<std::uint32_t> after;
    for (const std::uint32_t a : step.after) {
      if (a == index) after.insert(after.end(), gone.after.begin(), gone.after.end());
      if (a != index) after.push_back(a > index ? a - 1 : a);
    }
    step.after = std::move(after);
  }
}

std::string verdict_on(LayerSpec s, const Mistake& mistake) {
  const Mesh mesh({{"D", 2}, {"T", 2}});
  s.pass = LayerPass::both;
  Layer layer = build_layer(s, mesh);
  for (std::uint32_t i = 0; i < layer.steps.size(); ++i) {
    if (line(layer.steps[i]) != mistake.line) continue;
    if (mistake.change)
      mistake.change(layer.steps[i]);
    else
      drop(layer, i);
    return verdict(layer, mesh);
  }
  return "no such step";
}

void expect_finding(const LayerSpec& s, const Mistake& mistake) {
  const std::string found = verdict_on(s, mistake);
  EXPECT_NE(found.find(mistake.finding), std::string::npos) << mistake.line << "\nfound: " << found;
}

TEST(LayerValues, AStepThatIsLeftOutIsFound) {
  const LayerSpec s = spec_of(transformer);
  expect_finding(s,
                 {"Z2[b_D, s, m] = AllReduce_T(Z2[b_D, s, m]{U_T})", {}, "takes Z2[b_D, s, m], which no chip holds"});
  expect_finding(
      s, {"dWk[m, g_T, k] = AllReduce_D(dWk[m, g_T, k]{U_D})", {}, "no step of the layer makes dWk[m, g_T, k]"});
  expect_finding(s, {"dN1[b_D, t, m]{U_T} += dV[b_D, t, g_T, k] * Wv[m, g_T, k]", {}, "leaves a wrong gradient"});
  expect_finding(s, {"A[b_D, s, f_T] = N2[b_D, s, m] * W1[m, f_T]", {}, "which no chip holds"});
}

TEST(LayerValues, AWrongStepIsFound) {
  const LayerSpec s = spec_of(transformer);
  const auto product = [](LayerStep& step) -> LocalProduct& { return std::get<LocalProduct>(step.work); };
  const auto elementwise = [](LayerStep& step) -> LayerElementwise& { return std::get<LayerElementwise>(step.work); };
  const auto collective = [](LayerStep& step) -> ResolvedCollective& {
    return std::get<ResolvedCollective>(step.work);
  };
  expect_finding(s, {"Z2[b_D, s, m]{U_T} = H[b_D, s, f_T] * W2[f_T, m]",
                     [&](auto& step) { product(step).rhs.dimensions[0].axes = {}; }, "which no chip holds"});
  expect_finding(s, {"Z2[b_D, s, m]{U_T} = H[b_D, s, f_T] * W2[f_T, m]",
                     [&](auto& step) { product(step).output.unreduced = {}; }, "which no chip holds"});
  expect_finding(s, {"dV[b_D, t, g_T, k] = P[b_D, g_T, r, s, t] * dO[b_D, s, g_T, r, k]",
                     [&](auto& step) { std::swap(product(step).lhs.dimensions[3], product(step).lhs.dimensions[4]); },
                     "leaves a wrong gradient dWv[m, g_T, k]"});
  expect_finding(s, {"dN1[b_D, t, m]{U_T} += dK[b_D, t, g_T, k] * Wk[m, g_T, k]",
                     [](auto& step) { step.adds = false; }, "leaves a wrong gradient"});
  expect_finding(s, {"dN1[b_D, t, m]{U_T} += dK[b_D, t, g_T, k] * Wk[m, g_T, k]",
                     [&](auto& step) { product(step).rhs.name = "Wv"; }, "leaves a wrong gradient"});
  expect_finding(s, {"H[b_D, s, f_T] = gelu(A[b_D, s, f_T])",
                     [&](auto& step) { elementwise(step).function = LayerElementwise::Function::identity; },
                     "leaves a wrong element 0 of Y[b_D, s, m]"});
  expect_finding(s, {"dRn[b_D, s, m] = norm_backward(dN2[b_D, s, m], R[b_D, s, m])",
                     [&](auto& step) { std::swap(elementwise(step).inputs[0], elementwise(step).inputs[1]); },
                     "leaves a wrong gradient"});
  expect_finding(s, {"dWo[g_T, r, k, m] = AllReduce_D(dWo[g_T, r, k, m]{U_D})",
                     [&](auto& step) { collective(step).axes = {"T"}; }, "does not do what it says"});
}

TEST(LayerValues, AStepThatDoesNotWaitIsFound) {
  const LayerSpec s = spec_of(transformer);
  const auto forget = [](LayerStep& step) { step.after.clear(); };
  expect_finding(
      s, {"Z1[b_D, s, m] = AllReduce_T(Z1[b_D, s, m]{U_T})", forget, "does not wait for step 8 of the layer"});
  const auto only_compute = [](LayerStep& step) { step.after.pop_back(); };  // the collective is the last one
  expect_finding(s, {"R[b_D, s, m] = add(X[b_D, s, m], Z1[b_D, s, m])", only_compute,
                     "does not wait for step 9 of the layer, Z1[b_D, s, m] = AllReduce_T"});
  const auto on_gradient = [](LayerStep& step) { step.after.push_back(18); };
  expect_finding(s, {"dRn[b_D, s, m] = norm_backward(dN2[b_D, s, m], R[b_D, s, m])", on_gradient,
                     "waits for what is to happen behind the backward pass"});
}

// Recomputing must make again all that the backward pass takes.
TEST(LayerValues, WhatIsNotComputedAgainIsMissing) {
  const Mesh mesh({{"D", 2}, {"T", 2}});
  for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
    LayerSpec s = spec_of(attention);
    s.pass = LayerPass::backward;
    s.recompute = recompute;
    Layer layer = build_layer(s, mesh);
    const auto again = std::find_if(layer.steps.begin(), layer.steps.end(), [](const LayerStep& step) {
      return line(step).starts_with("P[b_D, g_T, r, s, t] = softmax(");
    });
    ASSERT_NE(again, layer.steps.end());
    drop(layer, static_cast<std::uint32_t>(again - layer.steps.begin()));
    EXPECT_NE(verdict(layer, mesh).find("takes P[b_D, g_T, r, s, t], which no chip holds"), std::string::npos);
  }
}

TEST(LayerValues, AStackMustBeOfAlikeLayers) {
  const Mesh mesh({{"D", 2}, {"T", 2}});
  LayerSpec s = spec_of(mlp);
  s.layers = 6;
  Layer layer = build_layer(s, mesh);
  drop(layer, static_cast<std::uint32_t>(layer.steps.size() - 5));  // the last of the fifth layer
  EXPECT_EQ(verdict(layer, mesh), "layer 4 of the stack is not like the others");
}

}  // namespace
}  // namespace hopsim

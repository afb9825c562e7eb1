// Layers of a transformer, sharded as Megatron does: products, collectives and elementwise steps, each after others.
//
//   column-parallel linear   Y[b, s, f_T] = X[b, s, m] * W[m, f_T]: nothing to communicate
//   row-parallel linear      Z[b, s, m]{U_T} = Y[b, s, f_T] * W[f_T, m], then an AllReduce over T
//   MLP                      column, nonlinearity, row: no communication between
//   attention                heads over T, so what the heads give is sharded as a row-parallel linear wants it
//   transformer layer        norm, attention, residual, norm, MLP, residual
//
// Backward, by the dual collectives: dW = X^T dY; dX = sum over T of dY W^T (column: an AllReduce), dX = dY W^T (row:
// nothing to communicate). With sequence parallelism what lies between the blocks is sharded over T along the
// sequence, and each AllReduce becomes an AllGather before the column- and a ReduceScatter behind the row-parallel
// linear. Over the data axes the batch is split, and gradients of weights are summed behind the backward pass.
//
// Sources: Shoeybi et al., "Megatron-LM", 2019 (arXiv 1909.08053); Korthikanti et al., "Reducing Activation
// Recomputation in Large Transformer Models", 2022 (arXiv 2205.05198), for sequence parallelism and recomputation.
//
// What it costs, where an implementation may choose:
//   * the nonlinearity and its derivative are fused into the products around them and take no time of their own;
//   * norms and residual sums are bound by HBM: each input read once, the output written once; norms have no weights;
//   * attention scores are kept in memory, hence written and read, only where the backward pass is to find them
//     (recompute: none); else they stay on chip, as FlashAttention has them, and count FLOPs only;
//   * gathered inputs of column-parallel linears are kept for the backward pass, not gathered again;
//   * several products that make one gradient add to it (the output is read once more);
//   * a weight's gradient is computed while the sum over T of the input's gradient travels;
//   * full recomputation repeats all products of the forward pass, but not the last sum over T, which nothing reads.
//
// Errors: LayerError. Cost: some 20 steps a layer and pass.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sharding/strategy.hpp"

namespace hopsim {

enum class LayerKind : std::uint8_t { column_linear, row_linear, mlp, attention, transformer };
enum class LayerPass : std::uint8_t { forward, backward, both };
// What the backward pass computes again: nothing; the attention scores; all of the forward pass, its collectives too.
enum class Recompute : std::uint8_t { none, selective, full };

struct LayerSpec {
  LayerKind kind{};
  std::uint64_t d_model = 0, d_ff = 0;    // of a linear: its input and output features (column), or the reverse (row)
  std::uint64_t heads = 0, kv_heads = 0;  // only of attention and transformer; a head has d_model / heads
  std::uint64_t batch = 0, sequence = 0;  // sequences of all data shards together, and tokens of each
  std::vector<std::string> tensor, data;  // mesh axes, outermost first
  bool sequence_parallel = false;
  LayerPass pass = LayerPass::forward;
  Recompute recompute = Recompute::none;
  std::uint64_t layers = 1;  // one behind the other; backward in reverse order
  DType dtype = DType::bf16;
};

// The key of the spec that is to blame: "heads".
struct LayerError : InputError {
  LayerError(std::string key_, std::string problem, std::string got = {}, std::string valid = {})
      : InputError(std::move(problem), std::move(got), std::move(valid)), key(std::move(key_)) {}
  std::string key;
};

// Norm, residual sum: every chip on its own blocks, bound by HBM. Fused ones (nonlinearity) take no bytes.
struct LayerElementwise {
  enum class Function : std::uint8_t {
    identity,      // a norm, softmax, or its backward pass: in the proof on values its first input
    add,           // of two arrays
    nonlinearity,  // in the proof x^2
    derivative,    // of the nonlinearity, times the gradient: inputs are that, then the nonlinearity's input
  };
  Function function{};
  std::string what;  // for people: "norm", "gelu"
  std::vector<ArrayRef> inputs;
  ArrayRef output;
  Bytes bytes;  // of one chip; 0: fused
};

struct LayerStep {
  std::variant<LocalProduct, ResolvedCollective, LayerElementwise> work;
  bool adds = false;                    // a product that is added to what its output holds already
  bool again = false;                   // was computed before: no model FLOPs
  bool behind = false;                  // gradients summed over the data axes: only the layer's end waits for it
  LayerPass pass = LayerPass::forward;  // forward or backward; what is recomputed is backward
  std::uint32_t layer = 0;              // of several, from 0
  std::vector<std::uint32_t> after;     // earlier steps; the compute steps of a chip stand in the order it does them
};

std::string line(const LayerStep&);  // as notation: "Y[b, s, f_T] = X[b, s, m] * W1[m, f_T]"

// What a chip holds of all layers at the end of the forward pass or, where there is a backward pass, at its peak: its
// shares of the weights, of their gradients, of what is kept for the backward pass (what its steps read and do not
// make again, dY left out), and the largest of what lives besides at any step of one layer, where an array lives from
// the step that makes it to the last that reads it, and the output to the end. No optimizer state.
struct LayerMemory {
  Bytes weights, gradients, activations, working;
  Bytes total() const { return weights + gradients + activations + working; }
};

struct Layer {
  LayerSpec spec;
  std::vector<LayerStep> steps;
  std::vector<ArrayRef> inputs, outputs;     // X and, backward, dY; Y and, backward, dX; of the whole stack
  std::vector<ArrayRef> weights, gradients;  // of one layer
  LayerMemory memory;
};

// Throws LayerError: sizes that are missing or do not divide (batch over data, sequence, heads, kv_heads and d_ff
// over tensor; a key/value head is never split or replicated), arrays too large to count, more than 4096 layers or a
// stack of linears, an axis the mesh lacks, or that is both tensor and data.
Layer build_layer(const LayerSpec&, const Mesh&);
// Only what a chip would hold; the same errors.
LayerMemory layer_memory(const LayerSpec&, const Mesh&);

}  // namespace hopsim

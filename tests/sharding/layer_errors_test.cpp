// Layers that are refused: the key to blame and the message.
#include "sharding/layer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/sharding/layer_specs.hpp"

namespace hopsim {
namespace {

using enum LayerKind;

const Mesh kMesh({{"D", 2}, {"T", 4}});

struct Refused {
  std::function<void(LayerSpec&)> change;
  std::string key, message;
};

void expect_refused(LayerKind kind, const std::vector<Refused>& cases) {
  for (const auto& [change, key, message] : cases) {
    LayerSpec spec = spec_of(kind);
    change(spec);
    try {
      build_layer(spec, kMesh);
      ADD_FAILURE() << "not refused: " << message;
    } catch (const LayerError& e) {
      EXPECT_EQ(e.what(), message);
      EXPECT_EQ(e.key, key);
    }
    EXPECT_THROW(layer_memory(spec, kMesh), LayerError);
  }
}

TEST(LayerErrors, SizesThatAreMissingOrDoNotDivide) {
  expect_refused(
      transformer,
      {{[](auto& l) { l.d_ff = 0; }, "d_ff", "the layer's d_ff is missing; got 0; valid: at least 1"},
       {[](auto& l) { l.batch = 0; }, "batch", "the layer's batch is missing; got 0; valid: at least 1"},
       {[](auto& l) { l.kv_heads = 0; }, "kv_heads", "the layer's kv_heads is missing; got 0; valid: at least 1"},
       {[](auto& l) { l.layers = 0; }, "layers", "the layer's layers is missing; got 0; valid: at least 1"},
       {[](auto& l) { l.heads = l.kv_heads = 2; }, "heads",
        "the layer's heads must be a multiple of 4, chips along the tensor axes; got 2; valid: 4"},
       {[](auto& l) { l.kv_heads = 2; }, "kv_heads",
        "the layer's kv_heads must be a multiple of 4, chips along the tensor axes (a key/value head is not "
        "replicated); got 2; valid: 4"},
       {[](auto& l) { l.kv_heads = 3; }, "kv_heads",
        "heads must be a multiple of kv_heads; got 3; valid: a divisor of 8"},
       {[](auto& l) { l.d_model = 60; }, "d_model",
        "the layer's d_model must be a multiple of 8, the heads; got 60; valid: 56, 64"},
       {[](auto& l) { l.batch = 17; }, "batch",
        "the layer's batch must be a multiple of 2, chips along the data axes; got 17; valid: 16, 18"},
       {[](auto& l) { l.d_ff = 30; }, "d_ff",
        "the layer's d_ff must be a multiple of 4, chips along the tensor axes; got 30; valid: 28, 32"},
       {[](auto& l) {
          l.sequence = 30;
          l.sequence_parallel = true;
        },
        "sequence",
        "the layer's sequence must be a multiple of 4, chips along the tensor axes (sequence_parallel); got 30; "
        "valid: 28, 32"}});
  LayerSpec plain = spec_of(transformer);
  plain.sequence = 30;
  EXPECT_NO_THROW(build_layer(plain, kMesh));
  LayerSpec no_heads = spec_of(mlp);
  no_heads.heads = 3;
  no_heads.kv_heads = 0;
  EXPECT_NO_THROW(build_layer(no_heads, kMesh));
}

TEST(LayerErrors, AxesAndStacksThatCannotBe) {
  expect_refused(column_linear,
                 {{[](auto& l) { l.tensor = {"Q"}; }, "tensor", "unknown axis; got Q; valid: D, T"},
                  {[](auto& l) { l.data = {"T"}; }, "data",
                   "an axis is both tensor and data; got T; valid: an axis of its own for each"},
                  {[](auto& l) {
                     l.data = {"D", "D"};
                   },
                   "data", "an axis is named twice; got D; valid: each axis once"},
                  {[](auto& l) { l.layers = 2; }, "layers",
                   "linears do not stack: one's output is not sharded as the next one's input; got 2; valid: 1"},
                  {[](auto& l) { l.layers = 5000; }, "layers", "too many layers; got 5000; valid: 1 to 4096"},
                  {[](auto& l) { l.batch = std::uint64_t{1} << 60; }, "batch",
                   "the layer is too large: an array has too many elements; valid: less than 2^63"}});
}

}  // namespace
}  // namespace hopsim

// A layer that splits every way the tests split it.
#pragma once

#include "sharding/layer.hpp"

namespace hopsim {

inline LayerSpec spec_of(LayerKind kind) {
  LayerSpec spec;
  spec.kind = kind;
  spec.d_model = 64;
  spec.d_ff = 256;
  spec.heads = spec.kv_heads = 8;
  spec.batch = 16;
  spec.sequence = 32;
  spec.tensor = {"T"};
  spec.data = {"D"};
  return spec;
}

}  // namespace hopsim

// One layer's forward and its backward pass as steps. Inside of sharding/ only.
#pragma once

#include "sharding/layer_builder.hpp"

namespace hopsim {

// REQUIRES: a spec that was checked.
Layer layer_steps(const LayerSpec&, const Mesh&);  // all but the memory
LayerMemory memory_of(const Layer&, const Mesh&);  // from its steps; REQUIRES: a stack of one layer

}  // namespace hopsim

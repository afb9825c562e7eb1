// Layers that are larger than a chip's memory, and what would make them fit.
//
// Cost: some hundred layer_memory().
#pragma once

#include <string>
#include <vector>

#include "sharding/layer.hpp"

namespace hopsim {

// "35.2 GB a chip: 10 GB of weights, 10 GB of gradients, 12 GB of activations, 3.2 GB of working memory"
std::string memory_text(const LayerMemory&);

// Single changes after which the layers fit, as a scenario says them: "recompute: full", "tensor: 8" (on a mesh that
// has an axis of so many chips), the largest "batch: 32" and "layers: 12". None: no single one is enough.
std::vector<std::string> what_fits(const LayerSpec&, const Mesh&, Bytes capacity);

}  // namespace hopsim

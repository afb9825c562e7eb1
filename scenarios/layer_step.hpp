// A layer of a scenario's program, as its file says it: `megatron_mlp: {d_model: 4096, d_ff: 16384, batch: 8,
// sequence: 2048, tensor: X, data: Y}`.
//
// `tensor` and `data` name axes of the mesh, or give how many chips: 1 is none, another number the one axis of that
// size which the other key does not name. What does not fit together is for build_layer (sharding/layer.hpp).
//
// Errors: PlacedError.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/step_fields.hpp"
#include "sharding/layer.hpp"

namespace hopsim {

using AxesOrWays = std::variant<AxisChoice, Placed<std::uint64_t>>;

struct LayerCall {
  LayerSpec spec;  // but for the axes, and the element type where none is given
  std::optional<AxesOrWays> tensor, data;
  std::optional<Placed<DType>> dtype;
  StepOptions options;                     // no `plan`
  FilePlace place;                         // of the step
  std::map<std::string, FilePlace> given;  // keys of the spec, and where their values stand

  const FilePlace& place_of(const std::string& key) const;  // the step's, where the key is absent
};

const std::vector<std::string_view>& layer_operations();  // in the order help lists them
std::optional<LayerKind> layer_named(std::string_view);

// The operation's map, options from beside it moved in; `step` is the place of it all.
LayerCall load_layer(std::string_view operation, const YamlValue& map, const FilePlace& step);

// For a mesh, and the scenario's element type.
LayerSpec resolve_layer(const LayerCall&, const Mesh&, DType otherwise);

}  // namespace hopsim

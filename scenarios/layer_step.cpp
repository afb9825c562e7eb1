#include "scenarios/layer_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/fields.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxLayers = 1000;

struct LayerName {
  std::string_view name;
  LayerKind kind;
};
constexpr std::array<LayerName, 5> kLayers{{{"column_parallel_linear", LayerKind::column_linear},
                                            {"row_parallel_linear", LayerKind::row_linear},
                                            {"megatron_mlp", LayerKind::mlp},
                                            {"megatron_attention", LayerKind::attention},
                                            {"transformer_layer", LayerKind::transformer}}};

bool has_heads(LayerKind kind) { return kind == LayerKind::attention || kind == LayerKind::transformer; }
bool has_d_ff(LayerKind kind) { return kind != LayerKind::attention; }

const Names& option_names() {
  static const Names names{"overlap", "chunks", "algorithm", "schedule"};
  return names;
}

Names keys_of(LayerKind kind) {
  Names names{"d_model"};
  if (has_d_ff(kind)) names.push_back("d_ff");
  if (has_heads(kind)) names.insert(names.end(), {"heads", "kv_heads"});
  names.insert(names.end(),
               {"batch", "sequence", "tensor", "data", "sequence_parallel", "pass", "recompute", "layers", "dtype"});
  names.insert(names.end(), option_names().begin(), option_names().end());
  return names;
}

void read_sizes(const MapReader& reader, LayerSpec& spec) {
  const auto extent = [&](std::string_view key) { return load_extent(reader.require(key)).value; };
  spec.d_model = extent("d_model");
  if (has_d_ff(spec.kind)) spec.d_ff = extent("d_ff");
  if (has_heads(spec.kind)) {
    spec.heads = extent("heads");
    const YamlValue* kv_heads = reader.find("kv_heads");
    spec.kv_heads = kv_heads != nullptr ? load_extent(*kv_heads).value : spec.heads;
  }
  spec.batch = extent("batch");
  spec.sequence = extent("sequence");
  if (const YamlValue* v = reader.find("layers")) spec.layers = load_extent(*v, kMaxLayers).value;
}

void read_choices(const MapReader& reader, LayerSpec& spec) {
  if (const YamlValue* v = reader.find("sequence_parallel")) spec.sequence_parallel = bool_of(*v);
  if (const YamlValue* v = reader.find("pass")) {
    const std::string pass = choice_of(*v, {"forward", "backward", "both"});
    spec.pass = pass == "forward" ? LayerPass::forward : pass == "backward" ? LayerPass::backward : LayerPass::both;
  }
  if (const YamlValue* v = reader.find("recompute")) {
    const std::string what = choice_of(*v, {"none", "selective", "full"});
    spec.recompute = what == "none" ? Recompute::none : what == "selective" ? Recompute::selective : Recompute::full;
  }
}

std::optional<AxesOrWays> axes_or_ways(const YamlValue* value) {
  if (value == nullptr) return std::nullopt;
  const bool number = value->is_scalar() && !value->text.empty() &&
                      value->text.find_first_not_of("0123456789-+.") == std::string::npos;
  if (number) return load_extent(*value);
  return load_axis(*value);
}

std::string mesh_text(const Mesh& mesh) {
  std::string text;
  for (const auto& [axis, size] : mesh.axes())
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", axis, size);
  return text;
}

// The axis of so many chips. `taken`: what the other key names.
std::vector<std::string> axis_of_size(const std::string& key, const Placed<std::uint64_t>& ways,
                                      const std::vector<std::string>& taken, const Mesh& mesh) {
  if (ways.value == 1) return {};
  std::vector<std::string> found;
  for (const auto& [axis, size] : mesh.axes())
    if (size == ways.value && std::find(taken.begin(), taken.end(), axis) == taken.end()) found.push_back(axis);
  if (found.size() == 1) return found;
  throw PlacedError(
      ways.place,
      fmt::format("{}: {} of {} chips", key,
                  found.empty() ? "no axis of the mesh is" : "several axes of the mesh are", ways.value),
      std::to_string(ways.value), fmt::format("names of axes, of {}", mesh_text(mesh)));
}

std::vector<std::string> named_axes(const std::optional<AxesOrWays>& given, const Mesh& mesh) {
  const auto* axes = given ? std::get_if<AxisChoice>(&*given) : nullptr;
  if (axes == nullptr) return {};
  std::vector<std::string> names;
  for (const auto& [axis, size] : mesh.axes()) names.push_back(axis);
  return resolve_axes(*axes, names);
}

}  // namespace

const FilePlace& LayerCall::place_of(const std::string& key) const {
  const auto found = given.find(key);
  return found == given.end() ? place : found->second;
}

const std::vector<std::string_view>& layer_operations() {
  static const Names names = [] {
    Names all;
    for (const LayerName& layer : kLayers) all.push_back(layer.name);
    return all;
  }();
  return names;
}

std::optional<LayerKind> layer_named(std::string_view text) {
  for (const LayerName& layer : kLayers)
    if (layer.name == text) return layer.kind;
  return std::nullopt;
}

LayerCall load_layer(std::string_view operation, const YamlValue& map, const FilePlace& step) {
  LayerCall call;
  call.place = step;
  call.spec.kind = *layer_named(operation);
  const MapReader reader(map, std::string(operation), keys_of(call.spec.kind));
  for (const YamlValue& value : map.items) call.given.emplace(value.key, value.place);
  read_sizes(reader, call.spec);
  read_choices(reader, call.spec);
  call.tensor = axes_or_ways(reader.find("tensor"));
  call.data = axes_or_ways(reader.find("data"));
  if (const YamlValue* v = reader.find("dtype")) call.dtype = load_dtype(*v);
  call.options = load_options(reader, option_names());
  return call;
}

LayerSpec resolve_layer(const LayerCall& call, const Mesh& mesh, DType otherwise) {
  LayerSpec spec = call.spec;
  spec.dtype = call.dtype ? call.dtype->value : otherwise;
  spec.tensor = named_axes(call.tensor, mesh);
  spec.data = named_axes(call.data, mesh);
  const auto ways = [](const std::optional<AxesOrWays>& given) {
    return given ? std::get_if<Placed<std::uint64_t>>(&*given) : nullptr;
  };
  if (const auto* n = ways(call.tensor)) spec.tensor = axis_of_size("tensor", *n, spec.data, mesh);
  if (const auto* n = ways(call.data)) spec.data = axis_of_size("data", *n, spec.tensor, mesh);
  return spec;
}

}  // namespace hopsim

#include "scenarios/layer_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/layer_fit.hpp"
#include "scenarios/step_options.hpp"

namespace hopsim {
namespace {

auto all_but_pass(const LayerSpec& s) {
  return std::tie(s.kind, s.d_model, s.d_ff, s.heads, s.kv_heads, s.batch, s.sequence, s.tensor, s.data,
                  s.sequence_parallel, s.recompute, s.layers, s.dtype);
}

std::string plural(const LayerSpec& spec) {
  std::string_view name;
  for (const std::string_view operation : layer_operations())
    if (layer_named(operation) == spec.kind) name = operation;
  return spec.layers == 1 ? fmt::format("{} does", name) : fmt::format("{} of {} do", spec.layers, name);
}

// All layers of a stack together, as one array: "W1[layer, m, f_T]".
ArrayRef stacked(ArrayRef array, std::uint64_t layers) {
  Dimension dimension;
  dimension.name = "layer";
  dimension.size = layers;
  array.dimensions.insert(array.dimensions.begin(), std::move(dimension));
  return array;
}

}  // namespace

std::vector<PlannedWork> LayerLines::add(const LayerCall& call, int line) {
  const Layer layer = build(call);
  check_memory(call, layer);
  auto works = blaming(call.options, call.place, [&] {
    LayerWorks lowered(planner_, call.options);
    return lowered.works(layer, overlapped(lowered, layer, call));
  });
  hold(layer, line);
  plan_.layers.push_back(layer);
  return works;
}

LayerWorks::Pairs LayerLines::overlapped(LayerWorks& works, const Layer& layer, const LayerCall& call) const {
  const Overlap overlap = overlap_of(call.options);
  if (overlap == Overlap::none) return {};
  if (overlap == Overlap::automatic) {
    LayerSpec one = layer.spec;
    one.layers = 1;
    return works.faster_pairs(build_layer(one, machine().mesh));
  }
  LayerWorks::Pairs all = LayerWorks::pairs(layer);
  if (all.empty())
    throw PlacedError(call.options.overlap->place,
                      "no product of this layer can be overlapped with what is communicated before or behind it",
                      call.options.overlap->value, "overlap: none, auto");
  return all;
}

Layer LayerLines::build(const LayerCall& call) const {
  const LayerSpec spec = resolve_layer(call, machine().mesh, scenario_.dtype.value);
  try {
    return build_layer(spec, machine().mesh);
  } catch (const LayerError& e) {
    throw PlacedError(call.place_of(e.key), e);
  } catch (const InputError& e) {
    throw PlacedError(call.place, e);
  }
}

void LayerLines::check_memory(const LayerCall& call, const Layer& layer) const {
  const Bytes capacity = machine().chip.hbm_capacity.value;
  if (capacity == Bytes{} || layer.memory.total() <= capacity) return;
  const std::vector<std::string> ways = what_fits(layer.spec, machine().mesh, capacity);
  std::string valid =
      "none of recompute, sequence_parallel, a larger tensor axis, a smaller batch or fewer layers is "
      "enough alone";
  if (!ways.empty()) valid = fmt::format("{}", fmt::join(ways, ", or "));
  throw PlacedError(call.place,
                    fmt::format("{} not fit a chip of {}, which has {:.4g} GB of memory", plural(layer.spec),
                                machine().name, static_cast<double>(capacity.count()) / 1e9),
                    memory_text(layer.memory), valid);
}

void LayerLines::hold(const Layer& layer, int line) {
  const auto same = [&](const Held& h) { return all_but_pass(h.spec) == all_but_pass(layer.spec); };
  const auto held = std::find_if(held_.begin(), held_.end(), same);
  const bool first = held_.empty() || held == held_.begin();
  if (held == held_.end())
    held_.push_back({layer.spec, layer.memory.total()});
  else
    held->bytes = std::max(held->bytes, layer.memory.total());
  plan_.layer_bytes = {};
  for (const Held& h : held_) plan_.layer_bytes += h.bytes;
  const std::string prefix = first ? "" : fmt::format("step {}: ", line);
  for (const auto* list : {&layer.weights, &layer.gradients})
    for (const ArrayRef& a : *list) hold(layer.spec.layers > 1 ? stacked(a, layer.spec.layers) : a, layer, prefix);
  for (const auto* list : {&layer.inputs, &layer.outputs})
    for (const ArrayRef& a : *list) hold(a, layer, prefix);
}

void LayerLines::hold(ArrayRef array, const Layer& layer, const std::string& prefix) {
  HeldArray held{prefix + array.name, prefix + sharding_text(array),
                 layout(array, {}, machine().mesh, layer.spec.dtype), true};
  const auto same = [&](const HeldArray& a) { return a.of_layer && a.sharding == held.sharding; };
  if (std::none_of(plan_.arrays.begin(), plan_.arrays.end(), same)) plan_.arrays.push_back(std::move(held));
}

}  // namespace hopsim

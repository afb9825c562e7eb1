#include "scenarios/step_fields.hpp"

#include <algorithm>

#include "scenarios/fields.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxChunks = 1u << 20;

}  // namespace

AxisChoice load_axis(const YamlValue& value) {
  AxisChoice axis{value.place, {}, {}};
  if (!value.is_sequence()) {
    axis.text = text_of(value, "an axis of the mesh, or a list of them");
    return axis;
  }
  if (value.items.empty())
    throw PlacedError(value.place, name_of(value) + " lists no axis", "[]",
                      value.key == "axis" ? "no axis key: all chips" : "an axis of the mesh, or a list of them");
  for (const YamlValue& item : value.items) axis.names.push_back({text_of(item), item.place});
  return axis;
}

std::vector<std::string> resolve_axes(const AxisChoice& axis, const std::vector<std::string>& mesh_axes) {
  const auto known = [&](const std::string& name) {
    return std::find(mesh_axes.begin(), mesh_axes.end(), name) != mesh_axes.end();
  };
  std::vector<Placed<std::string>> names = axis.names;
  if (names.empty() && known(axis.text)) names.push_back({axis.text, axis.place});
  if (names.empty()) {
    const bool letters =
        std::all_of(axis.text.begin(), axis.text.end(), [&](char c) { return known(std::string(1, c)); });
    for (const char c : letters ? axis.text : std::string()) names.push_back({std::string(1, c), axis.place});
    if (!letters) names.push_back({axis.text, axis.place});
  }
  std::vector<std::string> resolved;
  for (const auto& [name, place] : names) {
    if (!known(name)) refuse_name(place, "axis", name, Names(mesh_axes.begin(), mesh_axes.end()));
    if (std::find(resolved.begin(), resolved.end(), name) != resolved.end()) {
      throw PlacedError(place, "an axis used twice", name, "each axis once");
    }
    resolved.push_back(name);
  }
  return resolved;
}

StepOptions load_options(const MapReader& reader, const std::vector<std::string_view>& known) {
  const auto find = [&](std::string_view key) -> const YamlValue* {
    return std::find(known.begin(), known.end(), key) == known.end() ? nullptr : reader.find(key);
  };
  StepOptions options;
  if (const YamlValue* v = find("algorithm")) options.algorithm = {text_of(*v), v->place};
  if (const YamlValue* v = find("chunks")) options.chunks = load_positive(*v, kMaxChunks);
  if (const YamlValue* v = find("schedule")) {
    const bool book = choice_of(*v, {"optimal", "book"}) == "book";
    options.schedule = {book ? StepSchedule::book : StepSchedule::optimal, v->place};
  }
  if (const YamlValue* v = find("overlap"))
    options.overlap = {choice_of(*v, {"none", "collective_matmul", "auto"}), v->place};
  if (const YamlValue* v = find("plan")) options.plan = {choice_of(*v, {"auto", "gather", "partial"}), v->place};
  return options;
}

Placed<std::uint64_t> load_extent(const YamlValue& value, std::uint64_t most) {
  return parsed(value, [&](std::string_view text) { return parse_count(text, 1, most); });
}

Placed<int> load_positive(const YamlValue& value, std::uint64_t most) {
  return {static_cast<int>(count_of(value, 1, most)), value.place};
}

Placed<DType> load_dtype(const YamlValue& value) {
  const auto dtype = dtype_named(text_of(value, dtype_names()));
  if (!dtype) throw PlacedError(value.place, "unknown dtype", quoted_for_message(value.text), dtype_names());
  return {*dtype, value.place};
}

}  // namespace hopsim

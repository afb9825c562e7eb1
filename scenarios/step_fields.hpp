// What steps of several kinds have in their maps: axes of the mesh, and options.
//
// Errors: PlacedError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document.hpp"
#include "sharding/dtype.hpp"

namespace hopsim {

class MapReader;

// `axis: XY` or `axis: [X, Y]`.
struct AxisChoice {
  FilePlace place;
  std::string text;                        // of the first form: one axis of that name, or one a letter
  std::vector<Placed<std::string>> names;  // of the second form
};

AxisChoice load_axis(const YamlValue&);
// The axes meant, among those of the mesh, outermost first. Throws PlacedError for an unknown axis, with the valid
// ones, and for an axis used twice.
std::vector<std::string> resolve_axes(const AxisChoice&, const std::vector<std::string>& mesh_axes);

enum class StepSchedule { optimal, book };

struct StepOptions {
  std::optional<Placed<std::string>> algorithm;  // whether it exists is for whoever runs it
  std::optional<Placed<int>> chunks;             // at least 1
  std::optional<Placed<StepSchedule>> schedule;
  std::optional<Placed<std::string>> overlap;  // none, collective_matmul, auto
  std::optional<Placed<std::string>> plan;     // auto, gather, partial
};

// Those of `known` that the map has. REQUIRES: the reader knows them.
StepOptions load_options(const MapReader&, const std::vector<std::string_view>& known);

constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 40;  // of a dimension of an array

Placed<std::uint64_t> load_extent(const YamlValue&, std::uint64_t most = kMaxExtent);  // at least 1
Placed<int> load_positive(const YamlValue&, std::uint64_t most);
Placed<DType> load_dtype(const YamlValue&);

}  // namespace hopsim

#include "scenarios/machine_mesh.hpp"

#include <algorithm>

#include "scenarios/machine_fabric.hpp"
#include "sim/error.hpp"
#include "topologies/grid.hpp"

namespace hopsim {
namespace {

bool joins_slices(const MachineModel& m) { return m.wires == Wires::grid && m.domains() > 1; }

// What a dimension is called in `mesh`: x, y, z, w; the one over several slices s, before those of a slice.
std::string dimension_name(const MachineModel& m, int d) {
  return std::string{(joins_slices(m) ? "sxyz" : "xyzw")[d]};
}

std::string dimensions_list(const MachineModel& m) {
  std::string list;
  for (int d = 0; d < m.shape.dimensions; ++d)
    list += (d ? ", " : "") + dimension_name(m, d) + " of " + std::to_string(m.shape.size[d]);
  return list;
}

[[noreturn]] void refuse_mesh(const FilePlace& place, const MachineModel& m, const std::string& got) {
  throw PlacedError(place, "the mesh does not fit the fabric: each axis takes whole dimensions, left to right", got,
                    "axes over " + dimensions_list(m) + "; or name them: {X: [y, x]}");
}

std::string mesh_text(const std::vector<MeshAxis>& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh)
    text += (text.empty() ? "" : ", ") + axis.name.value + ": " + std::to_string(*axis.size);
  return "{" + text + "}";
}

// ---- cutting the shape

// How many chips the dimensions from each on span, the innermost first.
template <class Sizes>
std::vector<std::int64_t> strides(const Sizes& sizes) {
  std::vector<std::int64_t> spans;
  std::int64_t span = 1;
  for (auto size = std::rbegin(sizes); size != std::rend(sizes); ++size) spans.push_back(span *= *size);
  return spans;
}

[[noreturn]] void refuse_cut(const MachineModel& m, const MachineSpec& spec, const std::string& problem) {
  std::string valid = "axes that multiply to " + std::to_string(m.shape.logical_chips());
  if (m.domains() > 1)
    valid += ", the inner ones dividing a domain of " + std::to_string(m.domain) + " or holding whole ones";
  throw PlacedError(spec.mesh_place, problem, mesh_text(spec.mesh), valid);
}

void cut_shape(MachineModel& m, const MachineSpec& spec) {
  std::vector<std::int64_t> axes,
      cuts = strides(std::vector<std::int64_t>(m.shape.size.begin(), m.shape.size.begin() + m.shape.dimensions));
  for (const MeshAxis& axis : spec.mesh) axes.push_back(*axis.size);
  const std::vector<std::int64_t> wanted = strides(axes);
  if (wanted.back() != m.shape.logical_chips())
    refuse_cut(m, spec, "the mesh does not fit the " + std::to_string(m.shape.logical_chips()) + " chips");
  cuts.insert(cuts.end(), wanted.begin(), wanted.end());
  std::sort(cuts.begin(), cuts.end());
  std::vector<int> sizes;
  std::int64_t inner = 1;
  for (const std::int64_t cut : cuts) {
    if (cut == inner) continue;
    if (cut % inner != 0) refuse_cut(m, spec, "an axis of the mesh would take uneven parts of the domains");
    sizes.insert(sizes.begin(), static_cast<int>(cut / inner));
    inner = cut;
  }
  if (sizes.empty()) sizes.push_back(1);
  if (sizes.size() > kMaxDimensions)
    refuse_cut(m, spec, "the mesh cuts the chips into more than " + std::to_string(kMaxDimensions) + " dimensions");
  const std::uint32_t switches = m.shape.switches;
  m.shape = grid_shape(sizes, std::vector<bool>(sizes.size()));
  m.shape.switches = switches;
}

// ---- axes

void add_axis(MachineModel& m, std::vector<Mesh::Axis>& axes, const std::string& name, std::vector<int> dimensions) {
  std::uint32_t size = 1;
  for (const int d : dimensions) size *= static_cast<std::uint32_t>(m.shape.size[d]);
  axes.emplace_back(name, size);
  m.dimensions.push_back(std::move(dimensions));
}

// X, Y, Z, W; over several slices S, X, Y, Z. GPUs: X over all.
std::vector<Mesh::Axis> default_axes(MachineModel& m) {
  std::vector<Mesh::Axis> axes;
  if (m.wires != Wires::grid) {
    std::vector<int> all;
    for (int d = 0; d < m.shape.dimensions; ++d) all.push_back(d);
    add_axis(m, axes, "X", std::move(all));
    return axes;
  }
  for (int d = 0; d < m.shape.dimensions; ++d)
    add_axis(m, axes, std::string{(joins_slices(m) ? "SXYZ" : "XYZW")[d]}, {d});
  return axes;
}

std::vector<int> named_dimensions(const MeshAxis& axis, const MachineModel& m) {
  std::vector<int> dims;
  for (const auto& n : axis.dimensions) {
    int d = 0;
    while (d < m.shape.dimensions && dimension_name(m, d) != n.value) ++d;
    if (d == m.shape.dimensions) throw PlacedError(n.place, "unknown dimension", n.value, dimensions_list(m));
    dims.push_back(d);
  }
  return dims;
}

// The next dimensions whose product is the axis's size.
std::vector<int> next_dimensions(const MeshAxis& axis, const MachineModel& m, int& next) {
  const Shape& s = m.shape;
  std::vector<int> dims;
  std::int64_t product = 1;
  while (next < s.dimensions && (product < *axis.size || (*axis.size == 1 && dims.empty() && s.size[next] == 1))) {
    product *= s.size[next];
    dims.push_back(next++);
  }
  if (product != *axis.size) refuse_mesh(axis.place, m, axis.name.value + ": " + std::to_string(*axis.size));
  return dims;
}

void check_every_dimension_once(const MachineSpec& spec, const MachineModel& m) {
  std::vector<int> uses(kMaxDimensions);
  for (std::size_t a = 0; a < m.dimensions.size(); ++a)
    for (const int d : m.dimensions[a])
      if (++uses[static_cast<std::size_t>(d)] > 1)
        throw PlacedError(spec.mesh[a].place, "a dimension is used by two axes of the mesh, or twice",
                          dimension_name(m, d));
  for (int d = 0; d < m.shape.dimensions; ++d)
    if (uses[static_cast<std::size_t>(d)] == 0 && m.shape.size[d] > 1)
      refuse_mesh(spec.mesh_place, m, "no axis over " + dimension_name(m, d));
}

}  // namespace

void lay_mesh(MachineModel& m, const MachineSpec& spec) {
  std::vector<Mesh::Axis> axes;
  if (spec.mesh.empty()) {
    axes = default_axes(m);
  } else {
    const bool sizes_only = std::all_of(spec.mesh.begin(), spec.mesh.end(), [](const auto& a) { return a.size; });
    if (m.wires != Wires::grid && sizes_only) cut_shape(m, spec);
    int next = 0;
    for (const MeshAxis& axis : spec.mesh)
      add_axis(m, axes, axis.name.value, axis.size ? next_dimensions(axis, m, next) : named_dimensions(axis, m));
    check_every_dimension_once(spec, m);
  }
  m.mesh = at_place(spec.mesh_place, [&] { return Mesh(axes); });
}

}  // namespace hopsim

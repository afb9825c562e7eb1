#include "scenarios/machine.hpp"

#include <algorithm>
#include <numeric>

#include "sim/error.hpp"

namespace hopsim {
namespace {

// Runs `f`; an InputError gets the place of what it is about.
template <class F>
auto at(const FilePlace& place, F f) {
  try {
    return f();
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(place, e);
  }
}

std::string shape_text(const std::vector<int>& shape) {
  std::string text;
  for (const int n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::vector<bool> wraps_of_kind(const TopologySpec& t) {
  const std::size_t n = t.shape.value.size();
  if (t.wrap) return t.wrap->value;
  switch (t.kind) {
    case TopologyKind::ring:
    case TopologyKind::torus:
      return std::vector<bool>(n, true);
    case TopologyKind::line:
    case TopologyKind::mesh:
      return std::vector<bool>(n, false);
    default:
      throw PlacedError(t.place, "this kind of topology is not supported yet", std::string(name(t.kind)),
                        "ring, line, mesh, torus");
  }
}

void refuse_what_is_not_there_yet(const MachineSpec& spec) {
  const auto refuse = [](const FilePlace& place, const std::string& what) {
    throw PlacedError(place, what + " is not supported yet");
  };
  if (spec.twist && spec.twist->value) refuse(spec.twist->place, "twist");
  if (spec.slices && spec.slices->value != 1) refuse(spec.slices->place, "slices: joining slices over DCN");
  if (spec.topology && spec.topology->graphml) refuse(spec.topology->graphml->place, "graphml");
  if (!spec.faults.empty()) refuse(spec.faults.front().place, "faults");
}

void apply_overrides(ChipModel& chip, const MachineSpec& spec) {
  if (spec.ideal) make_ideal(chip);
  for (const Override& o : spec.overrides)
    at(o.place, [&] {
      set_number(chip, o.key, o.text, "overrides");
      return 0;
    });
}

void build_chip_machine(MachineModel& m, const MachineSpec& spec) {
  m.name = spec.chip->value;
  m.chip = at(spec.chip->place, [&] { return find_chip(spec.chip->value); });
  apply_overrides(m.chip, spec);
  const std::vector<int>& slice = spec.slice.value;
  const std::vector<bool> rule = at(spec.slice.place, [&] { return wraparound(m.chip, slice); });
  m.shape = at(spec.slice.place, [&] { return grid_shape(slice, spec.wrap ? spec.wrap->value : rule); });
  m.link = {scaled(m.chip.link_bandwidth.value, m.chip.link_efficiency.value), m.chip.hop_latency.value};

  std::vector<int> pod = torus_fabric(m.chip).pod_shape.value, asked = slice;
  std::sort(pod.rbegin(), pod.rend());
  std::sort(asked.rbegin(), asked.rend());
  bool fits = true;
  for (std::size_t d = 0; d < asked.size(); ++d) fits = fits && asked[d] <= pod[d];
  if (!fits)
    m.warnings.push_back("a slice of " + shape_text(slice) + " is larger than a pod of " + m.name + ", " +
                         shape_text(torus_fabric(m.chip).pod_shape.value));
}

void build_topology_machine(MachineModel& m, const MachineSpec& spec) {
  const TopologySpec& t = *spec.topology;
  m.name = std::string(name(t.kind));
  apply_overrides(m.chip, spec);
  const bool one = t.kind == TopologyKind::ring || t.kind == TopologyKind::line;
  if (one && t.shape.value.size() != 1)
    throw PlacedError(t.shape.place, "a " + m.name + " has one dimension", shape_text(t.shape.value),
                      "for more: torus, mesh");
  m.shape = at(t.shape.place, [&] { return grid_shape(t.shape.value, wraps_of_kind(t)); });
  m.link = {spec.link->bandwidth.value, spec.link->latency.value};
  const auto overridden = [&](std::string_view key) {
    return std::any_of(spec.overrides.begin(), spec.overrides.end(), [&](const Override& o) { return o.key == key; });
  };
  if (overridden("link_bandwidth")) m.link.bandwidth = m.chip.link_bandwidth.value;
  if (overridden("hop_latency")) m.link.latency = m.chip.hop_latency.value;
  m.link.bandwidth = scaled(m.link.bandwidth, m.chip.link_efficiency.value);
}

// --- the mesh ---------------------------------------------------------------------------------------------------

std::string dimensions_list(const Shape& s) {
  std::string list;
  for (int d = 0; d < s.dimensions; ++d)
    list += (d ? ", " : "") + std::string{"xyzw"[d]} + " of " + std::to_string(s.size[d]);
  return list;
}

[[noreturn]] void refuse_mesh(const FilePlace& place, const Shape& s, const std::string& got) {
  throw PlacedError(place, "the mesh does not fit the fabric: each axis takes whole dimensions, left to right", got,
                    "axes over " + dimensions_list(s) + "; or name them: {X: [y, x]}");
}

std::vector<int> named_dimensions(const MeshAxis& axis, const Shape& s) {
  std::vector<int> dims;
  for (const auto& n : axis.dimensions) {
    const auto d = std::string_view("xyzw").find(n.value);
    if (n.value.size() != 1 || d == std::string_view::npos || static_cast<int>(d) >= s.dimensions)
      throw PlacedError(n.place, "unknown dimension", n.value, dimensions_list(s));
    dims.push_back(static_cast<int>(d));
  }
  return dims;
}

// The next dimensions whose product is the axis's size.
std::vector<int> next_dimensions(const MeshAxis& axis, const Shape& s, int& next) {
  std::vector<int> dims;
  std::int64_t product = 1;
  while (next < s.dimensions && (product < *axis.size || (*axis.size == 1 && dims.empty() && s.size[next] == 1))) {
    product *= s.size[next];
    dims.push_back(next++);
  }
  if (product != *axis.size) refuse_mesh(axis.place, s, axis.name.value + ": " + std::to_string(*axis.size));
  return dims;
}

void check_every_dimension_once(const MachineSpec& spec, const MachineModel& m) {
  std::vector<int> uses(kMaxDimensions);
  for (std::size_t a = 0; a < m.dimensions.size(); ++a)
    for (const int d : m.dimensions[a])
      if (++uses[static_cast<std::size_t>(d)] > 1)
        throw PlacedError(spec.mesh[a].place, "a dimension is used by two axes of the mesh, or twice",
                          std::string{"xyzw"[d]});
  for (int d = 0; d < m.shape.dimensions; ++d)
    if (uses[static_cast<std::size_t>(d)] == 0 && m.shape.size[d] > 1)
      refuse_mesh(spec.mesh_place, m.shape, "no axis over " + std::string{"xyzw"[d]});
}

void build_mesh(MachineModel& m, const MachineSpec& spec) {
  std::vector<Mesh::Axis> axes;
  if (spec.mesh.empty())
    for (int d = 0; d < m.shape.dimensions; ++d) {
      axes.emplace_back(std::string{"XYZW"[d]}, static_cast<std::uint32_t>(m.shape.size[d]));
      m.dimensions.push_back({d});
    }
  int next = 0;
  for (const MeshAxis& axis : spec.mesh) {
    const auto dims = axis.size ? next_dimensions(axis, m.shape, next) : named_dimensions(axis, m.shape);
    std::uint32_t size = 1;
    for (const int d : dims) size *= static_cast<std::uint32_t>(m.shape.size[d]);
    axes.emplace_back(axis.name.value, size);
    m.dimensions.push_back(dims);
  }
  if (!spec.mesh.empty()) check_every_dimension_once(spec, m);
  m.mesh = at(spec.mesh_place, [&] { return Mesh(axes); });
}

}  // namespace

MachineModel build_machine(const MachineSpec& spec) {
  refuse_what_is_not_there_yet(spec);
  MachineModel m;
  if (spec.chip)
    build_chip_machine(m, spec);
  else
    build_topology_machine(m, spec);
  m.fabric = freeze(grid(m.shape, m.link));
  m.overheads = {.step = m.chip.step_overhead.value,
                 .chunk = m.chip.chunk_overhead.value,
                 .launch = m.chip.launch_overhead.value};
  build_mesh(m, spec);
  m.row_by_row = spec.layout && spec.layout->value == "rows";
  return m;
}

}  // namespace hopsim

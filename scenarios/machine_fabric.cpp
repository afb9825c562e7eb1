#include "scenarios/machine_fabric.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/error.hpp"
#include "topologies/graphml.hpp"
#include "topologies/networks.hpp"

namespace hopsim {
namespace {

std::string shape_text(const std::vector<int>& shape) {
  std::string text;
  for (const int n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::vector<bool> no_wrap(std::size_t dimensions) { return std::vector<bool>(dimensions, false); }

bool overridden(const MachineSpec& spec, std::string_view key) {
  return std::any_of(spec.overrides.begin(), spec.overrides.end(), [&](const Override& o) { return o.key == key; });
}

void apply_overrides(ChipModel& chip, const MachineSpec& spec) {
  if (spec.ideal) make_ideal(chip);
  for (const Override& o : spec.overrides)
    at_place(o.place, [&] {
      set_number(chip, o.key, o.text, "overrides");
      return 0;
    });
}

std::optional<Topology> box_or_twisted(const MachineModel& m) {
  if (!m.shape.any_twist()) return std::nullopt;
  return grid(m.shape, m.link);
}

// ---- TPUs

void warn_beyond_pod(MachineModel& m, const std::vector<int>& slice) {
  std::vector<int> pod = torus_fabric(m.chip).pod_shape.value, asked = slice;
  std::sort(pod.rbegin(), pod.rend());
  std::sort(asked.rbegin(), asked.rend());
  bool fits = true;
  for (std::size_t d = 0; d < asked.size(); ++d) fits = fits && asked[d] <= pod[d];
  if (!fits)
    m.warnings.push_back("a slice of " + shape_text(slice) + " is larger than a pod of " + m.name + ", " +
                         shape_text(torus_fabric(m.chip).pod_shape.value));
}

Shape slice_shape(const MachineModel& m, const MachineSpec& spec) {
  const std::vector<int>& slice = spec.slice.value;
  const std::vector<bool> rule = at_place(spec.slice.place, [&] { return wraparound(m.chip, slice); });
  if (!spec.twist || !spec.twist->value)
    return at_place(spec.slice.place, [&] { return grid_shape(slice, spec.wrap ? spec.wrap->value : rule); });
  if (spec.wrap)
    throw PlacedError(spec.wrap->place, "a twisted slice wraps as its twist has it", "wrap beside twist",
                      "one of the two");
  const Shape twisted = at_place(spec.twist->place, [&] { return twisted_shape(slice); });
  if (std::find(rule.begin(), rule.end(), false) != rule.end())
    throw PlacedError(spec.twist->place, "a slice of " + m.name + " that does not wrap around has no twist",
                      shape_text(slice), "such as 4x4x8");
  return twisted;
}

LinkModel dcn_of(const MachineModel& m, const MachineSpec& spec) {
  const TorusFabric& torus = torus_fabric(m.chip);
  if (!torus.dcn_bandwidth)
    throw PlacedError(spec.slices->place, "no DCN bandwidth is known for " + m.name, "",
                      "with overrides: {dcn_bandwidth: 6.25 GB/s}");
  return {torus.dcn_bandwidth->value, torus.dcn_latency ? torus.dcn_latency->value : Time{}};
}

std::optional<Topology> build_slices(MachineModel& m, const MachineSpec& spec) {
  m.shape = slice_shape(m, spec);
  warn_beyond_pod(m, spec.slice.value);
  if (!spec.slices || spec.slices->value == 1) return box_or_twisted(m);
  m.nic = dcn_of(m, spec);
  return at_place(spec.slices->place, [&] { return slices(grid(m.shape, m.link), spec.slices->value, *m.nic); });
}

// ---- GPUs

void refuse_for_gpus(const MachineModel& m, const MachineSpec& spec) {
  const auto refuse = [&](const FilePlace& place, const std::string& key) {
    throw PlacedError(place, key + " is for slices of TPUs", key + " beside " + m.name,
                      "slice: GPUs, or nodes x GPUs, such as 2x8");
  };
  if (spec.wrap) refuse(spec.wrap->place, "wrap");
  if (spec.twist && spec.twist->value) refuse(spec.twist->place, "twist");
  if (spec.slices && spec.slices->value != 1) refuse(spec.slices->place, "slices");
}

// The chips below `n` and what joins them.
Topology first_chips(const Topology& all, int n) {
  const auto chips = static_cast<std::uint32_t>(n);
  Topology part{grid_shape({n}, {false}), LinkGraph(chips), chips};
  for (std::uint32_t chip = 0; chip < chips; ++chip) part.graph[chip] = all.graph[chip];
  for (const auto e : boost::make_iterator_range(edges(all.graph)))
    if (source(e, all.graph) < chips && target(e, all.graph) < chips)
      add_edge(source(e, all.graph), target(e, all.graph), all.graph[e], part.graph);
  return part;
}

Topology domain_of(const GpuFabric& gpu, int gpus, const LinkModel& link) {
  const Shape shape = grid_shape({gpus}, {false});
  switch (gpu.wiring) {
    case GpuFabric::Wiring::fully_connected:
      return fully_connected(shape, link);
    case GpuFabric::Wiring::hybrid_cube_mesh:
      return first_chips(hybrid_cube_mesh(link), gpus);
    default:
      return switched(shape, link, gpu.nvls.value);
  }
}

ClusterNetwork network_of(const GpuFabric& gpu, const LinkModel& nic) {
  ClusterNetwork network;
  network.kind = gpu.network.value;
  network.nic = nic;
  network.pod = gpu.pod_domains.value;
  network.spines = gpu.spines.value;
  network.leaf_spine = {scaled(gpu.leaf_spine_bandwidth.value, gpu.nic_efficiency.value), nic.latency};
  if (network.spines > 0 && network.leaf_spine.bandwidth == Bandwidth{}) network.spines = 0;
  return network;
}

Topology build_gpus(MachineModel& m, const MachineSpec& spec, const GpuFabric& gpu) {
  refuse_for_gpus(m, spec);
  const std::vector<int>& slice = spec.slice.value;
  const int most = gpu.gpus_per_domain.value, gpus = slice.back();
  const std::string domain = most > 8 ? "rack" : "node";
  const std::string valid = "GPUs of one " + domain + ", up to " + std::to_string(most) + "; or " + domain +
                            "s x GPUs, such as 2x" + std::to_string(most);
  if (slice.size() > 2) throw PlacedError(spec.slice.place, "GPUs have no such shape", shape_text(slice), valid);
  if (gpus > most)
    throw PlacedError(spec.slice.place, "more GPUs than a " + domain + " of " + m.name + " holds", shape_text(slice),
                      valid);
  m.wires = gpu.wiring == GpuFabric::Wiring::switched ? Wires::switched : Wires::direct;
  Topology one = domain_of(gpu, gpus, m.link);
  const int domains = slice.size() == 2 ? slice.front() : 1;
  if (domains == 1) return one;
  m.nic = LinkModel{scaled(gpu.nic_bandwidth.value, gpu.nic_efficiency.value), gpu.nic_latency.value};
  return at_place(spec.slice.place, [&] { return cluster(one, domains, network_of(gpu, *m.nic)); });
}

std::optional<Topology> build_chips(MachineModel& m, const MachineSpec& spec) {
  m.name = spec.chip->value;
  m.chip = at_place(spec.chip->place, [&] { return find_chip(spec.chip->value); });
  apply_overrides(m.chip, spec);
  m.link = {scaled(m.chip.link_bandwidth.value, m.chip.link_efficiency.value), m.chip.hop_latency.value};
  if (const GpuFabric* gpu = gpu_fabric(m.chip)) return build_gpus(m, spec, *gpu);
  return build_slices(m, spec);
}

// ---- topologies without a chip

std::optional<Topology> topology_of(MachineModel& m, const TopologySpec& t) {
  const std::vector<int>& size = t.shape.value;
  const std::size_t n = size.size();
  const auto box = [&](bool wraps) {
    m.shape = grid_shape(size, t.wrap ? t.wrap->value : std::vector<bool>(n, wraps));
    return std::nullopt;
  };
  switch (t.kind) {
    case TopologyKind::ring:
    case TopologyKind::torus:
      return box(true);
    case TopologyKind::line:
    case TopologyKind::mesh:
      return box(false);
    case TopologyKind::twisted_torus:
      return grid(twisted_shape(size), m.link);
    case TopologyKind::fully_connected:
      m.wires = Wires::direct;
      return fully_connected(grid_shape(size, no_wrap(n)), m.link);
    case TopologyKind::switched:
      break;
  }
  m.wires = Wires::switched;
  return switched(grid_shape(size, no_wrap(n)), m.link, t.nvls && t.nvls->value);
}

std::optional<Topology> build_topology(MachineModel& m, const MachineSpec& spec) {
  const TopologySpec& t = *spec.topology;
  m.name = std::string(name(t.kind));
  apply_overrides(m.chip, spec);
  m.link = {spec.link->bandwidth.value, spec.link->latency.value};
  if (overridden(spec, "link_bandwidth")) m.link.bandwidth = m.chip.link_bandwidth.value;
  if (overridden(spec, "hop_latency")) m.link.latency = m.chip.hop_latency.value;
  m.link.bandwidth = scaled(m.link.bandwidth, m.chip.link_efficiency.value);
  return at_place(t.shape.place, [&] { return topology_of(m, t); });
}

// ---- graphs

Topology read_graph(const Placed<std::string>& graph) {
  const std::string path = graphml_path(graph.place, graph.value).string();
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw PlacedError(graph.place, "the GraphML file cannot be read", path);
  return at_place(graph.place, [&] { return read_graphml(file, path); });
}

// The slowest link and the longest latency of those that leave chips.
LinkModel slowest_link(const Topology& t) {
  LinkModel slowest;
  for (const auto e : boost::make_iterator_range(edges(t.graph))) {
    if (source(e, t.graph) >= t.shape.chips()) continue;
    const LinkProperties& p = t.graph[e];
    if (slowest.bandwidth == Bandwidth{} || p.bandwidth < slowest.bandwidth) slowest.bandwidth = p.bandwidth;
    slowest.latency = std::max(slowest.latency, p.latency);
  }
  return slowest;
}

Topology build_graph(MachineModel& m, const MachineSpec& spec) {
  m.name = spec.topology->graphml->value;
  apply_overrides(m.chip, spec);
  for (const Override& o : spec.overrides)
    if (o.key == "link_bandwidth" || o.key == "hop_latency")
      throw PlacedError(o.place, "the links of a graph are in its file", o.key);
  Topology t = read_graph(*spec.topology->graphml);
  for (const auto e : boost::make_iterator_range(edges(t.graph))) {
    Bandwidth& bandwidth = t.graph[e].bandwidth;
    bandwidth = scaled(bandwidth, m.chip.link_efficiency.value);
  }
  m.link = slowest_link(t);
  m.wires = Wires::direct;
  const LinkGraph& g = t.graph;
  bool one_link_each = num_vertices(g) > t.shape.chips();
  for (std::uint32_t chip = 0; one_link_each && chip < t.shape.chips(); ++chip)
    for (const auto e : boost::make_iterator_range(out_edges(chip, g)))
      one_link_each = out_degree(chip, g) == 1 && g[target(e, g)].is_switch;
  if (one_link_each) m.wires = Wires::switched;
  return t;
}

}  // namespace

std::filesystem::path graphml_path(const FilePlace& place, const std::string& file) {
  return (place.file ? std::filesystem::path(*place.file).parent_path() : std::filesystem::path()) / file;
}

std::optional<Topology> build_fabric(MachineModel& m, const MachineSpec& spec) {
  std::optional<Topology> t = spec.chip                ? build_chips(m, spec)
                              : spec.topology->graphml ? build_graph(m, spec)
                                                       : build_topology(m, spec);
  if (t) m.shape = t->shape;
  return t;
}

}  // namespace hopsim

#include "scenarios/machine_spec.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scenarios/fields.hpp"
#include "sharding/dtype.hpp"
#include "sim/coordinates.hpp"
#include "topologies/catalogue.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxSize = INT16_MAX;  // of one dimension: coordinates have 16 bits
constexpr std::uint64_t kMaxChips = std::uint64_t{1} << 24;
constexpr std::string_view kShapeExample = "sizes of 1 to 32767, such as 8x4";

const Names& topology_names() {
  static const Names names{"ring", "line", "mesh", "torus", "twisted_torus", "fully_connected", "switch"};
  return names;
}

std::optional<TopologyKind> topology_named(std::string_view text) {
  const Names& names = topology_names();
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) return std::nullopt;
  return static_cast<TopologyKind>(it - names.begin());
}

bool has_one_dimension(TopologyKind kind) {
  return kind == TopologyKind::ring || kind == TopologyKind::line || kind == TopologyKind::fully_connected ||
         kind == TopologyKind::switched;
}

void check_chips(const std::vector<int>& shape, std::string_view text) {
  std::uint64_t chips = 1;
  for (const int size : shape) {
    chips *= static_cast<std::uint64_t>(size);
    if (chips > kMaxChips) {
      throw InputError("too many chips", std::string(text), "at most " + std::to_string(kMaxChips));
    }
  }
}

// 8x4, or 8, or [8, 4].
Placed<std::vector<int>> shape_of(const YamlValue& value) {
  if (!value.is_sequence()) return parsed(value, parse_shape);
  std::string text;
  for (const YamlValue& item : value.items) text += (text.empty() ? "" : "x") + text_of(item);
  try {
    return {parse_shape(text), value.place};
  } catch (const InputError& e) {
    throw PlacedError(value.place, InputError(name_of(value) + ": " + e.what()));
  }
}

Placed<std::vector<bool>> wrap_of(const YamlValue& value, std::size_t dimensions) {
  std::vector<bool> wrap = bools_of(value);
  if (wrap.size() != dimensions) {
    throw PlacedError(value.place, "wrap needs one value a dimension", std::to_string(wrap.size()) + " values",
                      std::to_string(dimensions) + " values");
  }
  return {std::move(wrap), value.place};
}

TopologySpec topology_of(const YamlValue& value) {
  const MapReader reader(value, "topology", {"kind", "shape", "wrap", "nvls", "graphml"});
  TopologySpec topology;
  topology.place = value.place;
  if (const YamlValue* file = reader.find("graphml")) {
    for (const char* key : {"kind", "shape", "wrap", "nvls"}) reader.exclude("graphml", key);
    topology.graphml = {text_of(*file), file->place};
    return topology;
  }
  topology.kind = *topology_named(choice_of(reader.require("kind"), topology_names()));
  topology.shape = shape_of(reader.require("shape"));
  const std::size_t dimensions = topology.shape.value.size();
  if (has_one_dimension(topology.kind) && dimensions != 1) {
    throw PlacedError(topology.shape.place, std::string(name(topology.kind)) + " has one dimension",
                      std::to_string(dimensions) + " of them", "one size, such as 8");
  }
  if (const YamlValue* wrap = reader.find("wrap")) {
    if (topology.kind != TopologyKind::torus && topology.kind != TopologyKind::mesh) {
      throw PlacedError(wrap->key_place, "wrap is for a torus or a mesh", std::string(name(topology.kind)));
    }
    topology.wrap = wrap_of(*wrap, dimensions);
  }
  if (const YamlValue* nvls = reader.find("nvls")) {
    if (topology.kind != TopologyKind::switched)
      throw PlacedError(nvls->key_place, "nvls is for a switch", std::string(name(topology.kind)));
    topology.nvls = {bool_of(*nvls), nvls->place};
  }
  return topology;
}

LinkSpec link_of(const YamlValue& value) {
  const MapReader reader(value, "link", {"bandwidth", "latency"});
  return {parsed(reader.require("bandwidth"), parse_bandwidth),
          parsed(reader.require("latency"), [](std::string_view text) { return parse_time(text); })};
}

bool is_number(const YamlValue& value) {
  return value.is_scalar() && !value.text.empty() &&
         value.text.find_first_not_of("0123456789.+-eE") == std::string::npos;
}

MeshAxis mesh_axis_of(const YamlValue& value) {
  check_identifier(value.key, "a mesh axis", value.key_place);
  MeshAxis axis{{value.key, value.key_place}, value.place, {}, {}};
  if (is_number(value)) {
    axis.size = count_of(value, 1, kMaxChips);
    return axis;
  }
  constexpr const char* kValid = "a size, a dimension such as x, or a list of dimensions";
  const auto add = [&](const YamlValue& dimension) {
    const std::string& text = text_of(dimension, kValid);
    check_identifier(text, "a dimension", dimension.place);
    axis.dimensions.push_back({text, dimension.place});
  };
  if (value.is_sequence()) {
    if (value.items.empty()) throw PlacedError(value.place, "an axis of no dimensions", "[]", kValid);
    for (const YamlValue& dimension : value.items) add(dimension);
  } else {
    add(value);
  }
  return axis;
}

// ---- overrides: the catalogue's keys, which it also checks

void check_override(const YamlValue& value, std::string_view key) {
  parsed(value, [&](std::string_view text) { return check_number(key, text), 0; });
}

std::vector<Override> overrides_of(const YamlValue& value) {
  const MapReader reader(value, "overrides", number_keys());
  std::vector<Override> overrides;
  for (const YamlValue& item : value.items) {
    const YamlValue& checked = reader.require(item.key);
    if (checked.is_map() && item.key == "peak_flops") {
      for (const YamlValue& peak : checked.items) {
        const auto dtype = dtype_named(peak.key);
        if (!dtype) throw PlacedError(peak.key_place, "unknown dtype", quoted_for_message(peak.key), dtype_names());
        check_override(peak, item.key);
        overrides.push_back({"peak_flops." + std::string(name(*dtype)), peak.text, peak.place});
      }
      continue;
    }
    check_override(checked, item.key);
    overrides.push_back({item.key, checked.text, checked.place});
  }
  return overrides;
}

// ---- faults

Ratio share_of(const YamlValue& value) {
  return parsed(value,
                [](std::string_view text) {
                  const Ratio share = parse_ratio(text);
                  if (share.numerator > share.denominator)
                    throw InputError("a share above 1", std::string(text), "50%, 0.5, ...");
                  return share;
                })
      .value;
}

void read_link_fault(const MapReader& reader, Fault& fault) {
  const YamlValue& ends = reader.require("link");
  expect_list(ends, "two chips, such as [0, 1]");
  if (ends.items.size() != 2) {
    throw PlacedError(ends.place, "a link has two ends", std::to_string(ends.items.size()),
                      "two chips, such as [0, 1]");
  }
  for (const YamlValue& end : ends.items) fault.link.push_back(load_chip_ref(end));
  if (const YamlValue* v = reader.find("one_way")) fault.one_way = bool_of(*v);
  if (const YamlValue* v = reader.find("down")) fault.down = bool_of(*v);
  const YamlValue* bandwidth = reader.find("bandwidth");
  if (bandwidth == nullptr) return;
  if (text_of(*bandwidth).find_first_not_of("0123456789.eE-+% ") == std::string::npos) {
    fault.bandwidth_share = share_of(*bandwidth);
  } else {
    fault.bandwidth = parsed(*bandwidth, parse_bandwidth);
  }
}

Fault fault_of(const YamlValue& value) {
  const bool of_link = value.find("link") != nullptr;
  if (!of_link && value.find("chip") == nullptr) {
    const MapReader known(value, "a fault", {"link", "chip", "down", "bandwidth", "speed", "one_way"});
    throw PlacedError(value.place, "a fault needs a link or a chip");
  }
  const MapReader reader(value, of_link ? "a link's fault" : "a chip's fault",
                         of_link ? Names{"link", "down", "bandwidth", "one_way"} : Names{"chip", "speed"});
  Fault fault;
  fault.place = value.place;
  if (of_link) {
    read_link_fault(reader, fault);
    reader.exclude("down", "bandwidth");
    if (!fault.down && !fault.bandwidth && !fault.bandwidth_share) reader.require("bandwidth");
  } else {
    fault.chip = load_chip_ref(reader.require("chip"));
    fault.speed = share_of(reader.require("speed"));
  }
  return fault;
}

// ---- the two ways to say what the machine is

void read_chip(const MapReader& reader, MachineSpec& machine) {
  if (const YamlValue* link = reader.find("link")) {
    throw PlacedError(link->key_place, "link is for a topology", "link beside chip",
                      "overrides: {link_bandwidth: ..., hop_latency: ...}");
  }
  const YamlValue& chip = reader.require("chip");
  machine.chip = {text_of(chip), chip.place};
  machine.slice = shape_of(reader.require("slice"));
  if (const YamlValue* v = reader.find("wrap")) machine.wrap = wrap_of(*v, machine.slice.value.size());
  if (const YamlValue* v = reader.find("twist")) machine.twist = {bool_of(*v), v->place};
  if (const YamlValue* v = reader.find("slices"))
    machine.slices = {static_cast<int>(count_of(*v, 1, kMaxSize)), v->place};
}

void read_topology(const MapReader& reader, MachineSpec& machine) {
  for (const char* key : {"slice", "wrap", "twist", "slices"}) {
    if (const YamlValue* v = reader.find(key)) {
      throw PlacedError(v->key_place, std::string(key) + " is for a chip of the catalogue",
                        std::string(key) + " beside topology", "topology: {kind, shape, wrap}");
    }
  }
  machine.topology = topology_of(reader.require("topology"));
  if (!machine.topology->graphml) {
    machine.link = link_of(reader.require("link"));
  } else if (const YamlValue* link = reader.find("link")) {
    throw PlacedError(link->key_place, "the links of a graph are in its file", "link beside graphml");
  }
}

Jitter jitter_of(const YamlValue& value) {
  const MapReader reader(value, "jitter", {"delay", "seed"});
  Jitter jitter{parsed(reader.require("delay"), [](std::string_view text) { return parse_time(text); })};
  if (const YamlValue* v = reader.find("seed"))
    jitter.seed = static_cast<std::uint64_t>(count_of(*v, 0, std::uint64_t{1} << 53));
  return jitter;
}

void read_options(const MapReader& reader, MachineSpec& machine) {
  if (const YamlValue* v = reader.find("ideal")) machine.ideal = bool_of(*v);
  if (const YamlValue* v = reader.find("overrides")) machine.overrides = overrides_of(*v);
  if (const YamlValue* v = reader.find("layout")) machine.layout = {choice_of(*v, {"ring", "rows"}), v->place};
  if (const YamlValue* mesh = reader.find("mesh")) {
    expect_map(*mesh);
    if (mesh->items.empty()) throw PlacedError(mesh->place, "a mesh needs an axis", "{}", "such as {X: 8, Y: 4}");
    machine.mesh_place = mesh->place;
    for (const YamlValue& axis : mesh->items) machine.mesh.push_back(mesh_axis_of(axis));
  }
  if (const YamlValue* faults = reader.find("faults")) {
    expect_list(*faults, "a list such as [{link: [0, 1], down: true}]");
    for (const YamlValue& fault : faults->items) machine.faults.push_back(fault_of(fault));
  }
  if (const YamlValue* v = reader.find("routing"))
    machine.routing = {choice_of(*v, {"dimension_ordered", "rotations", "minimal", "table"}), v->place};
  if (const YamlValue* v = reader.find("jitter")) machine.jitter = jitter_of(*v);
}

}  // namespace

std::string_view name(TopologyKind kind) { return topology_names()[static_cast<std::size_t>(kind)]; }

std::vector<int> parse_shape(std::string_view text) {
  std::vector<int> shape;
  for (std::string_view rest = text;;) {
    const std::size_t x = rest.find('x');
    try {
      shape.push_back(static_cast<int>(parse_count(rest.substr(0, x), 1, kMaxSize)));
    } catch (const InputError&) {
      throw InputError("a bad size in a shape", quoted_for_message(std::string(text)), std::string(kShapeExample));
    }
    if (x == std::string_view::npos) break;
    rest.remove_prefix(x + 1);
  }
  if (shape.size() > kMaxDimensions) {
    throw InputError("a shape of too many dimensions", std::string(text), "up to " + std::to_string(kMaxDimensions));
  }
  check_chips(shape, text);
  return shape;
}

ChipRef load_chip_ref(const YamlValue& value) {
  ChipRef chip;
  chip.place = value.place;
  if (!value.is_sequence()) {
    chip.number = count_of(value, 0, kMaxChips);
    return chip;
  }
  for (const std::int64_t x : counts_of(value, 0, kMaxSize)) chip.coordinates.push_back(static_cast<int>(x));
  if (chip.coordinates.empty() || chip.coordinates.size() > kMaxDimensions) {
    throw PlacedError(value.place, "not a chip's coordinates", std::to_string(chip.coordinates.size()) + " numbers",
                      "a chip number, or coordinates such as [0, 1]");
  }
  return chip;
}

MachineSpec load_machine(const YamlValue& value) {
  const MapReader reader(value, "machine",
                         {"chip", "slice", "mesh", "wrap", "twist", "slices", "topology", "link", "layout", "ideal",
                          "overrides", "faults", "routing", "jitter"});
  MachineSpec machine;
  machine.place = value.place;
  reader.exclude("chip", "topology");
  if (reader.find("topology") != nullptr) {
    read_topology(reader, machine);
  } else if (reader.find("chip") != nullptr) {
    read_chip(reader, machine);
  } else {
    throw PlacedError(value.place, "machine needs a chip or a topology", "",
                      "chip: tpu_v5e, topology: {kind: torus, ...}");
  }
  read_options(reader, machine);
  return machine;
}

void replace_machine(Document& document, YamlValue machine) {
  machine.key = "machine";
  machine.key_place = machine.place;
  for (YamlValue& value : document.root.items) {
    if (value.key != "machine") continue;
    value = std::move(machine);
    return;
  }
  document.root.items.push_back(std::move(machine));
}

}  // namespace hopsim

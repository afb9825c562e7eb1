#include "topologies/catalogue_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "sim/error.hpp"

namespace hopsim {
namespace {

constexpr std::string_view kAnyDtype = "any", kPeak = "peak_flops";
constexpr std::array<std::string_view, 9> kDtypes{"bf16", "fp16", "fp32", "tf32", "fp64",
                                                  "fp8",  "fp4",  "int8", "int4"};
constexpr std::array<std::string_view, 3> kWirings{"switched", "fully_connected", "hybrid_cube_mesh"};
constexpr std::array<std::string_view, 3> kNetworks{"one_switch", "rails", "leaf_spine"};

template <class Range>
std::string joined(const Range& range) {
  return fmt::format("{}", fmt::join(range, ", "));
}

// ---- values

int parse_positive(std::string_view text) { return static_cast<int>(parse_count(text, 1, INT16_MAX)); }

Bytes parse_size(std::string_view text) { return parse_bytes(text); }
Time parse_duration(std::string_view text) { return parse_time(text); }

Ratio parse_share(std::string_view text) {
  const Ratio share = parse_ratio(text);
  if (share.numerator > share.denominator) {
    throw InputError("an efficiency above 1", std::string(text), "above 0, up to 1, or per cent: 0.95, 95%");
  }
  return share;
}

Ratio parse_part(std::string_view text) {
  const Ratio part = parse_ratio(text, Zero::allowed);
  if (part.numerator >= part.denominator)
    throw InputError("a share that leaves nothing", std::string(text), "from 0 to below 1, or per cent: 0.1, 10%");
  return part;
}

bool parse_bool(std::string_view text) {
  if (text != "true" && text != "false") throw InputError("neither true nor false", std::string(text), "true, false");
  return text == "true";
}

ClusterNetwork::Kind parse_network(std::string_view text) {
  const auto at = std::find(kNetworks.begin(), kNetworks.end(), text);
  if (at == kNetworks.end()) throw InputError("unknown kind of network", std::string(text), joined(kNetworks));
  return static_cast<ClusterNetwork::Kind>(at - kNetworks.begin());
}

std::vector<int> parse_shape(std::string_view text) {
  std::vector<int> shape;
  for (;;) {
    const std::size_t x = text.find('x');
    shape.push_back(parse_positive(text.substr(0, x)));
    if (x == std::string_view::npos) return shape;
    text.remove_prefix(x + 1);
  }
}

WrapRule parse_wrap_rule(std::string_view text) {
  constexpr std::string_view kFullAxis = "full_axis_", kCubes = "cubes_of_";
  if (text.starts_with(kFullAxis)) {
    return {WrapRule::Kind::full_axis, parse_positive(text.substr(kFullAxis.size()))};
  }
  if (text.starts_with(kCubes)) return {WrapRule::Kind::whole_cubes, parse_positive(text.substr(kCubes.size()))};
  throw InputError("unknown wraparound rule", std::string(text), "full_axis_N, cubes_of_N");
}

// ---- keys

template <class Owner, class Value>
Owner owner_of(Value Owner::*);

template <auto Member, auto Parse>
void store(ChipModel& chip, std::string_view text, const std::string& source) {
  using Owner = decltype(owner_of(Member));
  Sourced<decltype(Parse(text))> number{Parse(text), source};
  if constexpr (std::is_same_v<Owner, ChipModel>) {
    chip.*Member = std::move(number);
  } else {
    std::get<Owner>(chip.fabric).*Member = std::move(number);
  }
}

using Field = CatalogueField;

constexpr Field kCommon[] = {
    {"flops_efficiency", true, true, store<&ChipModel::flops_efficiency, parse_share>},
    {"hbm_bandwidth", true, true, store<&ChipModel::hbm_bandwidth, parse_bandwidth>},
    {"hbm_capacity", true, true, store<&ChipModel::hbm_capacity, parse_size>},
    {"link_bandwidth", true, true, store<&ChipModel::link_bandwidth, parse_bandwidth>},
    {"link_efficiency", true, true, store<&ChipModel::link_efficiency, parse_share>},
    {"hop_latency", true, true, store<&ChipModel::hop_latency, parse_duration>},
    {"launch_overhead", true, true, store<&ChipModel::launch_overhead, parse_duration>},
    {"step_overhead", true, true, store<&ChipModel::step_overhead, parse_duration>},
    {"chunk_overhead", true, true, store<&ChipModel::chunk_overhead, parse_duration>},
    {"loop_overhead", false, true, store<&ChipModel::loop_overhead, parse_duration>},
    {"comm_compute_share", false, true, store<&ChipModel::comm_compute_share, parse_part>},
    {"pcie_bandwidth", false, true, store<&ChipModel::pcie_bandwidth, parse_bandwidth>},
};

constexpr Field kTorus[] = {
    {"links_per_chip", true, false, store<&TorusFabric::links_per_chip, parse_positive>},
    {"dimensions", true, false, store<&TorusFabric::dimensions, parse_positive>},
    {"pod_shape", true, false, store<&TorusFabric::pod_shape, parse_shape>},
    {"wraparound", true, false, store<&TorusFabric::wraparound, parse_wrap_rule>},
    {"chips_per_host", true, false, store<&TorusFabric::chips_per_host, parse_positive>},
    {"dcn_bandwidth", false, true, store<&TorusFabric::dcn_bandwidth, parse_bandwidth>},
    {"dcn_latency", false, true, store<&TorusFabric::dcn_latency, parse_duration>},
};

constexpr Field kGpu[] = {
    {"links_per_chip", true, false, store<&GpuFabric::links_per_chip, parse_positive>},
    {"gpus_per_domain", true, false, store<&GpuFabric::gpus_per_domain, parse_positive>},
    {"nvls", false, false, store<&GpuFabric::nvls, parse_bool>},
    {"nic_bandwidth", true, true, store<&GpuFabric::nic_bandwidth, parse_bandwidth>},
    {"nic_latency", true, true, store<&GpuFabric::nic_latency, parse_duration>},
    {"nic_efficiency", true, true, store<&GpuFabric::nic_efficiency, parse_share>},
    {"network", true, true, store<&GpuFabric::network, parse_network>},
    {"pod_domains", false, true, store<&GpuFabric::pod_domains, parse_positive>},
    {"spines", false, true, store<&GpuFabric::spines, parse_positive>},
    {"leaf_spine_bandwidth", false, true, store<&GpuFabric::leaf_spine_bandwidth, parse_bandwidth>},
};

void set_peak(ChipModel& chip, std::string_view dtype, std::string_view text, const std::string& source) {
  if (std::find(kDtypes.begin(), kDtypes.end(), dtype) == kDtypes.end()) {
    throw InputError("unknown dtype of peak_flops", std::string(dtype), joined(kDtypes));
  }
  chip.peak_flops.insert_or_assign(std::string(dtype), Sourced<FlopRate>{parse_flop_rate(text), source});
  note_number(chip, fmt::format("{}.{}", kPeak, dtype), text, source);
}

void set_every_peak(ChipModel& chip, std::string_view text, const std::string& source) {
  const FlopRate rate = parse_flop_rate(text);
  chip.peak_flops.clear();
  std::erase_if(chip.numbers, [](const auto& n) { return n.key.starts_with(kPeak); });
  chip.peak_flops.emplace(kAnyDtype, Sourced<FlopRate>{rate, source});
  note_number(chip, kPeak, text, source);
}

std::vector<std::string_view> overridable_keys(const ChipModel& chip) {
  std::vector<std::string_view> keys{kPeak};
  for (const Field& f : fields_of(chip))
    if (f.overridable) keys.push_back(f.key);
  return keys;
}

}  // namespace

std::vector<CatalogueField> fields_of(const ChipModel& chip) {
  std::vector<Field> fields(std::begin(kCommon), std::end(kCommon));
  if (gpu_fabric(chip) != nullptr) {
    fields.insert(fields.end(), std::begin(kGpu), std::end(kGpu));
  } else {
    fields.insert(fields.end(), std::begin(kTorus), std::end(kTorus));
  }
  return fields;
}

ChipModel chip_of_kind(std::string_view kind) {
  ChipModel chip;
  if (kind == "torus") return chip;
  const auto at = std::find(kWirings.begin(), kWirings.end(), kind);
  if (at == kWirings.end())
    throw InputError("unknown kind of fabric", std::string(kind), "torus, " + joined(kWirings));
  chip.fabric.emplace<GpuFabric>().wiring = static_cast<GpuFabric::Wiring>(at - kWirings.begin());
  return chip;
}

void note_number(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source) {
  auto at = std::find_if(chip.numbers.begin(), chip.numbers.end(), [&](const auto& n) { return n.key == key; });
  if (at == chip.numbers.end()) at = chip.numbers.insert(at, CatalogueNumber{std::string(key), {}, {}});
  at->text = text;
  at->source = source;
}

void set_number(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source) {
  if (key == kPeak) return set_every_peak(chip, text, source);
  if (key.starts_with("peak_flops.")) return set_peak(chip, key.substr(kPeak.size() + 1), text, source);
  const auto fields = fields_of(chip);
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key && f.overridable; });
  if (field == fields.end()) {
    const std::string who = chip.name.empty() ? "this machine" : chip.name;
    throw InputError("unknown key of " + who, std::string(key), joined(overridable_keys(chip)));
  }
  field->set(chip, text, source);
  note_number(chip, key, text, source);
}

std::vector<std::string_view> number_keys() {
  std::vector<std::string_view> keys = overridable_keys(chip_of_kind("torus"));
  for (const std::string_view key : overridable_keys(chip_of_kind("switched")))
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

void check_number(std::string_view key, std::string_view text) {
  ChipModel gpu = chip_of_kind("switched"), tpu;
  const auto of_gpu = overridable_keys(gpu);
  const bool has = key.starts_with(kPeak) || std::find(of_gpu.begin(), of_gpu.end(), key) != of_gpu.end();
  set_number(has ? gpu : tpu, key, text, "check");
}

std::string_view name(GpuFabric::Wiring wiring) { return kWirings[static_cast<std::size_t>(wiring)]; }
std::string_view name(ClusterNetwork::Kind kind) { return kNetworks[static_cast<std::size_t>(kind)]; }

}  // namespace hopsim

#include "topologies/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "sim/error.hpp"

namespace hopsim {
namespace {

constexpr std::string_view kAnyDtype = "any";

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string_view stem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return path.substr(0, path.rfind('.'));
}

// Letters to add or drop to make `a` from `b`, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 2);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string suggestion(std::string_view name, const std::vector<std::string>& names) {
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return distance(name, a) < distance(name, b);
  });
  if (nearest == names.end() || distance(name, *nearest) > 3) return {};
  return " (did you mean " + *nearest + "?)";
}

std::string shape_text(const std::vector<int>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : catalogue_files()) names.emplace_back(stem(file.name));
  return names;
}

ChipModel find_chip(std::string_view name) {
  for (const EmbeddedFile& file : catalogue_files()) {
    if (stem(file.name) == name) return parse_chip(file.name, std::string(file.text));
  }
  const std::vector<std::string> names = catalogue_names();
  throw InputError("unknown chip" + suggestion(name, names), std::string(name), joined(names));
}

void make_ideal(ChipModel& chip) {
  const std::string source = "ideal machine";
  set_number(chip, "comm_compute_share", "0", source);
  for (const char* share : {"flops_efficiency", "link_efficiency"}) set_number(chip, share, "1", source);
  if (gpu_fabric(chip) != nullptr) set_number(chip, "nic_efficiency", "1", source);
  for (const char* time : {"launch_overhead", "step_overhead", "chunk_overhead", "loop_overhead"})
    set_number(chip, time, "0 us", source);
}

FlopRate peak_flops(const ChipModel& chip, std::string_view dtype) {
  auto at = chip.peak_flops.find(dtype);
  if (at == chip.peak_flops.end()) at = chip.peak_flops.find(kAnyDtype);
  if (at != chip.peak_flops.end()) return at->second.value;
  std::vector<std::string> valid;
  for (const auto& entry : chip.peak_flops) valid.push_back(entry.first);
  valid.emplace_back("any dtype with `overrides: {peak_flops: ...}`");
  const std::string who = chip.name.empty() ? "this machine" : chip.name;
  throw InputError("no peak FLOP/s is known for " + who, std::string(dtype), joined(valid));
}

const TorusFabric& torus_fabric(const ChipModel& chip) {
  const auto* torus = std::get_if<TorusFabric>(&chip.fabric);
  if (torus == nullptr) throw InputError("this chip is not wired as a torus", chip.name, "a TPU");
  return *torus;
}

const GpuFabric* gpu_fabric(const ChipModel& chip) { return std::get_if<GpuFabric>(&chip.fabric); }

std::uint32_t pod_chips(const ChipModel& chip) {
  const std::vector<int>& pod = torus_fabric(chip).pod_shape.value;
  return std::accumulate(pod.begin(), pod.end(), std::uint32_t{1}, std::multiplies<>());
}

std::vector<bool> wraparound(const ChipModel& chip, const std::vector<int>& slice) {
  const TorusFabric& torus = torus_fabric(chip);
  const std::size_t dimensions = std::size_t(torus.dimensions.value);
  if (slice.size() > dimensions) {
    throw InputError("a slice of more dimensions than " + chip.name + " has", shape_text(slice),
                     "up to " + std::to_string(dimensions) + ", as " + shape_text(torus.pod_shape.value));
  }
  const WrapRule rule = torus.wraparound.value;
  const bool whole_cubes = slice.size() == dimensions &&
                           std::all_of(slice.begin(), slice.end(), [&](int n) { return n % rule.length == 0; });
  std::vector<bool> wraps;
  for (const int n : slice) {
    wraps.push_back(n > 2 && (rule.kind == WrapRule::Kind::full_axis ? n == rule.length : whole_cubes));
  }
  return wraps;
}

}  // namespace hopsim

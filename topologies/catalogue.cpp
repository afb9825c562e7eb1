#include "topologies/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include "sim/error.hpp"

namespace hopsim {
namespace {

constexpr std::string_view kAnyDtype = "any";
constexpr std::array<std::string_view, 9> kDtypes{"bf16", "fp16", "fp32", "tf32", "fp64",
                                                  "fp8",  "fp4",  "int8", "int4"};

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
    throw InputError("a share above 1", std::string(text), "a number above 0, up to 1, or per cent (0.95, 95%)");
  }
  return share;
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

struct Field {
  std::string_view key;
  bool required;
  void (*set)(ChipModel&, std::string_view text, const std::string& source);
};

template <auto Member, auto Parse>
void store(ChipModel& chip, std::string_view text, const std::string& source) {
  Sourced<decltype(Parse(text))> number{Parse(text), source};
  if constexpr (requires { chip.*Member; }) {
    chip.*Member = std::move(number);
  } else {
    std::get<TorusFabric>(chip.fabric).*Member = std::move(number);
  }
}

constexpr Field kCommon[] = {
    {"flops_efficiency", true, store<&ChipModel::flops_efficiency, parse_share>},
    {"hbm_bandwidth", true, store<&ChipModel::hbm_bandwidth, parse_bandwidth>},
    {"hbm_capacity", true, store<&ChipModel::hbm_capacity, parse_size>},
    {"link_bandwidth", true, store<&ChipModel::link_bandwidth, parse_bandwidth>},
    {"link_efficiency", true, store<&ChipModel::link_efficiency, parse_share>},
    {"hop_latency", true, store<&ChipModel::hop_latency, parse_duration>},
    {"launch_overhead", true, store<&ChipModel::launch_overhead, parse_duration>},
    {"step_overhead", true, store<&ChipModel::step_overhead, parse_duration>},
    {"chunk_overhead", true, store<&ChipModel::chunk_overhead, parse_duration>},
    {"dcn_bandwidth", false, store<&ChipModel::dcn_bandwidth, parse_bandwidth>},
    {"pcie_bandwidth", false, store<&ChipModel::pcie_bandwidth, parse_bandwidth>},
};

constexpr Field kTorus[] = {
    {"links_per_chip", true, store<&TorusFabric::links_per_chip, parse_positive>},
    {"dimensions", true, store<&TorusFabric::dimensions, parse_positive>},
    {"pod_shape", true, store<&TorusFabric::pod_shape, parse_shape>},
    {"wraparound", true, store<&TorusFabric::wraparound, parse_wrap_rule>},
    {"chips_per_host", true, store<&TorusFabric::chips_per_host, parse_positive>},
};

std::vector<Field> fields_of(std::string_view kind) {
  std::vector<Field> fields(std::begin(kCommon), std::end(kCommon));
  if (kind != "torus") throw InputError("unknown kind of fabric", std::string(kind), "torus");
  fields.insert(fields.end(), std::begin(kTorus), std::end(kTorus));
  return fields;
}

void note(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source) {
  auto at = std::find_if(chip.numbers.begin(), chip.numbers.end(), [&](const auto& n) { return n.key == key; });
  if (at == chip.numbers.end()) at = chip.numbers.insert(at, CatalogueNumber{std::string(key), {}, {}});
  at->text = text;
  at->source = source;
}

void set_peak(ChipModel& chip, std::string_view dtype, std::string_view text, const std::string& source) {
  if (std::find(kDtypes.begin(), kDtypes.end(), dtype) == kDtypes.end()) {
    throw InputError("unknown dtype of peak_flops", std::string(dtype), joined(kDtypes));
  }
  chip.peak_flops.insert_or_assign(std::string(dtype), Sourced<FlopRate>{parse_flop_rate(text), source});
  note(chip, "peak_flops." + std::string(dtype), text, source);
}

void set_every_peak(ChipModel& chip, std::string_view text, const std::string& source) {
  const FlopRate rate = parse_flop_rate(text);
  chip.peak_flops.clear();
  std::erase_if(chip.numbers, [](const auto& n) { return n.key.starts_with("peak_flops"); });
  chip.peak_flops.emplace(kAnyDtype, Sourced<FlopRate>{rate, source});
  note(chip, "peak_flops", text, source);
}

// ---- files

class ChipReader {
 public:
  explicit ChipReader(std::string_view file) : file_(file) {}

  ChipModel read(const std::string& text) {
    const YAML::Node root = load(text);
    check_map(root, "the file");
    chip_.name = header(root, "name");
    chip_.description = header(root, "description");
    chip_.vendor = header(root, "vendor");
    const std::string kind = header(root, "kind");
    std::vector<Field> fields;
    at(root["kind"], [&] { fields = fields_of(kind); });
    for (const auto& entry : root) read_entry(entry.first, entry.second, fields);
    for (const Field& field : fields) {
      if (field.required && !root[std::string(field.key)]) fail(root, "missing key", {}, std::string(field.key));
    }
    if (chip_.peak_flops.empty()) fail(root, "missing key", {}, "peak_flops");
    return std::move(chip_);
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem, const std::string& got = {},
                         const std::string& valid = {}) const {
    throw InputError(fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, problem), got, valid);
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& problem, const std::string& got = {},
                         const std::string& valid = {}) const {
    fail(node.Mark(), problem, got, valid);
  }

  // Runs what knows nothing of files, and adds the place to its complaint.
  template <class Action>
  void at(const YAML::Node& node, Action action) const {
    try {
      action();
    } catch (const InputError& error) {
      fail(node, error.what());
    }
  }

  YAML::Node load(const std::string& text) const {
    try {
      return YAML::Load(text);
    } catch (const YAML::ParserException& error) {
      fail(error.mark, error.msg);
    }
  }

  void check_map(const YAML::Node& node, const std::string& what) const {
    if (!node.IsMap()) fail(node, what + " is no map of keys to values");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (!seen.insert(entry.first.Scalar()).second) fail(entry.first, "key given twice", entry.first.Scalar());
    }
  }

  std::string scalar(const YAML::Node& parent, const char* key) const {
    const YAML::Node node = parent[key];
    if (!node) fail(parent, "missing key", {}, key);
    if (!node.IsScalar() || node.Scalar().empty()) fail(node, std::string(key) + " is no text");
    return node.Scalar();
  }

  static bool is_header(const std::string& key) {
    return key == "name" || key == "description" || key == "vendor" || key == "kind";
  }
  std::string header(const YAML::Node& root, const char* key) const { return scalar(root, key); }

  void read_entry(const YAML::Node& key_node, const YAML::Node& node, const std::vector<Field>& fields) {
    const std::string& key = key_node.Scalar();
    if (is_header(key)) return;
    if (key == "peak_flops") return read_peaks(node);
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
    if (field == fields.end()) {
      std::vector<std::string_view> valid{"peak_flops"};
      for (const Field& f : fields) valid.push_back(f.key);
      fail(key_node, "unknown key", key, joined(valid));
    }
    read_number(key, node, [&](const std::string& text, const std::string& source) {
      field->set(chip_, text, source);
      note(chip_, key, text, source);
    });
  }

  void read_peaks(const YAML::Node& node) {
    check_map(node, "peak_flops");
    for (const auto& entry : node) {
      const std::string dtype = entry.first.Scalar();
      read_number(dtype, entry.second,
                  [&](const std::string& text, const std::string& source) { set_peak(chip_, dtype, text, source); });
    }
  }

  template <class Set>
  void read_number(const std::string& key, const YAML::Node& node, Set set) const {
    check_map(node, key);
    const std::string text = scalar(node, "value"), source = scalar(node, "source");
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      if (name != "value" && name != "source") fail(entry.first, "unknown key", name, "value, source");
    }
    at(node["value"], [&] { set(text, source); });
  }

  std::string file_;
  ChipModel chip_;
};

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

ChipModel parse_chip(std::string_view file, const std::string& text) { return ChipReader(file).read(text); }

void set_number(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source) {
  constexpr std::string_view kPeak = "peak_flops";
  if (key == kPeak) return set_every_peak(chip, text, source);
  if (key.starts_with("peak_flops.")) return set_peak(chip, key.substr(kPeak.size() + 1), text, source);
  const auto* field =
      std::find_if(std::begin(kCommon), std::end(kCommon), [&](const Field& f) { return f.key == key; });
  if (field == std::end(kCommon)) {
    std::vector<std::string_view> valid{kPeak};
    for (const Field& f : kCommon) valid.push_back(f.key);
    throw InputError("unknown key of a chip", std::string(key), joined(valid));
  }
  field->set(chip, text, source);
  note(chip, key, text, source);
}

void make_ideal(ChipModel& chip) {
  const std::string source = "ideal machine";
  for (const char* share : {"flops_efficiency", "link_efficiency"}) set_number(chip, share, "1", source);
  for (const char* time : {"launch_overhead", "step_overhead", "chunk_overhead"})
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

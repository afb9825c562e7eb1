#include "scenarios/program.hpp"

#include <algorithm>
#include <array>

#include "scenarios/fields.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxPaths = 1u << 20;

const Names& other_operations() {
  static const Names names{"compute", "matmul", "do", "host_load", "parallel"};
  return names;
}

Names all_operations() {
  Names names = collective_operations();
  names.insert(names.end(), other_operations().begin(), other_operations().end());
  names.insert(names.end(), layer_operations().begin(), layer_operations().end());
  return names;
}

bool is_operation(std::string_view key) {
  const Names& others = other_operations();
  return collective_named(key) || layer_named(key) || std::find(others.begin(), others.end(), key) != others.end();
}

Placed<Bytes> bytes_of(const YamlValue& value, Zero zero = Zero::refused) {
  return parsed(value, [&](std::string_view text) { return parse_bytes(text, Bare::refused, zero); });
}

// The map of a step, its options from beside the operation key moved in among those inside.
YamlValue merged(const YamlValue& step, const YamlValue& operation) {
  YamlValue all = operation;
  if (!all.is_map()) return all;
  for (const YamlValue& option : step.items) {
    if (&option == &operation) continue;
    if (all.find(option.key) != nullptr) {
      throw PlacedError(option.key_place, "an option both inside and beside " + operation.key, option.key,
                        "each option once");
    }
    all.items.push_back(option);
  }
  return all;
}

Names collective_options() { return {"algorithm", "chunks", "schedule"}; }
Names notation_options() { return {"algorithm", "chunks", "schedule", "overlap", "plan"}; }

Names all_of(std::initializer_list<Names> parts) {
  Names all;
  for (const Names& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// ---- collectives

std::vector<std::vector<ChipRef>> groups_of(const YamlValue& value) {
  constexpr const char* kValid = "lists of chips, such as [[0, 1], [2, 3]]";
  expect_list(value, kValid);
  if (value.items.empty()) throw PlacedError(value.place, "groups lists no group", "[]", kValid);
  std::vector<std::vector<ChipRef>> groups;
  for (const YamlValue& group : value.items) {
    expect_list(group, kValid);
    if (group.items.empty()) throw PlacedError(group.place, "a group without chips", "[]", kValid);
    std::vector<ChipRef>& chips = groups.emplace_back();
    for (const YamlValue& chip : group.items) chips.push_back(load_chip_ref(chip));
  }
  return groups;
}

std::vector<std::pair<ChipRef, ChipRef>> pairs_of(const YamlValue& value) {
  constexpr const char* kValid = "pairs of source and target, such as [[0, 1], [1, 0]]";
  expect_list(value, kValid);
  if (value.items.empty()) throw PlacedError(value.place, "pairs lists no pair", "[]", kValid);
  std::vector<std::pair<ChipRef, ChipRef>> pairs;
  for (const YamlValue& pair : value.items) {
    expect_list(pair, kValid);
    if (pair.items.size() != 2) {
      throw PlacedError(pair.place, "a pair has two chips", std::to_string(pair.items.size()), kValid);
    }
    pairs.emplace_back(load_chip_ref(pair.items[0]), load_chip_ref(pair.items[1]));
  }
  return pairs;
}

// What an operation takes beside axis, groups, bytes and the options of all collectives.
Names extras_of(std::string_view operation) {
  if (operation == "broadcast" || operation == "reduce" || operation == "gather" || operation == "scatter")
    return {"root"};
  if (operation == "collective_permute") return {"shift", "pairs"};
  if (operation == "send_recv") return {"from", "to", "paths"};
  return {};
}

void read_extras(const MapReader& reader, CollectiveStep& step) {
  const Names extras = extras_of(step.operation);
  const auto find = [&](std::string_view key) -> const YamlValue* {
    return std::find(extras.begin(), extras.end(), key) == extras.end() ? nullptr : reader.find(key);
  };
  if (const YamlValue* v = find("root")) step.root = load_chip_ref(*v);
  if (const YamlValue* v = find("shift")) step.shift = {integer_of(*v), v->place};
  if (const YamlValue* v = find("pairs")) step.pairs = pairs_of(*v);
  if (const YamlValue* v = find("from")) step.from = load_chip_ref(*v);
  if (const YamlValue* v = find("to")) step.to = load_chip_ref(*v);
  if (const YamlValue* v = find("paths")) step.paths = load_positive(*v, kMaxPaths);
  if (step.operation == "collective_permute") {
    reader.exclude("shift", "pairs");
    if (!step.shift && step.pairs.empty()) {
      throw PlacedError(reader.map().place, "collective_permute needs a shift or pairs", "",
                        "shift: 1, pairs: [[0, 1]]");
    }
  }
  if (step.from || step.to) {
    for (const char* end : {"from", "to"}) reader.require(end);
    for (const char* set : {"axis", "groups"}) reader.exclude(set, "from");
  }
}

CollectiveStep collective_of(const std::string& operation, const YamlValue& map) {
  const MapReader reader(map, operation,
                         all_of({{"axis", "groups", "bytes"}, extras_of(operation), collective_options()}));
  CollectiveStep step;
  step.operation = operation;
  reader.exclude("axis", "groups");
  if (const YamlValue* axis = reader.find("axis")) step.axis = load_axis(*axis);
  if (const YamlValue* groups = reader.find("groups")) step.groups = groups_of(*groups);
  const bool may_be_empty = operation == "collective_permute" || operation == "send_recv";
  step.bytes = bytes_of(reader.require("bytes"), may_be_empty ? Zero::allowed : Zero::refused);
  read_extras(reader, step);
  step.options = load_options(reader, collective_options());
  return step;
}

// ---- the others

ComputeStep compute_of(const YamlValue& map) {
  const MapReader reader(map, "compute", {"time", "flops", "bytes", "dtype"});
  ComputeStep step;
  for (const char* work : {"flops", "bytes", "dtype"}) reader.exclude("time", work);
  if (const YamlValue* v = reader.find("time")) {
    step.time = parsed(*v, [](std::string_view text) { return parse_time(text); });
  }
  if (const YamlValue* v = reader.find("flops")) {
    step.flops = parsed(*v, [](std::string_view text) { return parse_flops(text, Zero::allowed); });
  }
  if (const YamlValue* v = reader.find("bytes")) step.bytes = bytes_of(*v);
  if (const YamlValue* v = reader.find("dtype")) step.dtype = load_dtype(*v);
  if (!step.time && !step.flops && !step.bytes) {
    throw PlacedError(map.place, "compute needs a time, or flops and bytes", "",
                      "{time: 5 us}, {flops: 1e12, bytes: 1 GB}");
  }
  return step;
}

LocalMatmulStep local_matmul_of(const YamlValue& map) {
  const MapReader reader(map, "matmul", {"m", "n", "k", "dtype"});
  const auto extent = [&](std::string_view key) { return load_extent(reader.require(key)); };
  LocalMatmulStep step{extent("m"), extent("n"), extent("k"), {}};
  if (const YamlValue* v = reader.find("dtype")) step.dtype = load_dtype(*v);
  return step;
}

NotationStep notation_of(const YamlValue& line, bool matmul, StepOptions options) {
  return {{text_of(line, "a line of notation"), line.place}, matmul, std::move(options), line};
}

// `do: LINE` or `matmul: LINE`, its options beside it.
NotationStep notation_with_options(const YamlValue& step, const YamlValue& operation) {
  const MapReader reader(step, "a step with " + operation.key, all_of({{operation.key}, notation_options()}));
  return notation_of(reader.require(operation.key), operation.key == "matmul",
                     load_options(reader, notation_options()));
}

ProgramStep step_of(const YamlValue& value);

ParallelStep parallel_of(const YamlValue& step, const YamlValue& operation) {
  const MapReader reader(step, "a parallel step", {"parallel"});
  const YamlValue& list = reader.require(operation.key);
  expect_list(list, "a list of steps");
  if (list.items.empty()) throw PlacedError(list.place, "parallel has no steps", "[]", "a list of steps");
  ParallelStep parallel;
  for (const YamlValue& item : list.items) parallel.steps.push_back(step_of(item));
  return parallel;
}

const YamlValue& operation_of(const YamlValue& step) {
  const YamlValue* found = nullptr;
  for (const YamlValue& value : step.items) {
    if (!is_operation(value.key)) continue;
    if (found != nullptr) {
      throw PlacedError(value.key_place, "a step has one operation, and has " + found->key + " already", value.key);
    }
    found = &value;
  }
  if (found != nullptr) return *found;
  if (step.items.empty()) throw PlacedError(step.place, "a step needs an operation", "{}", joined(all_operations()));
  refuse_name(step.items.front().key_place, "operation", step.items.front().key, all_operations());
}

ProgramStep step_of(const YamlValue& value) {
  if (value.is_scalar() && value.text == "barrier") return {value.place, "barrier", BarrierStep{}};
  if (value.is_scalar()) return {value.place, "notation", notation_of(value, false, {})};
  if (!value.is_map()) {
    throw PlacedError(value.place, value.is_null() ? "an empty step" : "a step must be notation or a map",
                      value.is_null() ? "" : "a list",
                      "a line of notation, or a map with one of: " + joined(all_operations()));
  }
  const YamlValue& operation = operation_of(value);
  const std::string kind = collective_named(operation.key).value_or(operation.key);
  ProgramStep step{value.place, kind, {}};
  if (operation.is_null()) throw PlacedError(operation.place, operation.key + " has no value");
  if (kind == "do" || (kind == "matmul" && !operation.is_map())) {
    step.action = notation_with_options(value, operation);
  } else if (kind == "parallel") {
    step.action = parallel_of(value, operation);
  } else {
    const YamlValue map = merged(value, operation);
    if (kind == "matmul")
      step.action = local_matmul_of(map);
    else if (kind == "compute")
      step.action = compute_of(map);
    else if (layer_named(kind))
      step.action = load_layer(kind, map, value.place);
    else if (kind == "host_load")
      step.action = HostLoadStep{bytes_of(MapReader(map, kind, {"bytes"}).require("bytes"))};
    else
      step.action = collective_of(kind, map);
  }
  return step;
}

}  // namespace

const std::vector<std::string_view>& collective_operations() {
  static const Names names{"all_gather", "reduce_scatter", "all_reduce", "all_to_all",         "broadcast",
                           "reduce",     "gather",         "scatter",    "collective_permute", "send_recv"};
  return names;
}

std::optional<std::string> collective_named(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases{
      {{"psum", "all_reduce"}, {"psum_scatter", "reduce_scatter"}, {"ppermute", "collective_permute"}}};
  for (const auto& [alias, meant] : kAliases) {
    if (alias == text) return std::string(meant);
  }
  const Names& names = collective_operations();
  if (std::find(names.begin(), names.end(), text) == names.end()) return std::nullopt;
  return std::string(text);
}

std::vector<ProgramStep> load_program(const YamlValue& value) {
  expect_list(value, "a list of steps");
  if (value.items.empty()) throw PlacedError(value.place, "a program needs a step", "[]", "a list of steps");
  std::vector<ProgramStep> program;
  for (const YamlValue& item : value.items) program.push_back(step_of(item));
  return program;
}

}  // namespace hopsim

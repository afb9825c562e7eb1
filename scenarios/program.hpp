// `program:` of a scenario, as text says it: a list of steps, each a line of notation or a map with one operation.
// Axis names, chips, algorithms and notation are resolved later, against the machine; the places are for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/machine_spec.hpp"
#include "sharding/dtype.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

// `axis: XY` or `axis: [X, Y]`.
struct AxisChoice {
  FilePlace place;
  std::string text;                        // of the first form: one axis of that name, or one a letter
  std::vector<Placed<std::string>> names;  // of the second form
};

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

// A line of notation, `do: LINE` or `matmul: LINE`.
struct NotationStep {
  Placed<std::string> text;
  bool matmul = false;  // said to be one
  StepOptions options;
  YamlValue source;  // for place_of(offset) of an error within the line
};

struct CollectiveStep {
  std::string operation;           // all_gather, ...: see collective_operations()
  std::optional<AxisChoice> axis;  // neither axis nor groups: all chips
  std::vector<std::vector<ChipRef>> groups;
  Placed<Bytes> bytes;  // 0 only for collective_permute and send_recv
  std::optional<ChipRef> root;
  std::optional<ChipRef> from, to;            // send_recv, both or neither
  std::optional<Placed<std::int64_t>> shift;  // collective_permute: this or pairs
  std::vector<std::pair<ChipRef, ChipRef>> pairs;
  std::optional<Placed<int>> paths;
  StepOptions options;
};

// `compute: {time: ...}` or `{flops: ..., bytes: ...}`, on every chip.
struct ComputeStep {
  std::optional<Placed<Time>> time;
  std::optional<Placed<Flops>> flops;
  std::optional<Placed<Bytes>> bytes;
  std::optional<Placed<DType>> dtype;
};

// `matmul: {m: ..., n: ..., k: ...}`, on every chip.
struct LocalMatmulStep {
  Placed<std::uint64_t> m, n, k;
  std::optional<Placed<DType>> dtype;
};

struct HostLoadStep {
  Placed<Bytes> bytes;
};

// The word `barrier`: every chip waits for all others, which itself takes no time. So a step can be timed by itself.
struct BarrierStep {};

struct ProgramStep;
struct ParallelStep {
  std::vector<ProgramStep> steps;
};

struct ProgramStep {
  FilePlace place;
  std::string kind;  // the operation key; "notation" for a bare line
  std::variant<NotationStep, CollectiveStep, ComputeStep, LocalMatmulStep, HostLoadStep, BarrierStep, ParallelStep>
      action;
};

std::vector<ProgramStep> load_program(const YamlValue&);

// The ten collectives, in the order help lists them.
const std::vector<std::string_view>& collective_operations();
// JAX's names too: psum, psum_scatter, ppermute. Null if it is none.
std::optional<std::string> collective_named(std::string_view);

Placed<DType> load_dtype(const YamlValue&);

}  // namespace hopsim

// `program:` of a scenario, as text says it: a list of steps, each a line of notation or a map with one operation.
// Axis names, chips, layers, algorithms and notation are resolved later, against the machine; the places are for
// that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/layer_step.hpp"
#include "scenarios/machine_spec.hpp"
#include "scenarios/step_fields.hpp"
#include "sharding/dtype.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

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
  std::variant<NotationStep, CollectiveStep, ComputeStep, LocalMatmulStep, LayerCall, HostLoadStep, BarrierStep,
               ParallelStep>
      action;
};

std::vector<ProgramStep> load_program(const YamlValue&);

// The ten collectives, in the order help lists them.
const std::vector<std::string_view>& collective_operations();
// JAX's names too: psum, psum_scatter, ppermute. Null if it is none.
std::optional<std::string> collective_named(std::string_view);

}  // namespace hopsim

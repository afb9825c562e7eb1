// What a line of notation means on a mesh, and what it takes on a machine: the answers of `hopsim explain`.
//
// A product: which of the four cases, what must be communicated and why, every strategy's cost, when it is bound by
// computation. A collective or a resharding: its cost, and a faster way if there is one. An elementwise line: its
// memory time. An array: what each chip holds.
//
// Without all sizes, or without a machine, the answer is in symbols: strategies are then ordered by what the book's
// formulas give for reference sizes (equal ones, which split evenly) on a v5p, and no number of theirs is told.
//
// Errors: NotationError with the column in the line; InputError. Cost: that of the planner (product_plan.hpp), plus
// a closed form a collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/machine.hpp"
#include "scenarios/product_plan.hpp"
#include "sharding/symbolic.hpp"

namespace hopsim {

struct ExplainQuestion {
  std::string line;
  const MachineModel* machine = nullptr;
  std::optional<Mesh> mesh{};  // where there is no machine; else that of the machine
  Sizes sizes{};
  DType dtype = DType::bf16;  // of arrays that give none
  bool book = false;          // see Request
  bool backward = false;
  bool best = false;  // the shardings of the operands are to be found as well
  bool verify = false;
  std::optional<Bytes> memory{};  // a chip's; what does not fit is then refused
};

enum class ExplainedKind : std::uint8_t { matmul, collective, resharding, elementwise, array };
std::string_view name(ExplainedKind);

struct CommunicationNote {
  ResolvedCollective step;
  std::string array_bytes;  // "2 (I/X) K"
  std::string wire_cost;    // "4 (I/X) K / W", by the book
  double wire_bytes = 0;
  std::optional<double> book_seconds;  // wire_cost, on the machine
  WireRule rule;
  std::string algorithm, schedule;  // on the machine: its name and its closed form; a Slice has none
  std::optional<Time> closed_form;  // with all sizes
};

struct ComputeBound {
  std::string condition;          // "J/Y >= 2 C / W"
  bool against_memory = false;    // there is no communication
  std::vector<Threshold> all;     // on the machine, where enough sizes are known
  std::optional<Threshold> main;  // one of them; with empty `variable` where it is always or never so
};

struct ExplainedStrategy {
  CostedStrategy costed;  // times only with all sizes and a machine
  std::vector<CommunicationNote> communication;
  std::optional<ComputeBound> compute_bound;  // of a product
  std::optional<Time> lower_bound;            // of a collective line
};

struct ExplainedArray {
  ArrayRef array;
  std::string sharding;                 // "A[I_X, J]"
  std::string local_shape;              // "[I/X, J]"
  std::string bytes;                    // "2 (I/X) J"
  std::optional<std::uint64_t> copies;  // with a mesh
  std::optional<ArrayLayout> layout;    // with all sizes and a mesh
  // JAX's PartitionSpec; empty where there is none (partial sums).
  std::string partition_spec;
};

// A communication of the forward pass, and its transpose in the backward pass.
struct DualityNote {
  std::string forward, backward;
};

struct Explanation {
  ExplainedKind kind{};
  std::string line;                        // in the canonical form
  std::vector<std::string> missing_sizes;  // dimensions without one
  bool has_mesh = false, has_machine = false;
  Mesh mesh;

  std::optional<ProductCase> product_case;
  bool free_operands = false;  // strategies lay them out anew; the case is that of the line as it is written
  std::string local_product;   // "C[I_X, K]{U_Y}": of the operands as they are; empty where that is no product
  std::vector<ExplainedStrategy> strategies;  // as asked first, by time
  std::optional<std::size_t> chosen;          // with all sizes and a machine
  std::size_t considered = 0;
  std::string output;                  // its sharding, of the chosen or first strategy; empty for an array alone
  std::vector<ExplainedArray> arrays;  // that strategy reads and makes
  std::optional<ArrayRef> only;        // the array of a line that has no more
  bool verified = false;
  std::vector<std::string> warnings;

  std::vector<Explanation> backward;  // of the left operand's gradient, of the right one's
  std::vector<DualityNote> duality;

  bool sized() const { return has_mesh && missing_sizes.empty(); }
  bool timed() const { return has_machine && missing_sizes.empty(); }
  const ExplainedStrategy* shown() const { return strategies.empty() ? nullptr : &strategies[chosen.value_or(0)]; }
};

Explanation explain(const ExplainQuestion&);

// The dimensions the line has, in its order.
std::vector<std::string> explained_dimensions(const ExplainQuestion&);

}  // namespace hopsim

// The Scaling Book's notation for sharded arrays, as values; its reader and its writer.
//
//   A[I_X, J]            dimension I is split over mesh axis X; I_XY or I_{XY}: over X, then Y (X is the outer split)
//   A[I_{data,model}]    axis names longer than a letter need braces and commas
//   C[I, K]{U_X}         unreduced over X: each chip along X holds a partial sum
//   bf16 A[I=128, J]     element type and sizes inline; int8[128, 2048] without any names
//
// One line is one statement (see the structs below). Unicode (Iₓ, ·, ×, →, W₁, A’) and TeX (\cdot_J, \to, \{U_X\},
// $...$) spellings are read; what is written is always the plain one, and reading it back gives the same value.
//
// Source of the notation: "How to Scale Your Model", chapter 3 (jax-ml.github.io/scaling-book/sharding).
//
// Errors: parse throws NotationError, which knows the column; the caller adds file and line. Cost: linear in the
// text. Reading checks spelling, and that no array uses an axis twice; whether shapes fit together is not its matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sharding/dtype.hpp"
#include "sim/error.hpp"

namespace hopsim {

// Where something stood in its line: characters (code points), from 1; 0 for what was never text. All places are
// equal, so that values compare by what they say.
struct Place {
  int column = 0;
  friend constexpr bool operator==(Place, Place) { return true; }
};

struct NotationError : InputError {
  NotationError(int column, std::string problem, std::string got = {}, std::string valid = {})
      : InputError(std::move(problem), std::move(got), std::move(valid)), column_(column) {}
  int column() const { return column_; }  // in characters of the text given to parse, from 1

 private:
  int column_;
};

struct Dimension {
  std::string name;                   // empty: only a size, or `?`
  std::optional<std::uint64_t> size;  // inline; at least 1
  std::vector<std::string> axes;      // outermost split first
  bool divided = false;               // spelled F/TP, not F_{TP}
  bool open = false;                  // `?` (with a name: I_?): the sharding is to be found
  Place place;

  bool ellipsis() const { return name == "..."; }  // "and further dimensions, unsharded"
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct ArrayRef {
  std::string name;  // empty in int8[128, 2048]
  std::optional<DType> dtype;
  std::vector<Dimension> dimensions;
  std::vector<std::string> unreduced;  // axes of {U_...}
  bool bare = false;                   // only a name: the array as last defined
  Place place;

  bool open() const;  // some dimension's sharding is to be found
  friend bool operator==(const ArrayRef&, const ArrayRef&) = default;
};

// C[I, K] = A[I, J] * B[J, K]; dimensions that the output lacks are contracted.
struct Matmul {
  std::optional<ArrayRef> output;
  ArrayRef lhs, rhs;
  std::vector<std::string> contraction;  // dimensions, where the sign names them: A ·_J B
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

enum class CollectiveKind : std::uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all, slice };
std::string_view name(CollectiveKind);  // "AllGather"

// C[I, K_X] = ReduceScatter_X,K(C[I, K]{U_X})
struct Collective {
  CollectiveKind kind{};
  std::vector<std::string> axes;         // none (AllReduce only): all it is unreduced over
  std::optional<std::string> dimension;  // ReduceScatter, AllToAll, Slice: the one that is split
  ArrayRef input;
  std::optional<ArrayRef> output;
  Place place;
  friend bool operator==(const Collective&, const Collective&) = default;
};

// H[B, F_X] = gelu(M[B, F_X])
struct Elementwise {
  std::string function;  // lower case, one of elementwise_functions()
  std::vector<ArrayRef> inputs;
  std::optional<ArrayRef> output;
  Place place;
  friend bool operator==(const Elementwise&, const Elementwise&) = default;
};

// A[I_X] -> A[I]: one array in two shardings; what communication that takes is for the planner.
struct Reshard {
  ArrayRef input, output;
  friend bool operator==(const Reshard&, const Reshard&) = default;
};

struct Declaration {
  ArrayRef array;
  friend bool operator==(const Declaration&, const Declaration&) = default;
};

using Statement = std::variant<Declaration, Matmul, Collective, Elementwise, Reshard>;

// The axis names a line may use: those of a mesh, or, where there is none yet, any capital letter, any longer name
// in braces that is not all capitals ({XY} is X, then Y), and any name after a slash (F/TP).
class AxisNames {
 public:
  explicit AxisNames(std::vector<std::string> names) : names_(std::move(names)) {}
  static AxisNames any() { return AxisNames(); }

  bool free() const { return any_; }
  bool known(std::string_view axis) const;
  std::string list() const;  // for messages

 private:
  AxisNames() : any_(true) {}
  std::vector<std::string> names_;
  bool any_ = false;
};

Statement parse(std::string_view text, const AxisNames&);
ArrayRef parse_array(std::string_view text, const AxisNames&);  // one array; also a bare name, or with `?`

// The canonical spelling: parse(print(s), the same axis names) == s.
std::string print(const ArrayRef&);
std::string print(const Statement&);

std::string axes_text(const std::vector<std::string>& axes);  // as a subscript: "XY", "{data,model}"
std::string elementwise_functions();                          // "abs, add, ...", for messages

}  // namespace hopsim

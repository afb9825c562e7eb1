// Costs as formulas: what the book writes beside a product, with letters in place of sizes, and where one cost
// overtakes another.
//
//   A[I_X, K] in bf16, all of it one chip holds      2 (I/X) K
//   AllReduce_Y of it                                4 (I/X) K / W
//
// W is the bandwidth of both links of an axis (on a switch, of a chip into it). The book's costs of an array of V
// bytes: AllGather, ReduceScatter V/W; AllReduce 2V/W; AllToAll V/(4W); over k dimensions of the torus at once
// V/(kW), and an AllToAll V max(A, B, ...)/(4NW) over N chips. Latency is left out. Source: "How to Scale Your
// Model", chapter 3; on a switch, an AllToAll over N chips is V/(NW) (chapter 12).
//
// A cost in seconds is a sum of terms, each a coefficient times sizes of dimensions. In any one size it is linear, so
// work >= cost holds above or below one threshold of it. Cost: a few operations a term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sharding/collective_step.hpp"
#include "sharding/strategy.hpp"

namespace hopsim {

// ---- formulas

// What lies beneath the axes of a collective.
struct WireRule {
  int dimensions = 1;                // of the torus, that its axes span together
  std::vector<std::uint32_t> spans;  // their sizes
  bool switched = false;
};

std::string number_text(double);  // "2", "0.5", "0.333"

// "(I/X) K": the elements of an array, those of one chip, or those of the chips along `whole` together.
std::string elements_text(const ArrayRef&, const std::vector<std::string>& whole = {});
std::string bytes_text(const ArrayRef&, const std::vector<std::string>& whole = {});  // "2 (I/X) K"
std::string local_shape_text(const ArrayRef&);                                        // "[I/X, K]"

// V, "2 (I/X) K".
std::string array_bytes_text(const ResolvedCollective&);
// What it takes by the book: "4 (I/X) K / W".
std::string wire_text(const ResolvedCollective&, const WireRule&);
// Bytes that pass a chip's links by the book: V, an AllReduce 2V, an AllToAll V/4. A Slice: 0.
double wire_bytes(const ResolvedCollective&, const WireRule&);
int bandwidths(const ResolvedCollective&, const WireRule&);  // how many W they go over at once

// When the product takes at least as long as the communication: "J/Y >= 2 C / W"; C are the FLOPs a second. Without
// communication, as long as its bytes take from memory.
struct WiredCollective {
  ResolvedCollective step;
  WireRule rule;
};
std::string condition_text(const LocalProduct&, const std::vector<WiredCollective>&);

// ---- thresholds

struct Term {
  double coefficient = 0;               // seconds
  std::vector<std::string> dimensions;  // whose sizes it is multiplied by, each once
};
using Terms = std::vector<Term>;

struct Threshold {
  std::string variable;  // a dimension or an axis; empty: whatever the sizes
  std::optional<double> above, below;
  bool always = false;  // where there is neither: always, or never

  bool has_value() const { return above || below; }
};

// Where work >= cost, in every dimension that does not cancel and whose fellows have sizes; in the order given. Where
// all cancel, one without a variable.
std::vector<Threshold> thresholds(const Terms& work, const Terms& cost, const std::vector<std::string>& order,
                                  const Sizes& known);

// work / cost, where the sizes that do not cancel are known and there is a cost.
std::optional<double> quotient(const Terms& work, const Terms& cost, const Sizes& known);

// How the time of a collective goes with the number of chips along its axis, the array the same.
enum class AxisLaw : std::uint8_t {
  constant,  // the book's ring
  share,     // (N-1)/N: an optimal ring, a line, a switch
};
// Up to how many chips along the axis the work, which they share, takes as long as the communication. `quotient` is
// that of the two on `chips` of them. REQUIRES: chips > 1.
Threshold axis_threshold(const std::string& axis, std::uint64_t chips, double quotient, AxisLaw);

}  // namespace hopsim

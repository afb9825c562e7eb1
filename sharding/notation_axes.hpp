// Which mesh axes a subscript means. Inside of sharding/ only.
#pragma once

#include <string>
#include <vector>

#include "sharding/notation.hpp"

namespace hopsim::notation {

// One piece of a subscript: all of `_XY`, or what stands between two commas.
struct Item {
  std::string text;
  int column = 0;
  bool braced = false;
  bool raised = false;  // Unicode subscript letters: capitals, or small where the mesh has only the small one
};

struct AxisUse {
  std::string axis;
  int column = 0;
};

// A run of single letters, or (in braces) one longer name. Throws NotationError: an unknown axis, a missing brace.
void append_axes(const Item&, const AxisNames&, std::vector<AxisUse>& uses);

// What stands after the slash of F/TP: one name, else a run of letters.
void append_divisor(const Item&, const AxisNames&, std::vector<AxisUse>& uses);

// Throws NotationError at the second use of an axis: "axis X is used twice in WHERE".
void require_distinct(const std::vector<AxisUse>& uses, const std::string& where);

}  // namespace hopsim::notation

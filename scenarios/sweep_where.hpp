// `where:` of a sweep: which points of its grid to keep.
//
//   where: machine.slice.chips == 64
//   where: [machine.mesh.X * machine.mesh.Y <= 64 and machine.mesh.X > 1, program.0.algorithm != ring]
//
// Comparisons (== != < <= > >=) joined by `and`, or as a list; all must hold. The left side is a dotted key of the
// scenario, the right side a value (4, 1 MiB, 50%, ring, 4x4x4, 'any text') or, where it has a dot, a key; either may
// be a product with `*`. A shape also has .chips (the product of its sizes), .dimensions, .min and .max. Quantities
// of one kind compare by size, other text as equal or not.
#pragma once

#include <string>
#include <vector>

#include "scenarios/document.hpp"

namespace hopsim {

struct Operand {
  std::string text;
  FilePlace place;
  bool is_key = false;
  bool quoted = false;
};

struct Comparison {
  std::vector<Operand> left, right;  // factors
  std::string sign;
  FilePlace place;
};

// Throws PlacedError for what is no comparison.
std::vector<Comparison> load_where(const YamlValue&);

// Throws PlacedError, at the operand, for a key that the document does not have and for what cannot be compared.
bool holds(const Comparison&, const Document&);

}  // namespace hopsim

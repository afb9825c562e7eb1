// Two results of one kind side by side: as JSON (scenarios/schema/compare.schema.json) and as a text for people.
// REQUIRES: both are of that kind. Throws InputError for keys that are missing.
#pragma once

#include "tools/compare/pair.hpp"

namespace hopsim {

Compared compare_runs(const ResultFile& a, const ResultFile& b);          // one each, or lists of several
Compared compare_collectives(const ResultFile& a, const ResultFile& b);   // rows by operation, axis and size
Compared compare_sweeps(const ResultFile& a, const ResultFile& b);        // points by their parameters
Compared compare_explanations(const ResultFile& a, const ResultFile& b);  // strategies by their names

}  // namespace hopsim

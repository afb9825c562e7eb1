// From a document and the flags to what runs: what `hopsim run` and `hopsim collective` share.
#pragma once

#include "scenarios/document.hpp"
#include "scenarios/plan.hpp"
#include "scenarios/scenario.hpp"
#include "tools/flags.hpp"

namespace hopsim {

struct Prepared {
  Scenario scenario;
  MachineModel machine;
  Plan plan;
};

// --machine, --ideal and --set, in this order. Throws what the scenarios room throws.
void apply_flags(Document&, const CommonFlags&);

Prepared prepare(const Document&);

}  // namespace hopsim

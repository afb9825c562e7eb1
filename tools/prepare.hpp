// From a document and the flags to what runs: what `hopsim run` and `hopsim collective` share.
#pragma once

#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/plan.hpp"
#include "scenarios/scenario.hpp"
#include "sim/activity.hpp"
#include "tools/flags.hpp"
#include "tools/perfetto/trace_writer.hpp"

namespace hopsim {

struct Prepared {
  Scenario scenario;
  MachineModel machine;
  Plan plan;
};

// --machine, --ideal and --set, in this order. Throws what the scenarios room throws.
void apply_flags(Document&, const CommonFlags&);

Prepared prepare(const Document&);

// What a trace tells about the plan's steps.
std::vector<perfetto::TraceStep> trace_steps(const Plan&);
// After the run: when chips communicated without computing.
void trace_exposed(perfetto::TraceWriter&, const Fabric&, const Activity&);

}  // namespace hopsim

// The options beside a step that has collectives, and who is to blame where they do not fit.
#pragma once

#include "scenarios/collective_matmul.hpp"
#include "scenarios/place.hpp"
#include "scenarios/program.hpp"
#include "scenarios/step_planner.hpp"

namespace hopsim {

inline CollectiveOptions collective_options(const StepOptions& o) {
  CollectiveOptions options;
  if (o.algorithm) options.algorithm = o.algorithm->value;
  if (o.chunks) options.chunks = o.chunks->value;
  options.book = o.schedule && o.schedule->value == StepSchedule::book;
  return options;
}

inline Overlap overlap_of(const StepOptions& o) {
  if (!o.overlap || o.overlap->value == "none") return Overlap::none;
  return o.overlap->value == "auto" ? Overlap::automatic : Overlap::collective_matmul;
}

// Does it; an error without a place is of the option that asked for something particular, else of the step.
template <class Action>
auto blaming(const StepOptions& o, const FilePlace& step, Action action) {
  try {
    return action();
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(o.algorithm ? o.algorithm->place
                      : o.chunks  ? o.chunks->place
                      : o.plan    ? o.plan->place
                                  : step,
                      e);
  }
}

}  // namespace hopsim

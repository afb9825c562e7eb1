// The tables of a run's report that have a row a step. Steps of one line with the same text and kind (the layers of a
// stack) share a row, "x80", whose cells give the smallest and the largest value where these differ: "1.2 us..1.3
// us".
#pragma once

#include <string>
#include <vector>

#include "scenarios/machine.hpp"
#include "scenarios/results.hpp"

namespace hopsim {

// By their first steps, in order of the program.
struct StepGroup {
  std::vector<const StepResult*> steps;
};
std::vector<StepGroup> grouped(const RunResult&);
std::string text_of(const StepGroup&);  // "AllGather over X  x80, unfinished"

std::string steps_table(const RunResult&);
// What computes, communicates and hides: where a run does both; else empty.
std::string overlap_table(const RunResult&);
// The critical path by step and cause, and the links and chips it spends most time on; empty where there is no path.
// A message that waits for a link on which others of its own step pass stands in an "own queue".
std::string path_text(const RunResult&, const MachineModel&);

}  // namespace hopsim

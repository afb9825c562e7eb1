// Runs a plan on a machine, and checks that it obeyed physics.
#pragma once

#include <string>

#include "scenarios/results.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

// A collective took less than its lower bound: a fault of the simulator, never shown as a result.
struct BoundBeaten : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct RunOptions {
  std::string engine = "event";  // or "simgrid", of which there can be one a process
  bool verify = false;           // prove every collective's schedule first
  Recorder* recorder = nullptr;
};

// Throws Deadlock, ProofFailed, BoundBeaten. Expectations are the caller's to evaluate.
RunResult simulate(const MachineModel&, const Plan&, const RunOptions&);

}  // namespace hopsim

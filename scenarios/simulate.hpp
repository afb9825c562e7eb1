// Runs a plan on a machine, and checks that it obeyed physics.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "scenarios/results.hpp"
#include "sim/activity.hpp"
#include "sim/engine.hpp"
#include "sim/recorder.hpp"
#include "sim/run_control.hpp"

namespace hopsim {

struct Estimate;

// A collective took less than its lower bound: a fault of the simulator, never shown as a result.
struct BoundBeaten : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An engine's process ended before its run: killed, or by a fault of the engine.
struct EngineDied : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What carries a run's messages and computations.
struct EngineChoice {
  std::string name = "event";
  // None: the event engine.
  std::function<std::unique_ptr<Engine>(const Fabric&, const Overheads&, Recorder*, Activity*)> make{};
  double precision = 0;        // by what share of its time a step may come out too short
  bool one_a_process = false;  // starts once in each process: runs without a recorder are in processes of their own
  // About how long it takes for a run, in place of Estimate::seconds. None: that holds.
  std::function<double(const MachineModel&, const Plan&, const Estimate&)> seconds{};
};

// One chip for all that symmetry makes alike: the same times, at a fraction of the cost.
enum class Fold : std::uint8_t {
  automatic,  // where it holds
  on,         // or InputError, which says what breaks it
  off,
};

struct RunOptions {
  EngineChoice engine{};
  bool verify = false;  // prove every collective's schedule, and the values of every planned line and layer, first
  Recorder* recorder = nullptr;
  bool critical_path = false;    // find it; a run with too many hops gets a warning instead
  Fold fold = Fold::automatic;   // not with a recorder, a critical path or an activity, which are of all chips
  Activity* activity = nullptr;  // where given, it is filled; REQUIRES: of as many chips as the fabric has actors
  RunControl control{};          // where to stop, with a partial result; whom to tell how far it is
  std::function<void(const Estimate&)> before{};  // told what the run will take, when it is about to begin
  std::uint64_t memory = 0;                       // bytes it may take; 0: what the system has
};

// Throws Deadlock, ProofFailed, BoundBeaten, EngineDied, and InputError where folding is asked for and does not hold,
// or where the run would take more memory than there is (on the event engine; estimate.hpp). Expectations are the
// caller's to evaluate.
RunResult simulate(const MachineModel&, const Plan&, const RunOptions&);

}  // namespace hopsim

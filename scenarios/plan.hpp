// A scenario made definite: which tasks every chip runs, and for each what the formulas say it should take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "scenarios/machine.hpp"
#include "sharding/array.hpp"
#include "sim/program.hpp"

namespace hopsim {

// A step that is run: one matmul, collective or computation. Step i is task i of the program.
struct PlannedStep {
  int line = 0;      // of the scenario's program, from 1
  std::string text;  // as people read it: "A[E, F] = AllGather_Y(A[E_Y, F])"
  std::string kind;  // the operation key: "all_gather", "compute"
  std::vector<std::string> axes;
  std::string algorithm;  // of a collective
  std::optional<Request> collective;
  std::vector<Cost> considered;  // of a collective: what its algorithm was chosen from, cheapest first
  bool tried = false;            // by trying; else by the cost model
  ClosedForm formula;            // of a collective
  Time closed_form, lower_bound;
  Flops flops;                             // of one chip
  double seconds_at_peak = 0;              // that they would take at the peak of their dtype
  std::vector<std::uint64_t> local_shape;  // of the output, where there is one
  std::string output;                      // its sharding: "A[E, F]"
};

struct HeldArray {
  std::string name, sharding;
  ArrayLayout layout;
};

struct Plan {
  std::vector<PlannedStep> steps;
  Program program;
  std::vector<HeldArray> arrays;  // every array that some step reads or makes
  std::vector<std::string> warnings;
};

}  // namespace hopsim

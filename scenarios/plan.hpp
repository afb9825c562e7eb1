// A scenario made definite: which tasks every chip runs, and for each what the formulas say it should take.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collectives/algorithm.hpp"
#include "scenarios/machine.hpp"
#include "sharding/array.hpp"
#include "sharding/layer.hpp"
#include "sharding/strategy.hpp"
#include "sim/program.hpp"

namespace hopsim {

// Of one chip: max(FLOPs / (peak x efficiency), bytes / HBM bandwidth), both kept.
struct ComputeCost {
  Time flops, hbm;
  Time time() const { return flops > hbm ? flops : hbm; }
};

// One of the planner's ways to do a line, and what it takes.
struct ConsideredStrategy {
  std::string name;
  Time time;
  bool fits = true;  // the memory
};

// A step that is run: one matmul, collective or computation. Step i is task i of the program.
struct PlannedStep {
  int line = 0;       // of the scenario's program, from 1
  std::string text;   // as people read it: "A[E, F] = AllGather_Y(A[E_Y, F])"
  std::string piece;  // of a step that is done in several: "2 of 64"
  std::string kind;   // the operation key: "all_gather", "compute"
  std::vector<std::string> axes;
  std::string algorithm;  // of a collective
  std::optional<Request> collective;
  std::vector<Cost> considered;  // of a collective: what its algorithm was chosen from, cheapest first
  bool tried = false;            // by trying; else by the cost model
  ClosedForm formula;            // of a collective
  Time closed_form, lower_bound;
  Flops flops;                                 // of one chip
  double seconds_at_peak = 0;                  // at the peak of their dtype; none of what is computed once more
  std::optional<ComputeCost> compute;          // of a computation that is not a given time
  std::string strategy;                        // of a line that was planned: the way chosen
  std::vector<ConsideredStrategy> strategies;  // on the first step of such a line: what it was chosen from
  int product_case = 0;                        // there, of a product: 1 to 4
  std::vector<std::uint64_t> local_shape;      // of the output, where there is one
  std::string output;                          // its sharding: "A[E, F]"
};

// What a line makes every chip do: tasks, each after others of the same line.
struct PlannedWork {
  PlannedStep step;
  decltype(Task::work) task;
  std::vector<std::uint32_t> after{};  // none: as soon as the lines before have ended
};

struct HeldArray {
  std::string name, sharding;
  ArrayLayout layout;
  bool of_layer = false;  // counted in layer_bytes
};

// A line that was planned, for its proof on values.
struct PlannedLine {
  int line = 0;
  Strategy strategy;
  std::variant<Product, ArrayRef> of;  // a product, or what is brought to another sharding
};

struct Plan {
  std::vector<PlannedStep> steps;
  Program program;
  std::vector<PlannedLine> planned_lines;
  std::vector<Layer> layers;      // for their proof on values
  std::vector<HeldArray> arrays;  // every array that some step reads or makes; of layers, what goes in and comes out
  Bytes layer_bytes;              // of one chip: all that layers hold at their peak
  std::vector<std::string> warnings;

  Bytes bytes_per_chip() const {
    Bytes sum = layer_bytes;
    for (const HeldArray& a : arrays)
      if (!a.of_layer) sum += a.layout.bytes_per_chip;
    return sum;
  }
};

}  // namespace hopsim

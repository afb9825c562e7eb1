// `expect:` of a scenario: what a result should be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document.hpp"
#include "sim/quantities.hpp"
#include "sim/units.hpp"

namespace hopsim {

// `value: PATH` or `value: PATH / PATH`: dotted paths into the run's result.
struct ResultPath {
  Placed<std::string> path;
  std::optional<Placed<std::string>> divisor;
};

struct ExpectedValue {
  ResultPath of;
  FilePlace place;             // of `is`
  std::optional<Quantity> is;  // a number is in the result's unit
  std::string text;            // `is` as written; what is compared where it is no quantity ("ring", true)
};

struct Expectation {
  FilePlace place;
  std::optional<Placed<int>> step;   // the line of the program, from 1; none: the whole run
  std::optional<Placed<Time>> time;  // at most one of time and value; without either, measured
  std::optional<ExpectedValue> value;
  std::optional<Placed<Quantity>> measured;
  Ratio within{1, 100};  // of the expected value
  std::string source;
};

std::vector<Expectation> load_expectations(const YamlValue&, std::size_t program_steps);

// Quantities joined by `+`: "559.24 us + 3 us". Terms are of one kind.
Placed<Time> time_sum(const YamlValue&);
Placed<Quantity> quantity_sum(const YamlValue&);

}  // namespace hopsim

// The steps of two runs side by side: which of them make the difference.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/compare/pair.hpp"

namespace hopsim {

struct StepSide {
  int line = 0;
  std::string text, kind;
  double time = 0;    // seconds
  std::string state;  // of a partial run: "unfinished", "not begun"
};

// A step of both, or of one of them; or several alike, the layers of a stack, with their times added up.
struct ComparedStep {
  std::optional<StepSide> a, b;
  std::size_t steps = 1;
  std::string changes;  // "ring -> bidirectional_ring, 1 MiB -> 2 MiB"

  bool finished() const;  // on all sides that have it
  std::optional<double> difference()
      const;                 // what B takes longer, of a step that only one has all of it; if finished
  std::string text() const;  // "AllReduce over X  x80"
  std::string line() const;  // "2", "2 -> 3"
};

std::vector<ComparedStep> compared_steps(const ResultValue& run_a, const ResultValue& run_b);
// Four or more of one line and text, of both sides and with the same changes, share one.
std::vector<ComparedStep> grouped(const std::vector<ComparedStep>&);

// `total`: the times of the whole runs.
std::string steps_table(const std::vector<ComparedStep>& grouped, const Pair& total);
// "gains most: ..." and "loses most: ...", three each, and what they do not add up to. Of partial runs of those steps
// only that both have finished.
std::string gains_text(const std::vector<ComparedStep>& grouped, const Pair& total);
// Times of all steps of each operation, added up, in the order in which they first appear; 0 where there is none. Not
// whole where one of these did not finish.
std::vector<std::pair<std::string, Pair>> kinds_of(const std::vector<ComparedStep>&);
// "by operation: all_reduce -2.25 ms; all_gather +1.13 ms"; empty where there is but one.
std::string kinds_text(std::vector<std::pair<std::string, Pair>>);
nlohmann::ordered_json to_json(const ComparedStep&, const Pair& total);

}  // namespace hopsim

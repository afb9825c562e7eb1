// Which step of one program stands for which of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hopsim {

struct StepName {
  int line = 0;      // of the program
  std::string text;  // as reports have it
  std::string kind;  // the operation
};

struct AlignedStep {
  std::optional<std::size_t> a, b;  // at least one
};

// In the order of both programs. Steps of the same text pair up, and between them those that do at least the same
// operation, such that as much as possible is paired (a longest common subsequence, weighted; of equals those of the
// same line); what has no partner stands alone. Barriers weigh little: they are all alike. Steps that both programs
// begin or end with cost nothing; for the rest time and memory are the product of the two numbers of steps, and
// beyond 32 million of that, texts pair up one by one, wherever they stand.
std::vector<AlignedStep> align(const std::vector<StepName>& a, const std::vector<StepName>& b);

}  // namespace hopsim

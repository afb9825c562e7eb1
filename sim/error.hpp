// Bad input: what is wrong, what was given, what would be valid. Whoever knows the place in a file adds it.
// Broken invariants of our own are assertions, not this.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace hopsim {

struct InputError : std::runtime_error {
  // Empty `got` or `valid` are left out of the message: "PROBLEM; got GOT; valid: VALID".
  explicit InputError(std::string problem, std::string got = {}, std::string valid = {})
      : std::runtime_error(join(problem, got, valid)) {}

 private:
  static std::string join(const std::string& problem, const std::string& got, const std::string& valid) {
    std::string text = problem;
    if (!got.empty()) text += "; got " + got;
    if (!valid.empty()) text += "; valid: " + valid;
    return text;
  }
};

}  // namespace hopsim

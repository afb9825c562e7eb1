// What the tests of the scenario format share: text in, value or message out.
#pragma once

#include <string>

#include "scenarios/scenario.hpp"
#include "sim/error.hpp"

namespace hopsim::test {

constexpr const char* kFile = "f.yaml";

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

inline YamlValue yaml(const std::string& text) { return parse_document(text, kFile).root; }

inline Scenario scenario(const std::string& text) { return load_scenario(parse_document(text, kFile)); }

}  // namespace hopsim::test

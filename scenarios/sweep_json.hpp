// A sweep's axes and points as JSON. Values that are numbers or quantities on the whole of an axis are numbers in the
// base unit: seconds, bytes, bytes or FLOPs a second; true and false are themselves; maps and lists are objects and
// arrays; all else is text as the file has it.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/sweep.hpp"

namespace hopsim {

class SweepJson {
 public:
  explicit SweepJson(const Sweep&);  // outlives this

  nlohmann::ordered_json axes() const;  // {key: [values]}, in order
  nlohmann::ordered_json zip() const;   // [[keys that move together]]
  nlohmann::ordered_json parameters(std::size_t point) const;

 private:
  nlohmann::ordered_json value(std::size_t key, const YamlValue&) const;

  const Sweep& sweep_;
  std::vector<const SweepKey*> keys_;
  std::vector<bool> numbers_;  // by key
};

}  // namespace hopsim

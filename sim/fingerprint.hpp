// What a run's fingerprint is summed from: that a resource was occupied until `end`. A sum, so that the order in
// which an engine grants the requests of one instant leaves no trace.
#pragma once

#include <cstdint>

#include "sim/quantities.hpp"

namespace hopsim {

constexpr std::uint64_t fingerprint_mark(std::uint32_t resource, Time end) {
  std::uint64_t z = (end.ps() + 1) * 0x9e3779b97f4a7c15u ^ (std::uint64_t{resource} + 1) * 0xd1342543de82ef95u;
  z = (z ^ z >> 32) * 0xbf58476d1ce4e5b9u;
  return z ^ z >> 29;
}

}  // namespace hopsim

// What a link is like, apart from where it leads.
#pragma once

#include "sim/quantities.hpp"

namespace hopsim {

struct LinkModel {
  Bandwidth bandwidth;  // of every link, one way, efficiency taken off
  Time latency;         // of every hop
};

}  // namespace hopsim

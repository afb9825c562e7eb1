// What benchmarks run: tori of three wrapped dimensions, and collectives on them as programs of one step.
#pragma once

#include <cstdint>
#include <string_view>

#include "collectives/algorithm.hpp"
#include "sim/fabric.hpp"
#include "sim/program.hpp"
#include "tests/bench/bare_loop.hpp"

namespace hopsim::bench {

using namespace literals;

constexpr Bytes kArray = 1_GiB;
constexpr Bytes kBlock = 4_KiB;  // of an AllToAll, from each chip to each other
constexpr Bandwidth kBandwidth = 45_GBps;
constexpr Time kLatency = 1_us;

Shape torus(const Sizes&);
Fabric torus_fabric(const Sizes&);
// The same with latencies that all differ, by up to 5 %, and so do nearly all times.
Fabric torus_fabric_of_distinct_times(const Sizes&);

Program one_collective(const Request&, std::string_view algorithm);
Program all_gather(const Sizes&, int chunks);  // along the first dimension, both ways on all its rings at once
Program all_reduce(const Sizes&, int chunks);  // over all dimensions
Program nd_all_to_all(const Sizes&, int chunks);
Program all_to_all(const Sizes&);  // direct, as all_to_all_loop

}  // namespace hopsim::bench

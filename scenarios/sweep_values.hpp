// The values one key of a sweep takes:
//
//   [4x4x4, 4x4x8]             a list of whatever the key may be; ranges may stand in it
//   1 KiB .. 100 MiB * 2       a range: times a whole number of 2 or more,
//   1 us .. 5 us + 500 ns      or plus a step; its end is taken where a step hits it
//   1 .. 8                     whole numbers need no step
//   all 3-D shapes of 64 chips every AxBxC of so many chips with A <= B <= C, sizes of 1 included, in ascending order
//
// Ranges are of numbers, percentages, sizes, times, bandwidths and FLOP rates, counted exactly. What comes out is
// text as a file would have it ("2 KiB"), at the place of what it was made of.
#pragma once

#include <vector>

#include "scenarios/document.hpp"

namespace hopsim {

constexpr std::size_t kMostSweepValues = 100'000;  // of one key

// Throws PlacedError for what is neither, an empty list, a range that runs backwards or never ends, a number of chips
// without such a shape, and too many values.
std::vector<YamlValue> sweep_values(const YamlValue&);

// "4x4x4", "[1, 2]", "{X: 4, Y: 8}".
std::string flow_text(const YamlValue&);

// Whether two values say the same: "1 MiB" and "1024 KiB" do.
bool same_value(const YamlValue&, const YamlValue&);

}  // namespace hopsim

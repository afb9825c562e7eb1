// A point of a sweep that has run, and the bytes in which threads, processes and the journal hand it on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sweep/points.hpp"

namespace hopsim {

struct FinishedPoint {
  std::size_t point = 0;
  SweepPoint kept;
  std::vector<std::string> warnings;
  bool lacked_memory = false;
  std::string text;  // of the point in --json; empty where nobody asked for it

  // What ended the sweep, where that is not empty: then there is no more than this.
  std::string thrown;
  bool bad_input = false;  // and no fault of ours
};

// A line of JSON that says how many bytes of text follow, the text, a line end. Times, sizes and numbers are exact.
std::string encode(const FinishedPoint&);

struct DecodedPoint {
  FinishedPoint finished;  // without its text,
  std::string_view text;   // which stays in `bytes`
  std::size_t size = 0;    // of the record
};
// The record that `bytes` begins with; none where it is not whole.
std::optional<DecodedPoint> decode(std::string_view bytes);

}  // namespace hopsim

// Measured times to show beside simulated ones: a CSV file with a header and the columns
//
//   bytes   as `bytes` of the collective; a bare number is bytes
//   time    with its unit, or time_s, time_ms, time_us, time_ns for bare numbers
//   op      may be missing: then the rows are of every operation asked for
//
// in any order. Blank lines and lines that begin with # are skipped.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/operation.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

class MeasuredTimes {
 public:
  // Throws InputError for a file that cannot be read; PlacedError for an unknown or missing column, a line with more
  // or fewer fields, what is no size or time, a size given twice, a file without rows.
  static MeasuredTimes read(const std::string& path);
  static MeasuredTimes parse(const std::string& text, const std::string& name);

  std::optional<Time> find(Operation, Bytes) const;
  std::vector<Bytes> sizes() const;  // ascending, of all operations together

 private:
  using Key = std::pair<std::optional<Operation>, Bytes>;
  std::map<Key, Time> times_;

  friend class MeasuredReader;
};

}  // namespace hopsim

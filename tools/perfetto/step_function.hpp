// A quantity that steps up and down over time, from changes that come in any order, in bounded memory.
//
// It is exact while it has at most `capacity` changes, those that cancel apart. It holds at most twice as many: to
// stay within that it goes over to stretches of 2, 4, 8, ... ns. Its values are then the exact function's means over
// each stretch, and its area stays what it was. To that end a change between two points of the coarser grid is
// divided between them, the nearer one taking more.
//
// Memory: up to some 32 bytes times the capacity. change() is a few ns where changes come roughly in order of time.
// Sums are doubles: whole values are exact below 2^53.
#pragma once

#include <cstdint>
#include <vector>

namespace hopsim::perfetto {

class StepFunction {
 public:
  // REQUIRES: capacity >= 2, or no grid were coarse enough.
  explicit StepFunction(std::size_t capacity) : capacity_(capacity) {}

  void change(std::uint64_t time, double by);
  void add(const StepFunction&);

  bool empty() const { return changes_.empty(); }
  std::uint64_t stretch() const { return std::uint64_t{1} << level_; }  // ns; 1: the values are exact

  // Calls visit(time, value) where the value may change, in order.
  template <class Visit>
  void each(Visit visit) const {
    double value = 0;
    for (const Change& c : changes_) visit(c.at << level_, value += c.by);
  }

 private:
  struct Change {
    std::uint64_t at = 0;  // in stretches
    double by = 0;
  };

  void put(std::uint64_t at, double by);
  void make_room();
  void coarsen();

  std::size_t capacity_;
  int level_ = 0;
  std::vector<Change> changes_;  // by time, one a time
};

}  // namespace hopsim::perfetto

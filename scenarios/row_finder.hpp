// The chips a step of a program names: rows over axes of the mesh, groups, roots, pairs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collectives/row.hpp"
#include "scenarios/machine.hpp"
#include "scenarios/program.hpp"

namespace hopsim {

// All throw PlacedError for what the machine does not have.
class RowFinder {
 public:
  explicit RowFinder(const MachineModel& machine) : machine_(machine) {}

  // Of a collective: its groups, or the rows along `axes`.
  RowPtr row(const CollectiveStep&, const std::vector<std::string>& axes) const;
  // The rows of the fabric that axes of the mesh stand for.
  RowPtr over_axes(const std::vector<std::string>& axes, bool row_by_row) const;
  // Who sends to whom, as positions.
  std::vector<std::pair<int, int>> pairs(const CollectiveStep&, const Row&) const;
  // The position of a root, named by its coordinates or its number among all chips, in every row alike.
  int root(const ChipRef&, const Row&) const;

 private:
  RowPtr of_groups(const std::vector<std::vector<ChipRef>>&) const;
  ChipId chip(const ChipRef&) const;
  int position(const ChipRef&, const Row&) const;

  const MachineModel& machine_;
};

}  // namespace hopsim

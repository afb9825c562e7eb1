#include "scenarios/row_finder.hpp"

#include "collectives/operation.hpp"
#include "sharding/notation.hpp"

namespace hopsim {
namespace {

// Marks it, and says whether it was marked before.
bool taken(std::vector<bool>& marks, int i) {
  const bool before = marks[static_cast<std::size_t>(i)];
  marks[static_cast<std::size_t>(i)] = true;
  return before;
}

}  // namespace

RowPtr RowFinder::row(const CollectiveStep& call, const std::vector<std::string>& axes) const {
  if (!call.groups.empty()) return of_groups(call.groups);
  const bool list = is_point_to_point(*operation_named(call.operation)) && !call.axis;
  return over_axes(axes, machine_.row_by_row || list);
}

RowPtr RowFinder::over_axes(const std::vector<std::string>& axes, bool row_by_row) const {
  std::vector<int> dimensions;
  for (const std::string& axis : axes)
    for (const int d : machine_.dimensions[machine_.mesh.position(axis)])
      if (machine_.shape.size[static_cast<std::size_t>(d)] > 1) dimensions.push_back(d);
  if (dimensions.empty()) return row_alone(machine_.shape);
  const bool neighbours =
      machine_.wires == Wires::grid &&
      !(machine_.domain > 0 && machine_.domain < machine_.shape.chips() && dimensions.front() == 0);
  if (!neighbours) return row_over(machine_.shape, dimensions, RowOrder::rows);
  if (dimensions.size() == 1) return row_along(machine_.shape, dimensions.front());
  return row_over(machine_.shape, dimensions, row_by_row ? RowOrder::rows : RowOrder::ring);
}

RowPtr RowFinder::of_groups(const std::vector<std::vector<ChipRef>>& refs) const {
  std::vector<std::vector<ChipId>> groups;
  for (const auto& group : refs) {
    groups.emplace_back();
    for (const ChipRef& chip : group) groups.back().push_back(this->chip(chip));
  }
  try {
    return row_of_groups(machine_.shape, groups);
  } catch (const InputError& e) {
    throw PlacedError(refs.front().front().place, e);
  }
}

ChipId RowFinder::chip(const ChipRef& chip) const {
  const Shape& shape = machine_.shape;
  if (chip.by_number()) {
    if (chip.number >= shape.chips())
      throw PlacedError(chip.place, "no such chip", std::to_string(chip.number),
                        "0 to " + std::to_string(shape.chips() - 1));
    return ChipId{static_cast<std::uint32_t>(chip.number)};
  }
  Coordinates at{};
  if (chip.coordinates.size() != static_cast<std::size_t>(shape.dimensions))
    throw PlacedError(chip.place, "coordinates need a number a dimension", std::to_string(chip.coordinates.size()),
                      std::to_string(shape.dimensions));
  for (std::size_t d = 0; d < chip.coordinates.size(); ++d) {
    if (chip.coordinates[d] < 0 || chip.coordinates[d] >= shape.size[d])
      throw PlacedError(chip.place, "no such chip", std::to_string(chip.coordinates[d]),
                        "0 to " + std::to_string(shape.size[d] - 1));
    at[d] = static_cast<std::int16_t>(chip.coordinates[d]);
  }
  return shape.chip(at);
}

// A chip of the group: its number along the axis, or its coordinates.
int RowFinder::position(const ChipRef& chip, const Row& row) const {
  if (chip.by_number()) {
    if (chip.number >= row.size())
      throw PlacedError(chip.place, "no such chip in the group", std::to_string(chip.number),
                        "0 to " + std::to_string(row.size() - 1));
    return static_cast<int>(chip.number);
  }
  const int position = row.position(machine_.shape.at(this->chip(chip)));
  if (position < 0) throw PlacedError(chip.place, "the chip is in no group");
  return position;
}

std::vector<std::pair<int, int>> RowFinder::pairs(const CollectiveStep& call, const Row& row) const {
  const int n = row.size();
  std::vector<std::pair<int, int>> pairs;
  if (call.from) return {{position(*call.from, row), position(*call.to, row)}};
  if (call.pairs.empty()) {  // send_recv: every chip to the next, as nccl-tests
    const auto shift = call.shift ? call.shift->value : 1;
    for (int p = 0; p < n; ++p) pairs.emplace_back(p, static_cast<int>(((p + shift) % n + n) % n));
    return pairs;
  }
  std::vector<bool> sends(static_cast<std::size_t>(n)), receives(static_cast<std::size_t>(n));
  for (const auto& [from, to] : call.pairs) {
    pairs.emplace_back(position(from, row), position(to, row));
    if (taken(sends, pairs.back().first))
      throw PlacedError(from.place, "a chip sends to two targets", std::to_string(pairs.back().first),
                        "each chip at most once");
    if (taken(receives, pairs.back().second))
      throw PlacedError(to.place, "a chip is the target of two sources", std::to_string(pairs.back().second),
                        "each chip at most once");
  }
  return pairs;
}

int RowFinder::root(const ChipRef& ref, const Row& row) const {
  const int p = row.position(machine_.shape.at(chip(ref)));
  if (p < 0) throw PlacedError(ref.place, "the root is in no group", {}, "a chip of a group");
  return p;
}

}  // namespace hopsim

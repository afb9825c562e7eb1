// `sweep:` of a scenario: the points of a grid, each a scenario of its own.
//
//   sweep:
//     machine.slice: [4x4x4, 4x4x8]                        an axis of the grid: a dotted key and its values
//     program.0.all_reduce.bytes: 1 KiB .. 1 GiB * 4       (sweep_values.hpp says what values there are)
//     zip:                                                 an axis whose keys move together
//       - {machine.chip: [tpu_v5e, tpu_v5p], machine.mesh: [{X: 16}, {X: 8, Y: 2}]}
//     where: machine.slice.chips <= 64                     which points to keep (sweep_where.hpp)
//
// The grid is the product of the axes in the order of the file, the last one fastest. `zip` may also name keys listed
// beside it (`zip: [machine.slice, machine.mesh]`, or a list of such lists): their axis stands where the first of
// them does. A point is the document with its values put in as --set would, in order, and without `sweep`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/sweep_where.hpp"

namespace hopsim {

constexpr std::size_t kMostSweepPoints = 100'000;  // of a grid, unless more are asked for
constexpr std::size_t kMostCountedPoints = 0xffff'ffff;

struct SweepKey {
  std::string path;
  FilePlace place;
  std::vector<YamlValue> values;
};

struct SweepAxis {
  std::vector<SweepKey> keys;  // with as many values each

  std::size_t size() const { return keys.front().values.size(); }
};

struct SweepSpec {
  FilePlace place;
  std::vector<SweepAxis> axes;
  std::vector<Comparison> where;
};

// Throws PlacedError: no key, a key given twice or one that overwrites another, keys of one zip with different
// numbers of values, and what sweep_values and load_where refuse.
SweepSpec load_sweep(const YamlValue&);

class Sweep {
 public:
  // Throws PlacedError as load_sweep, and for a document without a sweep, a grid of more than `most` points, a key
  // the scenario cannot have, conditions that do not apply, and a grid of which `where` leaves nothing. Cost: a copy
  // of the document for each point if there is a `where`, some 3 us.
  explicit Sweep(Document, std::size_t most = kMostSweepPoints, const std::function<void()>& meanwhile = {});

  std::size_t points() const { return spec_.where.empty() ? grid_ : kept_.size(); }
  std::size_t grid_points() const { return grid_; }
  const SweepSpec& spec() const { return spec_; }
  const Document& base() const { return base_; }                     // without `sweep`
  std::vector<const SweepKey*> keys() const;                         // in the order of the axes
  const YamlValue& value(std::size_t point, std::size_t key) const;  // of keys()[key]

  // Without `expect` where the point does not hold it: what the file expects is of its base point, so only points
  // that equal it do, and all points do of a sweep that varies what is expected.
  Document document(std::size_t point) const;
  bool expects(std::size_t point) const;

 private:
  struct KeyAt {
    std::size_t axis, key;
  };

  std::size_t grid_point(std::size_t point) const { return spec_.where.empty() ? point : kept_[point]; }
  std::size_t index(std::size_t grid_point, std::size_t axis) const;
  Document grid_document(std::size_t grid_point) const;
  void count(std::size_t most);
  void check_keys() const;
  void keep_points(const std::function<void()>& meanwhile);

  Document base_;
  SweepSpec spec_;
  std::vector<KeyAt> keys_;
  std::vector<std::size_t> strides_;  // by axis: points of the grid until its value changes
  std::size_t grid_ = 1;
  std::vector<std::uint32_t> kept_;  // points of the grid; none where there is no `where`, which keeps all
};

}  // namespace hopsim

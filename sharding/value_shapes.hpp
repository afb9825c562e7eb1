// Small shapes for the proof on values, and how elements of arrays meet in a product.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sharding/product.hpp"

namespace hopsim {

using Lengths = std::vector<std::uint64_t>;  // or coordinates, a dimension each

// Counts through all coordinates below `shape`, the last fastest. The empty shape has one point.
class Odometer {
 public:
  explicit Odometer(Lengths shape) : shape_(std::move(shape)), at_(shape_.size(), 0) {}
  const Lengths& at() const { return at_; }
  bool next() {
    for (std::size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < shape_[d]) return true;
      at_[d] = 0;
    }
    return false;
  }

 private:
  Lengths shape_, at_;
};

// How long an array's dimensions are, in all and on a chip.
struct BlockShape {
  Lengths global, local;
};

// Sizes small enough to compute with. Whether blocks line up depends only on a size modulo the chips that ever split
// it, so that is kept; a dimension that no step splits keeps two elements.
class CutSizes {
 public:
  explicit CutSizes(const Mesh& mesh) : mesh_(mesh) {}

  void add(const ArrayRef&);  // one that some step reads or makes
  BlockShape shape(const ArrayRef&) const;
  std::string text() const;  // "I=5, J=2"

 private:
  struct Cut {
    std::uint64_t size = 1;
    std::set<std::string> axes;
  };
  std::uint64_t size(const std::string& dimension) const;

  const Mesh& mesh_;
  std::map<std::string, Cut> cuts_;
};

std::optional<std::size_t> position_of(const std::string& dimension, const ArrayRef&);

// A contraction of row-major arrays of these lengths: where an element of the output has its first factors, and the
// steps from them to all that are summed.
class Contraction {
 public:
  Contraction(const Product&, const ArrayRef& lhs, const Lengths& lhs_lengths, const ArrayRef& rhs,
              const Lengths& rhs_lengths, const ArrayRef& output);

  std::uint64_t first_lhs(const Lengths& at) const { return offset(lhs_, at); }
  std::uint64_t first_rhs(const Lengths& at) const { return offset(rhs_, at); }
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sum() const { return sum_; }

 private:
  static std::uint64_t offset(const Lengths& strides, const Lengths& at);

  Lengths lhs_, rhs_;  // strides by dimension of the output
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sum_;
};

}  // namespace hopsim

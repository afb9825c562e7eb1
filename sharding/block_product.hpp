// Multiplying blocks: which shardings of the operands go together, what sharding the output gets, and the work of one
// chip. Inside of sharding/ only.
#pragma once

#include <optional>
#include <vector>

#include "sharding/sharding_graph.hpp"

namespace hopsim {

class BlockProduct {
 public:
  // Both must outlive it.
  BlockProduct(const Product&, const Mesh&);

  // None where operands in these shardings cannot be multiplied.
  std::optional<Sharding> output(const Sharding& lhs, const Sharding& rhs) const;

  // Only the numbers: element type, FLOPs, bytes. REQUIRES: they can be multiplied.
  LocalProduct work(const Sharding& lhs, const Sharding& rhs) const;

  // Whether an operand was only gathered, and not needlessly so (over an axis that the other has no use for, and that
  // the output has, or may have, on that dimension), or sliced as the other one already was.
  bool plain(const Sharding& was, const Sharding& now, const Sharding& other, bool left) const;

 private:
  struct Positions {  // of a dimension in the three arrays; -1: not there
    int lhs, rhs, output;
    std::uint64_t size;
  };
  bool may_have(std::size_t output_dimension, std::uint8_t axis) const;

  const Product& product_;
  const Mesh& mesh_;
  std::vector<Positions> dimensions_;
};

}  // namespace hopsim

// What chips hold, in numbers: blocks of arrays, and what a collective does to them. For the proof on values.
//
// A block is stored padded, as a chip has it in memory; equal blocks are stored once, and what several chips do alike
// is done once, so the cost is that of the different blocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sharding/value_shapes.hpp"

namespace hopsim {

using Block = std::vector<std::uint64_t>;  // row-major
using BlockId = std::uint32_t;

class Blocks {
 public:
  Blocks(const Mesh& mesh, std::uint64_t seed) : mesh_(mesh), seed_(seed) {}

  const Mesh& mesh() const { return mesh_; }
  const Block& operator[](BlockId id) const { return pool_[id]; }
  BlockId add(Block block) {
    pool_.push_back(std::move(block));
    return static_cast<BlockId>(pool_.size() - 1);
  }
  std::uint64_t garbage() { return random(++garbage_, 0); }
  std::uint64_t random(std::uint64_t a, std::uint64_t b) const;  // the same for the same arguments

  // The chip's number along axes, the first slowest.
  std::uint64_t position(std::uint64_t chip, const std::vector<std::string>& axes) const;
  std::vector<std::uint32_t> coordinates(std::uint64_t chip) const;
  // The chips that differ along `axes` only, by their number along them; `chip` has number 0.
  std::vector<std::uint64_t> group(std::uint64_t chip, const std::vector<std::string>& axes) const;

  // Per chip, the sum of the blocks of its group.
  std::vector<BlockId> sums(const std::vector<BlockId>& held, const std::vector<std::string>& axes);

  // How one dimension changes: which axes come off its end, in which order blocks lie along them, and which are put
  // on in their place.
  struct Change {
    std::vector<std::string> off, on;
    std::uint64_t from = 1, to = 1;  // lengths on a chip, before and after
  };
  // Per chip, its block after the change. What no chip of the group holds is garbage.
  std::vector<BlockId> moved(const std::vector<BlockId>& held, const std::vector<Change>&);

 private:
  // For every chip: its group's blocks, as a number of a list of them.
  std::vector<std::uint32_t> group_blocks(const std::vector<BlockId>& held, const std::vector<std::string>& axes,
                                          std::vector<std::vector<BlockId>>& lists) const;
  Block picked(const std::vector<BlockId>& group, const std::vector<std::uint64_t>& parts,
               const std::vector<Change>&);

  const Mesh& mesh_;
  std::uint64_t seed_;
  std::uint64_t garbage_ = 0;
  std::vector<Block> pool_;
};

}  // namespace hopsim

// What an operation asks of every chip of a row: which atoms of the data it holds at the start, and which it must
// hold at the end. Proofs and players read it.
//
// Of a sum (ReduceScatter, AllReduce, reduce) every member holds its own contribution to every atom, and whoever must
// end with an atom must end with the sum of all contributions. Of the others an atom is a piece of data that moves.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collectives/algorithm.hpp"
#include "sim/coordinates.hpp"

namespace hopsim {

struct Holder {
  std::uint32_t chip, row;  // the row by the chip at its position 0
  int position;
};

constexpr bool is_sum(Operation o) {
  return o == Operation::reduce_scatter || o == Operation::all_reduce || o == Operation::reduce;
}

// How many members own a part between them; the array of a broadcast or reduce belongs to none.
int owners(const Request&);

class Contents {
 public:
  // Request and schedule must outlive it. REQUIRES: parts that name every atom once. Cost: the atoms, the members.
  Contents(const Shape&, const Request&, const Schedule&);

  const std::vector<Holder>& members() const { return members_; }  // by chip
  bool owns(const Holder& m, std::uint32_t atom) const {           // by the schedule's parts
    const std::uint32_t p = part_of_[atom];
    return (atom - parts_[p].first) / parts_[p].per_member == numbers_.at(m.chip)[p];
  }
  bool starts(const Holder&, std::uint32_t atom) const;
  bool ends(const Holder&, std::uint32_t atom) const;
  int target(std::uint32_t atom) const;  // of an AllToAll: the position it is for

 private:
  const Request& request_;
  const std::vector<Part>& parts_;
  std::uint32_t per_block_ = 0;  // AllToAll: atom (source * n + target) * per_block + piece
  std::vector<Holder> members_;
  std::vector<std::uint32_t> part_of_;                                     // by atom
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> numbers_;  // of the owner, by chip, then part
  std::vector<int> source_;                                                // of a permutation, by position; -1: none
};

}  // namespace hopsim

// What must cross the edge of a set of chips, whatever the schedule.
#pragma once

#include <vector>

#include "collectives/algorithm.hpp"
#include "sim/fabric.hpp"

namespace hopsim {

// The chips of every group, in the order of their positions.
using Groups = std::vector<std::vector<ChipId>>;
Groups groups_of(const Fabric&, const Row&);

// How much of an array of V bytes must cross the edge of a set that holds k of a group's n members, and its root.
struct Need {
  Operation operation;
  double bytes, n;

  double into(int k, bool root) const;
  double out_of(int k, bool root) const { return into(static_cast<int>(n) - k, !root); }
  bool permutes() const { return operation == Operation::collective_permute || operation == Operation::send_recv; }
};

struct Member {
  std::size_t group;
  bool root;
};

// Sums, over the groups, of what a growing set of chips needs.
class Tally {
 public:
  Tally(const Need& need, std::size_t groups) : need_(need), members_(groups), root_(groups) {}
  void add(Member);
  void forget(const std::vector<Member>&);
  double into() const { return into_; }
  double out_of() const { return out_; }

 private:
  Need need_;
  std::vector<int> members_;
  std::vector<bool> root_;
  double into_ = 0, out_ = 0;
};

}  // namespace hopsim

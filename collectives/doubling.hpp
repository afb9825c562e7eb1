// What recursive doubling, halving-doubling and Swing share: log2(N) steps, in each of which chips exchange with one
// peer, in pairs; after k steps a chip knows what 2^k chips knew.
//
// On a grid a row is a box of axes, and the data are cut into copies of the algorithm that begin with different axes,
// each once plain and once mirrored (x -> -x), where axes wrap around: all 2D links of a chip are then in use. Other
// rows are one axis, of positions.
#pragma once

#include <string>
#include <vector>

#include "collectives/algorithm.hpp"

namespace hopsim {

struct DoublingRule {
  std::string_view name;
  // How far the chip at x of an axis of n reaches in its step number `level` along it; the sign is the way.
  int (*distance)(int x, int level);
  bool in_turn = true;        // steps take the axes in turn; else an axis is done before the next begins
  bool far_first = true;      // an AllGather goes through the steps backwards: the long ways carry little
  bool whole = false;         // an AllReduce sends the whole vector in every step, log2(N) in all
  bool needs_around = false;  // axes over 2 have to wrap around
};

std::string doubling_obstacle(const DoublingRule&, const Request&);
Schedule doubling_schedule(const DoublingRule&, const Request&);
// Step after step what the busiest link carries, as if all chips began each step together.
ClosedForm doubling_form(const DoublingRule&, const Request&);

int doubling_distance(int x, int level);  // to x XOR 2^level
int swing_distance(int x, int level);     // by 1, 1, 3, 5, 11, 21, ... to alternate sides

}  // namespace hopsim

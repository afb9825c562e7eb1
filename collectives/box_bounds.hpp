// What no schedule can beat on a plain box: the bounds of bounds.hpp in closed form, without a list of links.
//
// A plain box is a grid (ring, line, mesh, torus) that has every link of its shape, all of one bandwidth and latency.
// Its planes, halves and corners are counted instead of walked, so a pod takes no longer than a ring.
#pragma once

#include "collectives/algorithm.hpp"
#include "topologies/link_model.hpp"

namespace hopsim {

struct PlainBox {
  Shape shape;  // of all chips: whether some are folded makes no difference
  LinkModel link;
};

// The bound of the box as a fabric, lower_bound(freeze(grid(shape, link)), request); or a higher one for pairs of
// rows longer than 64, where that looks at the way of one only.
// REQUIRES: a shape of grid_shape(), so without twist or switches; no faults, link.bandwidth above 0; a row of that
// shape over whole dimensions (row_along, row_over, row_in_order of these: row->dimensions() not empty).
// O(sum of the row's sizes + pairs).
Time lower_bound(const PlainBox&, const Request&);

}  // namespace hopsim

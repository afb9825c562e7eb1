// Double binary tree: half of the array through each of two binary trees, in which no chip but the root has children
// twice; in chunks passed on as they come, so that every chip sends and gets the array once, in a time that grows
// with log2(N) only by the filling of the pipeline.
#include <algorithm>

#include "collectives/ring_orders.hpp"
#include "collectives/tree.hpp"

namespace hopsim {
namespace {

std::string obstacle(const Request& r) {
  if (r.operation != Operation::broadcast && r.operation != Operation::reduce && r.operation != Operation::all_reduce)
    return "double_binary_tree does broadcast, reduce and all_reduce, not " + std::string(name(r.operation));
  if (r.row->size() < 2) return "double_binary_tree needs 2 chips or more";
  return tree_obstacle("double_binary_tree", r);
}

int own_chunks(const Request& r) { return tree_chunks(r, 2, double_binary(r.row->size())[0].depth()); }
Schedule schedule(const Request& r) { return tree_schedule(r, double_binary(r.row->size())); }

// Every chip sends V in all, two halves; a chunk, V/(2k), waits for its sibling's at every level.
ClosedForm closed_form(const Request& r) {
  const auto trees = double_binary(r.row->size());
  const double v = static_cast<double>(r.bytes.count()), filling = 1 + (trees[0].depth() - 1.0) / r.chunks;
  ClosedForm f = tree_form(r, trees[0]);
  const ClosedForm second = tree_form(r, trees[1]);
  f.hops = std::max(f.hops, second.hops);
  f.nic_hops = std::max(f.nic_hops, second.nic_hops);
  f.nic_bytes = v / 2 * std::max(f.nic_bytes, second.nic_bytes) * filling;
  f.link_bytes = v * filling;
  f.steps = trees[0].depth();
  f.formula = "V/(W/2), filling the pipeline";
  return r.operation == Operation::all_reduce ? twice(f) : f;
}

}  // namespace

Algorithm algorithm_double_binary_tree() {
  return {"double_binary_tree",
          "halves through two binary trees at once, pipelined; any number of chips",
          "Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel "
          "Computing 2009; NCCL 2.4",
          obstacle,
          schedule,
          closed_form,
          own_chunks};
}

}  // namespace hopsim

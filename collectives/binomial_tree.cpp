// Binomial tree: in every round all chips that have the data send them on, so that log2(N) rounds, rounded up, are
// enough for any N; each sends to its largest subtree first. For small arrays.
#include "collectives/ring_orders.hpp"
#include "collectives/tree.hpp"

namespace hopsim {
namespace {

bool deals(const Request& r) { return r.operation == Operation::gather || r.operation == Operation::scatter; }

std::string obstacle(const Request& r) {
  if (!is_rooted(r.operation) && r.operation != Operation::all_reduce)
    return "binomial_tree does broadcast, reduce, gather, scatter and all_reduce, not " +
           std::string(name(r.operation));
  return tree_obstacle("binomial_tree", r);
}

Schedule schedule(const Request& r) {
  const Tree tree = binomial(r.row->size());
  return deals(r) ? tree_scatter(r, tree) : tree_schedule(r, {tree});
}

// log2(N) rounds of V; of a gather or scatter V/2 + V/4 + ..., as the root's link counts them.
ClosedForm closed_form(const Request& r) {
  const Tree tree = binomial(r.row->size());
  const double v = static_cast<double>(r.bytes.count()), n = r.row->size();
  ClosedForm f = tree_form(r, tree);
  f.steps = tree.depth();
  f.link_bytes = deals(r) ? v * (n - 1) / n : v * f.steps;
  f.nic_bytes = deals(r) ? v * (n - r.local()) / n : v * f.nic_bytes;
  f.formula = deals(r) ? "V(N-1)/(N W/2)" : "V ceil(log2 N)/(W/2)";
  return r.operation == Operation::all_reduce ? twice(f) : f;
}

}  // namespace

Algorithm algorithm_binomial_tree() {
  return {"binomial_tree",
          "each chip that has the data sends them on, log2(N) rounds; any number of chips",
          "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

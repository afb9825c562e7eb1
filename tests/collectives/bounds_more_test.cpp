// Lower bounds of rooted operations, of several axes, of twisted tori and of switched machines, derived by hand.
// W is a link's bandwidth one way.
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"
#include "topologies/faults.hpp"
#include "topologies/networks.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;
constexpr double kHop = 1e-6;
constexpr double kV = 1 << 30;

void expect_bound(double value, double expected) { EXPECT_NEAR(value, expected, 1e-12 + 1e-12 * expected); }

double bound(const Fabric& f, Operation op, RowPtr row, int root = 0, Wiring wiring = {}) {
  Request r{.operation = op, .row = std::move(row), .bytes = 1_GiB};
  r.root = root;
  r.wiring = std::move(wiring);
  return lower_bound(f, r).seconds();
}

RowPtr all_of(const Shape& s) {
  std::vector<int> dimensions;
  for (int d = 0; d < s.dimensions; ++d) dimensions.push_back(d);
  return row_over(s, dimensions, RowOrder::rows);
}

// The farthest chip needs the last byte that leaves the root, too.
TEST(RootedBounds, OfALine) {
  const Shape s = box({5}, false);
  const Fabric f = freeze(grid(s, kIci));
  for (const Operation op : {Operation::broadcast, Operation::reduce}) {
    expect_bound(bound(f, op, row_along(s, 0), 0), kV / kW + 4 * kHop);
    // From the middle both links go out, but the ends take all of it over one.
    expect_bound(bound(f, op, row_along(s, 0), 2), kV / kW + kHop);
  }
  for (const Operation op : {Operation::gather, Operation::scatter}) {
    expect_bound(bound(f, op, row_along(s, 0), 0), kV * 4 / 5 / kW + kHop);
    expect_bound(bound(f, op, row_along(s, 0), 2), kV * 2 / 5 / kW + kHop);
    expect_bound(bound(f, op, row_along(s, 0), 1), kV * 3 / 5 / kW + kHop);  // three of five lie on one side
  }
}

// A corner of a mesh has two links.
TEST(RootedBounds, OfACorner) {
  const Shape s = box({4, 4}, false);
  const Fabric f = freeze(grid(s, kIci));
  expect_bound(bound(f, Operation::gather, all_of(s)), kV * 15 / 16 / (2 * kW) + kHop);
  expect_bound(bound(f, Operation::scatter, all_of(s)), kV * 15 / 16 / (2 * kW) + kHop);
}

// Over two of three axes: the chips of a column along the third have four links each that lead out of it.
TEST(BoundsOverSomeAxes, ColumnsCountTogether) {
  const Shape s = box({4, 4, 4});
  const RowPtr planes = row_over(s, {0, 1}, RowOrder::ring);
  expect_bound(bound(freeze(grid(s, kIci)), Operation::all_gather, planes), kV * 15 / 16 / (4 * kW) + kHop);
}

// Sixteen rings of 4, each sum told to all in six messages at least, over the 126 links along x that are left of 128.
TEST(DamagedBounds, ALostLinkRaisesThem) {
  Topology t = grid(box({4, 4, 4}), kIci);
  apply_faults(t, {{.from = 0, .to = 16, .down = true}});
  expect_bound(bound(freeze(t), Operation::all_reduce, row_along(t.shape, 0)), 16 * 6 * kV / (126 * kW) + kHop);
}

// 4x4x8 twisted: the 127 others are 440 hops away in all (mean 3.4646), over 6 links a chip.
TEST(TwistedBounds, AllToAllCountsHops) {
  const Shape s = twisted_shape({4, 4, 8});
  const Fabric f = freeze(grid(s, kIci));
  expect_bound(bound(f, Operation::all_to_all, all_of(s)), kV / (128 * 128) * 440 / (6 * kW) + kHop);
}

TEST(SwitchedBounds, OneLinkAChip) {
  const Shape s = box({8}, false);
  const Fabric f = freeze(switched(s, kIci, false));
  const RowPtr row = all_of(s);
  expect_bound(bound(f, Operation::all_gather, row), kV * 7 / 8 / kW + kHop);
  expect_bound(bound(f, Operation::all_to_all, row), kV * 7 / 64 / kW + kHop);
  expect_bound(bound(f, Operation::broadcast, row), kV / kW + 2 * kHop);
  // Without a switch that adds, 14 arrays have to leave 8 chips; with one, each sends and takes its own.
  expect_bound(bound(f, Operation::all_reduce, row), kV * 14 / 8 / kW + kHop);
  expect_bound(bound(freeze(switched(s, kIci, true)), Operation::all_reduce, row), kV / kW + kHop);
}

// Four nodes of 8 with a NIC of 1 GB/s a GPU: what a node lacks comes over its eight NICs.
TEST(SwitchedBounds, NodesAreCutFromOneAnother) {
  const Shape node = box({8}, false);
  const LinkModel nic{Bandwidth(1'000'000'000), 1_us};
  ClusterNetwork network;
  network.nic = nic;
  const Topology t = cluster(switched(node, kIci, false), 4, network);
  Wiring wiring;
  wiring.domain = 8;
  expect_bound(bound(freeze(t), Operation::all_gather, all_of(t.shape), 0, wiring), kV * 3 / 4 / (8 * 1e9) + kHop);
}

}  // namespace
}  // namespace hopsim::testing

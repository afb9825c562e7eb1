// Lower bounds of plain boxes in closed form: against those found by looking at every link, and against values
// derived by hand. W is a link's bandwidth one way.
#include "collectives/box_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "collectives/bounds.hpp"
#include "topologies/grid.hpp"

namespace hopsim::testing {
namespace {

constexpr LinkModel kLink{Bandwidth(45'000'000'000), Time::picoseconds(1'000'000)};
constexpr LinkModel kOddLink{Bandwidth(44'999'999'987), Time::picoseconds(1'234'567)};
constexpr double kW = 45e9;
constexpr double kHop = 1e-6;
constexpr double kV = 1 << 30;

using Pairs = std::vector<std::pair<int, int>>;

Shape shape_of(const std::vector<int>& size, unsigned wraps) {
  std::vector<bool> wrap;
  for (std::size_t d = 0; d < size.size(); ++d) wrap.push_back(wraps >> d & 1);
  return grid_shape(size, wrap);
}

// Every way to choose sizes for so many dimensions, up to so many chips, and whether they are wrapped.
std::vector<Shape> boxes(int dimensions, const std::vector<int>& sizes, int most_chips) {
  std::vector<std::vector<int>> all{{}};
  for (int d = 0; d < dimensions; ++d) {
    std::vector<std::vector<int>> longer;
    for (const auto& head : all)
      for (const int n : sizes) {
        longer.push_back(head);
        longer.back().push_back(n);
      }
    all = std::move(longer);
  }
  std::vector<Shape> shapes;
  for (const auto& size : all)
    for (unsigned wraps = 0; wraps < 1u << dimensions; ++wraps) {
      const Shape s = shape_of(size, wraps);
      bool new_one = static_cast<int>(s.chips()) <= most_chips;
      for (int d = 0; d < dimensions; ++d)  // a dimension of 1 or 2 is not wrapped, whatever was asked for
        new_one = new_one && s.wrap[static_cast<std::size_t>(d)] == (wraps >> d & 1);
      if (new_one) shapes.push_back(s);
    }
  return shapes;
}

std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

// Along each dimension and over each choice of several, the members in several orders.
std::vector<RowPtr> rows(const Shape& s) {
  std::vector<RowPtr> all;
  for (unsigned chosen = 1; chosen < 1u << s.dimensions; ++chosen) {
    std::vector<int> over;
    for (int d = s.dimensions; d-- > 0;)
      if (chosen >> d & 1) over.push_back(d);
    if (over.size() == 1) all.push_back(row_along(s, over.front()));
    if (over.size() > 1) {
      all.push_back(row_over(s, over, RowOrder::ring));
      all.push_back(row_over(s, over, RowOrder::rows));
    }
    all.push_back(row_in_order(all.back(), shuffled(all.back()->size(), chosen)));
  }
  return all;
}

// To the next, to the opposite, to anywhere, some only, and a single one.
std::vector<Pairs> pairs_of(int n) {
  std::vector<Pairs> all(5);
  const std::vector<int> anywhere = shuffled(n, 7);
  for (int p = 0; p < n; ++p) {
    all[0].emplace_back(p, (p + 1) % n);
    all[1].emplace_back(p, n - 1 - p);
    all[2].emplace_back(p, anywhere[static_cast<std::size_t>(p)]);
    if (p < n / 3) all[3].emplace_back(p, p + n / 2);
  }
  all[4].emplace_back(n / 2, n - 1);
  return all;
}

std::vector<Request> requests(const RowPtr& row, Bytes bytes) {
  const int n = row->size();
  std::vector<Request> all;
  for (const Operation op :
       {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
    all.push_back({.operation = op, .row = row, .bytes = bytes});
  for (const Operation op : {Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter})
    for (const int root : {0, n / 3, n / 2, n - 1}) {
      all.push_back({.operation = op, .row = row, .bytes = bytes});
      all.back().root = root;
    }
  for (const Operation op : {Operation::collective_permute, Operation::send_recv})
    for (const Pairs& pairs : pairs_of(n)) {
      all.push_back({.operation = op, .row = row, .bytes = bytes});
      all.back().pairs = pairs;
    }
  return all;
}

std::string describe(const Shape& s, const Request& r) {
  std::string text(title(r.operation));
  for (int d = 0; d < s.dimensions; ++d)
    text += (d ? "x" : " on ") + std::to_string(s.size[d]) + (s.wrap[static_cast<std::size_t>(d)] ? "o" : "");
  text += " over";
  for (const int d : r.row->dimensions()) text += " " + std::to_string(d);
  text += ", root " + std::to_string(r.root) + ", " + std::to_string(r.pairs.size()) + " pairs, " +
          std::to_string(r.bytes.count()) + " B";
  return text;
}

using Check = std::function<void(Time by_formula, Time by_links, const Request&)>;

void compare(const Shape& s, const LinkModel& link, const std::vector<RowPtr>& rows,
             const std::function<std::uint64_t(int n)>& bytes, const Check& check) {
  const Fabric f = freeze(grid(s, link));
  for (const RowPtr& row : rows)
    for (const Request& r : requests(row, Bytes(bytes(row->size())))) {
      SCOPED_TRACE(describe(s, r));
      check(lower_bound(PlainBox{s, link}, r), lower_bound(f, r), r);
      if (::testing::Test::HasFailure()) return;
    }
}

// Where n^2 divides V every sum of bytes, and of bytes/s, is a whole number below 2^53: no rounding, in any order.
// Few bytes are bound by distance, many by bandwidth. The ways of all pairs are looked for in rows up to 64 only.
void expect_equal(const Shape& s) {
  for (const std::uint64_t block : {1u, 1u << 20})
    compare(
        s, block == 1 ? kLink : kOddLink, rows(s),
        [&](int n) { return block * static_cast<unsigned>(n) * static_cast<unsigned>(n); },
        [](Time by_formula, Time by_links, const Request& r) {
          if (is_point_to_point(r.operation) && r.size() > 64)
            EXPECT_GE(by_formula, by_links);
          else
            EXPECT_EQ(by_formula.ps(), by_links.ps());
        });
}

TEST(BoxBounds, OfOneDimensionAreThoseOfAllLinks) {
  for (const Shape& s : boxes(1, {1, 2, 3, 4, 5, 8, 17, 64}, 64)) expect_equal(s);
}

TEST(BoxBounds, OfTwoDimensionsAreThoseOfAllLinks) {
  for (const Shape& s : boxes(2, {1, 2, 3, 4, 5, 8}, 64)) expect_equal(s);
}

TEST(BoxBounds, OfThreeDimensionsAreThoseOfAllLinks) {
  for (const Shape& s : boxes(3, {1, 2, 3, 4}, 24)) expect_equal(s);
  for (const unsigned wraps : {2u, 5u}) expect_equal(shape_of({5, 8, 3}, wraps));
}

TEST(BoxBounds, OfFourDimensionsAreThoseOfAllLinks) {
  for (const Shape& s : boxes(4, {1, 2, 3}, 12)) expect_equal(s);
  expect_equal(shape_of({2, 4, 3, 5}, 6));
}

// Where shards are no whole numbers of bytes both round: some 10^-16 at each of a few hundred sums.
TEST(BoxBounds, OfAnySizeDifferByRoundingOnly) {
  for (const Shape& s : boxes(2, {2, 3, 5, 8}, 40))
    compare(
        s, kOddLink, rows(s), [](int) { return std::uint64_t{1'000'000'007}; },
        [](Time by_formula, Time by_links, const Request&) {
          const double expected = by_links.seconds();
          EXPECT_NEAR(by_formula.seconds(), expected, 1.5e-12 + 1e-13 * expected);
        });
}

// Where the links take too long to look at hop by hop or pair by pair.
TEST(BoxBounds, OfLargeBoxesAreNoLower) {
  const Shape s = shape_of({16, 16, 8}, 5);
  compare(
      s, kLink, {row_along(s, 0), row_over(s, {0, 1, 2}, RowOrder::rows)},
      [](int n) { return std::uint64_t{1024} * static_cast<unsigned>(n); },
      [](Time by_formula, Time by_links, const Request& r) {
        if (is_point_to_point(r.operation))
          EXPECT_GE(by_formula, by_links);
        else
          EXPECT_EQ(by_formula, by_links);
      });
}

TEST(BoxBounds, TakeAFoldedShapeForTheWholeOne) {
  const Shape s = shape_of({8, 5, 4}, 5);
  for (const RowPtr& row : rows(s))
    for (const Request& r : requests(row, Bytes(1 << 30)))
      EXPECT_EQ(lower_bound(PlainBox{s.fold(), kLink}, r), lower_bound(PlainBox{s, kLink}, r)) << describe(s, r);
}

double bound(const Shape& s, Operation op, RowPtr row, std::uint64_t bytes = 1 << 30, int root = 0,
             Pairs pairs = {}) {
  Request r{.operation = op, .row = std::move(row), .bytes = Bytes(bytes), .pairs = std::move(pairs)};
  r.root = root;
  return lower_bound(PlainBox{s, kLink}, r).seconds();
}

void expect_bound(double value, double expected) { EXPECT_NEAR(value, expected, 1e-12 + 1e-12 * expected); }

// 262,144 chips of six links each; mean distance of a pair 3 x 16, and the farthest at 3 x 32.
TEST(BoxBounds, OfAPod) {
  const Shape s = shape_of({64, 64, 64}, 7);
  const RowPtr all = row_over(s, {0, 1, 2}, RowOrder::rows), one = row_along(s, 1),
               two = row_over(s, {0, 2}, RowOrder::ring);
  const double n = 262144;
  expect_bound(bound(s, Operation::all_gather, all, 1ull << 40), 1024 * kV * (n - 1) / n / (6 * kW) + kHop);
  expect_bound(bound(s, Operation::all_reduce, all, 1ull << 40), 1024 * kV * 2 * (n - 1) / n / (6 * kW) + kHop);
  expect_bound(bound(s, Operation::all_to_all, all, 1ull << 50), 1048576 * kV / n * 48 / (6 * kW) + kHop);
  expect_bound(bound(s, Operation::all_gather, all, 262144), 96 * kHop + 1 / (6 * kW));
  expect_bound(bound(s, Operation::all_gather, one), kV * 63 / 64 / (2 * kW) + kHop);
  expect_bound(bound(s, Operation::all_reduce, one), kV * 2 * 63 / 64 / (2 * kW) + kHop);
  expect_bound(bound(s, Operation::reduce_scatter, two), kV * 4095 / 4096 / (4 * kW) + kHop);
}

// From (0,0) of a mesh everything leaves over two links; into the far half of its long side over three.
TEST(BoxBounds, OfAMesh) {
  const Shape s = shape_of({8, 3}, 0);
  const RowPtr all = row_over(s, {0, 1}, RowOrder::rows);
  expect_bound(bound(s, Operation::scatter, all), kV * 23 / 24 / (2 * kW) + kHop);
  expect_bound(bound(s, Operation::gather, all, 1 << 30, 13), kV * 23 / 24 / (4 * kW) + kHop);  // at (4,1)
  expect_bound(bound(s, Operation::all_to_all, all), kV / 4 / (3 * kW) + kHop);
  // The four of a line of eight that change halves share its middle link each way.
  Pairs opposite;
  for (int p = 0; p < 8; ++p) opposite.emplace_back(p, 7 - p);
  expect_bound(bound(s, Operation::collective_permute, row_along(s, 0), 1 << 30, 0, opposite), 4 * kV / kW + kHop);
}

// A message of V leaves an end of the line over one link along it and one across, and has five hops before it.
TEST(BoxBounds, OfOneMessage) {
  const Shape s = shape_of({8, 3}, 0);
  expect_bound(bound(s, Operation::send_recv, row_along(s, 0), 4500, 0, {{0, 5}}), 5 * kHop + 4500 / (2 * kW));
  // Three such messages at once, one a line, share the three links between two planes.
  expect_bound(bound(s, Operation::send_recv, row_along(s, 0), 1 << 30, 0, {{0, 5}}), kV / kW + kHop);
}

TEST(BoxBounds, WhatStaysNeedsNothing) {
  const Shape s = shape_of({1, 4}, 0);
  EXPECT_EQ(bound(s, Operation::all_gather, row_along(s, 0)), 0);
  EXPECT_EQ(bound(s, Operation::collective_permute, row_along(s, 1), 1 << 30, 0, {{2, 2}}), 0);
}

}  // namespace
}  // namespace hopsim::testing

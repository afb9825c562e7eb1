// One chip for all that symmetry makes alike: the folded run must give the same times as the full one, exactly.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/runs.hpp"

namespace hopsim::testing {
namespace {

void expect_equal_folded(const Shape& shape, std::string_view algorithm, const Request& r) {
  const auto schedule = schedule_of(algorithm, r);
  const Ran full = run_schedule(shape, schedule), folded = run_schedule(shape.fold(), schedule);
  EXPECT_EQ(folded.time.ps(), full.time.ps());
  EXPECT_EQ(folded.totals.messages * shape.chips(), full.totals.messages * shape.fold().chips());
  EXPECT_EQ(folded.totals.link_bytes.count() * shape.chips(), full.totals.link_bytes.count() * shape.fold().chips());
}

// Over the dimensions whose bits are set.
RowPtr row_of(const Shape& shape, unsigned axes) {
  std::vector<int> dimensions;
  for (int d = 0; d < shape.dimensions; ++d)
    if (axes >> d & 1) dimensions.push_back(d);
  return dimensions.size() == 1 ? row_along(shape, dimensions[0]) : row_over(shape, dimensions, RowOrder::ring);
}

TEST(Folding, ARingOf16IsOneChip) {
  const Shape ring = box({16});
  ASSERT_EQ(ring.fold().chips(), 1u);
  for (const Operation op :
       {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
    for (const char* algorithm : {"ring", "bidirectional_ring"})
      for (const int chunks : {1, 3, 4})
        for (const Bytes bytes : {1_KiB, Bytes(1'000'003), 1_GiB}) {
          const Request r{.operation = op,
                          .row = row_along(ring, 0),
                          .bytes = bytes,
                          .chunks = op == Operation::all_to_all ? 1 : chunks};
          expect_equal_folded(ring, algorithm, r);
        }
}

TEST(Folding, ATorusOf4x4x4IsOneChip) {
  const Shape torus = box({4, 4, 4});
  ASSERT_EQ(torus.fold().chips(), 1u);
  for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce})
    for (int d = 0; d < 3; ++d)
      for (const bool book : {false, true})
        expect_equal_folded(torus, "auto",
                            {.operation = op, .row = row_along(torus, d), .bytes = 1_MiB, .chunks = 2, .book = book});
}

// Along an unwrapped dimension chips differ, and all of them stay.
TEST(Folding, AnUnwrappedDimensionKeepsItsChips) {
  const Shape box = grid_shape({4, 5}, {true, false});
  ASSERT_EQ(box.fold().chips(), 5u);
  for (int d = 0; d < 2; ++d)
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce})
      expect_equal_folded(box, "auto", {.operation = op, .row = row_along(box, d), .bytes = 1_MiB, .chunks = 2});
}

// Whatever says of itself that it folds, with as many chunks as it takes by itself.
TEST(Folding, EveryAlgorithmThatFolds) {
  struct Case {
    std::vector<int> size;
    std::vector<bool> wrap;
  };
  const std::vector<Case> cases{{{4, 4, 4}, {true, true, true}}, {{4, 8}, {true, true}},
                                {{3, 5}, {true, true}},          {{8, 4, 4}, {true, true, true}},
                                {{4, 3}, {true, false}},         {{2, 4, 5}, {false, true, true}}};
  std::set<std::string_view> folding;
  for (const Case& c : cases) {
    const Shape shape = grid_shape(c.size, c.wrap);
    ASSERT_LT(shape.fold().chips(), shape.chips());
    for (unsigned axes = 1; axes < 1u << c.size.size(); ++axes)
      for (const Operation op :
           {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
        for (const Bytes bytes : {Bytes(1000), Bytes(1'000'003), 64_MiB}) {
          const Request r{.operation = op, .row = row_of(shape, axes), .bytes = bytes};
          for (const Algorithm* a : able_algorithms(r)) {
            if (a->folds == nullptr || !a->folds(r)) continue;
            SCOPED_TRACE(std::string(a->name) + ", " + std::string(name(op)) + " over " + std::to_string(axes));
            Request own = r;
            own.chunks = 0;
            expect_equal_folded(shape, a->name, own);
            folding.insert(a->name);
          }
        }
  }
  EXPECT_EQ(folding,
            (std::set<std::string_view>{"bidirectional_ring", "direct", "line", "nd_all_to_all", "nd_ring", "ring"}));
}

// Port by port, whole blocks where all dimensions wrap around.
TEST(Folding, DirectExchangesOfLargeRows) {
  for (const Shape& s : {box({18, 19}), box({7, 7, 7}), grid_shape({16, 17}, {true, false})})
    for (const Operation op :
         {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
      for (const int chunks : {1, 2}) {
        const Request r{
            .operation = op, .row = row_of(s, (1u << s.dimensions) - 1), .bytes = 64_MiB, .chunks = chunks};
        SCOPED_TRACE(std::string(name(op)) + " over " + std::to_string(s.chips()));
        ASSERT_TRUE(choose_algorithm("direct", r).folds(r));
        expect_equal_folded(s, "direct", r);
      }
}

TEST(Folding, ShiftsByTheSameEverywhere) {
  const auto shifted = [](const Shape& s, Coordinates by) {
    Request r{.operation = Operation::collective_permute, .row = row_of(s, (1u << s.dimensions) - 1), .bytes = 1_MiB};
    for (int p = 0; p < r.size(); ++p) {
      Coordinates to = r.row->at(p);
      for (std::size_t d = 0; d < to.size(); ++d) to[d] = static_cast<std::int16_t>((to[d] + by[d]) % s.size[d]);
      r.pairs.emplace_back(p, r.row->position(to));
    }
    return r;
  };
  const Shape torus = box({4, 6}), mixed = grid_shape({4, 3}, {true, false});
  for (const Request& r : {shifted(torus, {1, 0}), shifted(torus, {2, 5}), shifted(mixed, {1, 1})})
    for (const int chunks : {1, 3}) {
      Request chunked = r;
      chunked.chunks = chunks;
      ASSERT_TRUE(choose_algorithm("direct", chunked).folds(chunked));
      expect_equal_folded(r.row->shape(), "direct", chunked);
    }
  Request unlike = shifted(torus, {1, 0});
  std::swap(unlike.pairs[0].second, unlike.pairs[1].second);
  EXPECT_FALSE(choose_algorithm("direct", unlike).folds(unlike));
  unlike.pairs.pop_back();
  EXPECT_FALSE(choose_algorithm("direct", unlike).folds(unlike));
  Request alone{.operation = Operation::send_recv, .row = row_along(box({8}), 0), .bytes = 1_MiB, .pairs = {{0, 1}}};
  EXPECT_FALSE(choose_algorithm("direct", alone).folds(alone));
  const Request rooted{.operation = Operation::gather, .row = row_along(box({8}), 0), .bytes = 1_MiB};
  EXPECT_FALSE(choose_algorithm("direct", rooted).folds(rooted));
}

TEST(Folding, OnlyFabricsWhoseChipsAreAlike) {
  EXPECT_EQ(folded(freeze(grid(box({4, 4}), kIci)))->chips(), 1u);
  EXPECT_EQ(folded(freeze(grid(grid_shape({4, 5}, {true, false}), kIci)))->chips(), 5u);
  EXPECT_FALSE(folded(freeze(grid(box({4, 4}, false), kIci))));
  EXPECT_FALSE(folded(freeze(grid(twisted_shape({3, 3, 6}), kIci))));
  EXPECT_FALSE(folded(freeze(grid(box({4, 4}), kIci), Routing::rotations)));
  Fabric slow = freeze(grid(box({4, 4}), kIci));
  slow.links[5].latency = 2_us;
  EXPECT_FALSE(folded(slow));
}

}  // namespace
}  // namespace hopsim::testing

// One chip for all that symmetry makes alike: the folded run must give the same times as the full one, exactly.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hopsim::testing

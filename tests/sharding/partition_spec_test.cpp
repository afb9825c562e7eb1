// PartitionSpecs and einsums against the book's notation.
#include "sharding/partition_spec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hopsim {
namespace {

AxisNames mesh_xy() { return AxisNames({"X", "Y", "data"}); }

// The table of chapter 3, and longer names.
TEST(PartitionSpec, BothWays) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"A[I, J]", "P(None, None)"},          {"A[I_X, J]", "P('X', None)"},
      {"A[I, J_Y]", "P(None, 'Y')"},         {"A[I_X, J_Y]", "P('X', 'Y')"},
      {"A[I_XY, J]", "P(('X', 'Y'), None)"}, {"A[I_{data,X}, J]", "P(('data', 'X'), None)"},
  };
  for (const auto& [notation, spec] : pairs) {
    SCOPED_TRACE(notation);
    const ArrayRef array = parse_array(notation, mesh_xy());
    EXPECT_EQ(partition_spec(array), spec);
    EXPECT_EQ(with_partition_spec(parse_array("A[I, J]", mesh_xy()), spec, mesh_xy()), array);
  }
}

TEST(PartitionSpec, OtherSpellings) {
  using Entries = std::vector<std::vector<std::string>>;
  EXPECT_EQ(parse_partition_spec("P(('X','Y'), None)", mesh_xy()), (Entries{{"X", "Y"}, {}}));
  EXPECT_EQ(parse_partition_spec(" PartitionSpec( \"X\" , ) ", mesh_xy()), (Entries{{"X"}}));
  EXPECT_EQ(parse_partition_spec("P(('X',), ())", mesh_xy()), (Entries{{"X"}, {}}));
  EXPECT_EQ(parse_partition_spec("P()", mesh_xy()), Entries{});
  EXPECT_EQ(print(with_partition_spec(parse_array("A[I_Y, J_X]", mesh_xy()), "P('X')", mesh_xy())), "A[I_X, J]");
  EXPECT_THROW(partition_spec(parse_array("A[I]{U_X}", mesh_xy())), InputError);
}

TEST(Einsum, IsAProduct) {
  const std::string line = "einsum('BD,DF->BF', A: P('X','Y'), B: P(None,'Y'), out: P('X','Y'))";
  EXPECT_EQ(print(parse(line, mesh_xy())), "out[B_X, F_Y] = A[B_X, D_Y] * B[D, F_Y]");
  EXPECT_EQ(print(parse("einsum(\"bij, bjk -> bik\", Q, K: P('X'))", mesh_xy())),
            "out[b_?, i_?, k_?] = Q[b, i, j] * K[b_X, j, k]");
}

TEST(Einsum, BadLines) {
  struct Bad {
    std::string text;
    int column;
    std::string says;
  };
  const std::vector<Bad> lines{
      {"einsum(BD)", 8, "expected subscripts in quotes"},
      {"einsum('BD,DF', A, B)", 9, "needs two operands and an output; got BD,DF"},
      {"einsum('BD->B', A)", 11, "expected a dimension or ,; got '-'"},
      {"einsum('AB,BC,CD->AD', A, B, C)", 14, "expected a dimension or ->; got ','"},
      {"einsum('BD,DF->BF', A)", 22, "expected ,; got ')'"},
      {"einsum('BD,DF->BF', A: P('Q'), B)", 27, "unknown axis; got Q; valid: X, Y, data"},
      {"einsum('BD,DF->BF', A: P('X', 'X'), B)", 32, "axis X is used twice in one PartitionSpec"},
      {"einsum('BD,DF->BF', A: P(None, None, 'X'), B)", 24,
       "more entries than A has dimensions; got 3; valid: at most 2"},
      {"einsum('BD,DF->BF', A: Q('X'), B)", 24, "expected P(...); got 'Q'"},
      {"einsum('BD,DF->BF', A, B, C: P())", 27, "expected out: P(...); got 'C'"},
      {"einsum('BD,DF->BF', A, B: P(X))", 29, "expected None, an axis in quotes, or a tuple of them; got 'X'"},
      {"einsum('BD,DF->BF', A, B) + C", 27, "expected the end of the line; got '+'"},
      {"einsum('BD,DF->BF, A, B)", 25, "expected a closing quote; got the end of the line"},
      {"einsum('BD,DF->BF', Ä, B)", 21, "expected an array's name; got 'Ä'"},
  };
  for (const Bad& bad : lines) {
    SCOPED_TRACE(bad.text);
    try {
      ADD_FAILURE() << print(parse(bad.text, mesh_xy()));
    } catch (const NotationError& e) {
      EXPECT_EQ(e.column(), bad.column) << e.what();
      EXPECT_NE(std::string(e.what()).find(bad.says), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace hopsim

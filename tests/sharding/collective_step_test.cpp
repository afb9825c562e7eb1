// Collectives made definite: bytes by hand, and lines that do not fit.
#include "sharding/collective_step.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hopsim {
namespace {

const Sizes kSizes{{"B", 1024}, {"D", 4096}, {"E", 2048}, {"F", 8192}, {"I", 12}, {"J", 8}, {"K", 16}};

Arrays known_arrays(const Mesh& mesh) {
  return {{"Out", parse_array("Out[B, D]{U_XY}", mesh.names())},
          {"Z", parse_array("fp32 Z[I, K]{U_Z}", mesh.names())}};
}

ResolvedCollective step(const std::string& line, const Mesh& mesh) {
  const Arrays arrays = known_arrays(mesh);
  return collective_step(std::get<Collective>(parse(line, mesh.names())), {mesh, kSizes, DType::bf16, arrays});
}

struct Case {
  std::string line;
  std::vector<std::string> axes;
  std::uint64_t group, bytes;
  std::string output;
  bool padded = false;
};

void expect_steps(const Mesh& mesh, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    try {
      const ResolvedCollective s = step(c.line, mesh);
      EXPECT_EQ(s.axes, c.axes);
      EXPECT_EQ(s.group, c.group);
      EXPECT_EQ(s.bytes.count(), c.bytes);
      EXPECT_EQ(print(s.output), c.output);
      EXPECT_EQ(s.padded, c.padded);
    } catch (const NotationError& e) {
      ADD_FAILURE() << e.column() << ": " << e.what();
    }
  }
}

TEST(ResolvedCollective, BytesOfOneGroup) {
  const std::uint64_t bd = 1024 * 4096 * 2;
  expect_steps(Mesh({{"X", 4}, {"Y", 4}, {"Z", 4}}),
               {
                   {"AllGather_X(bf16[1024_X, 4096_Y])", {"X"}, 4, bd / 4, "bf16[1024, 4096_Y]"},
                   {"A[B, D_Y] = AllGather_X(A[B_X, D_Y])", {"X"}, 4, bd / 4, "bf16 A[B=1024, D_Y=4096]"},
                   {"AllGather_XY(A[B_X, D_Y])", {"X", "Y"}, 16, bd, "bf16 A[B=1024, D=4096]"},
                   {"AllGather_YX(A[B_XY, D])", {"X", "Y"}, 16, bd, "bf16 A[B=1024, D=4096]"},
                   {"AllGather_Y(A[B_XY, D])", {"Y"}, 4, bd / 4, "bf16 A[B_X=1024, D=4096]"},
                   {"AllReduce_Z(A[B_X, D_Y]{U_Z})", {"Z"}, 4, bd / 16, "bf16 A[B_X=1024, D_Y=4096]"},
                   {"AllReduce(A[B, D]{U_YZ})", {"Y", "Z"}, 16, bd, "bf16 A[B=1024, D=4096]"},
                   {"AllReduce_Y(A[B, D]{U_YZ})", {"Y"}, 4, bd, "bf16 A[B=1024, D=4096]{U_Z}"},
                   {"ReduceScatter_X,D(A[B, D_Y]{U_X})", {"X"}, 4, bd / 4, "bf16 A[B=1024, D_YX=4096]"},
                   {"Out[B, D_XY] = ReduceScatter_{XY,D}(Out)", {"X", "Y"}, 16, bd, "bf16 Out[B=1024, D_XY=4096]"},
                   {"R[B, D_YX] = ReduceScatter_YX(Out)", {"Y", "X"}, 16, bd, "bf16 R[B=1024, D_YX=4096]"},
                   {"AllToAll_X,D(A[B_X, D_Y])", {"X"}, 4, bd / 4, "bf16 A[B=1024, D_YX=4096]"},
                   {"AllToAll_XZ,D(A[B_XZ, D])", {"X", "Z"}, 16, bd, "bf16 A[B=1024, D_XZ=4096]"},
                   {"AllToAll_ZX,D(A[B_XZ, D])", {"Z", "X"}, 16, bd, "bf16 A[B=1024, D_ZX=4096]"},
                   {"Slice_X,B(A[B, D])", {"X"}, 4, 0, "bf16 A[B_X=1024, D=4096]"},
                   {"fp32 Q[I, K] = AllReduce(Z)", {"Z"}, 4, 12 * 16 * 4, "fp32 Q[I=12, K=16]"},
                   {"A[?, D_?] = AllGather_X(A[B_X, D_Y])", {"X"}, 4, bd / 4, "bf16 A[B=1024, D_Y=4096]"},
                   {"A[1024, 4096] = AllGather_X(A[B_X, D])", {"X"}, 4, bd, "bf16 A[B=1024, D=4096]"},
                   {"AllGather_X(int4[3_X, 5])", {"X"}, 4, 10, "int4[3, 5]", true},
               });
}

TEST(ResolvedCollective, PaddedShardsTravelWhole) {
  expect_steps(Mesh({{"X", 5}, {"Y", 3}, {"Z", 1}}),
               {
                   {"AllGather_X(fp32 A[I_X, J])", {"X"}, 5, 15 * 8 * 4, "fp32 A[I=12, J=8]", true},
                   {"ReduceScatter_X,K(fp32 A[I, K]{U_X})", {"X"}, 5, 12 * 20 * 4, "fp32 A[I=12, K_X=16]", true},
                   {"AllToAll_X,J(fp32 A[I_X, J])", {"X"}, 5, 15 * 10 * 4, "fp32 A[I=12, J_X=8]", true},
                   {"AllReduce_X(fp32 A[I_Y, J]{U_X})", {"X"}, 5, 4 * 8 * 4, "fp32 A[I_Y=12, J=8]", false},
                   {"AllReduce_X(fp32 A[I, J_Y]{U_X})", {"X"}, 5, 12 * 3 * 4, "fp32 A[I=12, J_Y=8]", true},
               });
}

TEST(ResolvedCollective, QuizOnV5e) {
  expect_steps(Mesh({{"X", 8}, {"Y", 4}, {"Z", 1}}),
               {{"A[E, F] = AllGather_Y(A[E_Y, F])", {"Y"}, 4, 2ull * 2048 * 8192, "bf16 A[E=2048, F=8192]"}});
}

struct Bad {
  std::string line;
  int column;
  std::string says;
};

TEST(ResolvedCollective, LinesThatDoNotFit) {
  const Mesh mesh({{"X", 4}, {"Y", 2}, {"Z", 2}});
  const std::vector<Bad> lines{
      {"AllGather_Y(A[I_X, J])", 1, "AllGather_Y needs an input sharded over Y; got A[I_X, J]; valid: X"},
      {"A[I, J] = AllGather_X(A[I, J])", 11, "needs an input sharded over X"},
      {"A[I_X, J] = AllGather_X(A[I_X, J])", 3, "does not give this output sharding; got A[I_X, J]; valid: A[I, J]"},
      {"AllGather_X(A[I_XY, J])", 1,
       "would leave I in strided pieces; got A[I_XY, J]; valid: the last axes of XY, such as Y"},
      {"ReduceScatter_X,K(C[I, K])", 1, "needs an input unreduced over X; got C[I, K]; valid: C[I, K]{U_X}"},
      {"ReduceScatter_X,Q(C[I, K]{U_X})", 1, "names a dimension that its input lacks; got Q; valid: I, K"},
      {"ReduceScatter_X,I(C[I, I]{U_X})", 1, "has twice; got I"},
      {"ReduceScatter_X(C[I, K]{U_X})", 1, "does not say which dimension it splits; valid: ReduceScatter_X,K"},
      {"C[I, K_XY] = ReduceScatter_X,K(C[I, K_Y]{U_X})", 6, "valid: C[I, K_YX]"},
      {"C[I, K] = ReduceScatter_X,K(C[I, K]{U_X})", 6, "valid: C[I, K_X]"},
      {"AllReduce(C[I, K])", 1, "AllReduce of an array without partial sums"},
      {"AllReduce_Y(C[I, K]{U_X})", 1, "needs an input unreduced over Y"},
      {"C[I, K]{U_Y} = AllReduce_XY(C[I, K]{U_XY})", 1, "does not leave these partial sums"},
      {"C[I, K] = AllReduce_X(C[I, K]{U_XY})", 1, "does not leave these partial sums"},
      {"AllToAll_X,I(A[I_X, J])", 1, "I is already split over X"},
      {"AllToAll_X,J(A[I, J])", 1, "needs an input sharded over X"},
      {"Slice_X,J(A[I_X, J])", 1, "would use axis X twice; I is split over it"},
      {"Slice_X,J(A[I, J]{U_X})", 1, "Slice_X splits over an axis of a partial sum"},
      {"A[I, K] = AllGather_X(A[I_X, J])", 6, "other dimensions than the input"},
      {"A[I] = AllGather_X(A[I_X, J])", 1, "another number of dimensions"},
      {"A[13, J] = AllGather_X(A[I_X, J])", 3, "another size than the input"},
      {"A[I=13, J] = AllGather_X(A[I_X, J])", 3, "dimension I has two sizes; got 13; valid: 12"},
      {"fp32 A[I, J] = AllGather_X(bf16 A[I_X, J])", 1, "does not change the element type; got fp32; valid: bf16"},
      {"AllGather_X(A[Q_X])", 15, "dimension Q has no size"},
      {"AllGather_X(Missing)", 13, "no line before defines this array; got Missing; valid: Out, Z, or Missing[...]"},
      {"AllReduce(bf16 Z)", 11, "was defined with another element type; got bf16; valid: fp32"},
  };
  for (const Bad& bad : lines) {
    SCOPED_TRACE(bad.line);
    try {
      ADD_FAILURE() << print(step(bad.line, mesh).output);
    } catch (const NotationError& e) {
      EXPECT_EQ(e.column(), bad.column) << e.what();
      EXPECT_NE(std::string(e.what()).find(bad.says), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(step("AllGather_X(A[4294967296_X, 4294967296])", mesh), InputError);
}

}  // namespace
}  // namespace hopsim

// Reading and writing the notation: each spelling against the canonical one, and what the values hold.
#include "sharding/notation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hopsim {
namespace {

struct Spelling {
  std::string written;
  std::string canonical;
};

AxisNames mesh_xyz() { return AxisNames({"X", "Y", "Z", "TP"}); }

void expect_canonical(const Spelling& s, const AxisNames& names) {
  SCOPED_TRACE(s.written);
  try {
    const Statement read = parse(s.written, names);
    EXPECT_EQ(print(read), s.canonical);
    EXPECT_EQ(parse(print(read), names), read);
  } catch (const NotationError& e) {
    ADD_FAILURE() << "column " << e.column() << ": " << e.what();
  }
}

// Every expression of a walk-through of the book's chapter 3, as written there.
const std::vector<Spelling> kChapter3{
    {"A[I, J]", "A[I, J]"},
    {"A[Iₓ, J]", "A[I_X, J]"},
    {"A[I, Jᵧ]", "A[I, J_Y]"},
    {"A[Iₓ, Jᵧ]", "A[I_X, J_Y]"},
    {"A[I_{XY}, J]", "A[I_XY, J]"},
    {"$A[I_{XY}, J]$", "A[I_XY, J]"},
    {"A[I_X, J_Y]", "A[I_X, J_Y]"},
    {"int8[128, 2048]", "int8[128, 2048]"},
    {"int8[128/(2×8), 2048] = int8[8, 2048]", "int8[8, 2048] -> int8[8, 2048]"},
    {"B[J, K_Y]", "B[J, K_Y]"},
    {"C[B, F] = X[B, D] × W[D, F]", "C[B, F] = X[B, D] * W[D, F]"},
    {"A[I, J_X] × B[J, K]", "A[I, J_X] * B[J, K]"},
    {"A[I, J_X] × B[J_X, K]", "A[I, J_X] * B[J_X, K]"},
    {"A[I_X, J] × B[J, K_X]", "A[I_X, J] * B[J, K_X]"},
    {"C[i,j] = Σ_d X[i,d] × W[d,j]", "C[i, j] = X[i, d] *_d W[d, j]"},
    {"$A[I_X, J_Y] \\cdot_J B[J_Y, K] \\to C[?, ?]$", "C[?, ?] = A[I_X, J_Y] *_J B[J_Y, K]"},
    {"$C[I_X, K] {U_Y}$", "C[I_X, K]{U_Y}"},
    {"$C[I_X, K]$", "C[I_X, K]"},
    {"AllGather_X(A[I_X, J]) → A[I, J]", "A[I, J] = AllGather_X(A[I_X, J])"},
    {"AllGather_Y(A[E_Y, F])", "AllGather_Y(A[E_Y, F])"},
    {"ReduceScatter_{X,K}(A[I, K] {U_X}) → A[I, K_X]", "A[I, K_X] = ReduceScatter_X,K(A[I, K]{U_X})"},
    {"$A[I_X] \\to A[I]$", "A[I_X] -> A[I]"},
    {"$A’[I]{U_X} \\to A’[I_X]$", "A'[I]{U_X} -> A'[I_X]"},
    {"AllReduce_X(A[I, K] {U_X}) → A[I, K]", "A[I, K] = AllReduce_X(A[I, K]{U_X})"},
    {"AllToAll_{X,J}(A[I_X, J]) → A[I, J_X]", "A[I, J_X] = AllToAll_X,J(A[I_X, J])"},
    {"X[B, D] × W[Dₓ, F]", "X[B, D] * W[D_X, F]"},
    {"X[B, D_X] × W[D_X, F] → C[B, F]", "C[B, F] = X[B, D_X] * W[D_X, F]"},
    {"C_partial[B, F]", "C_partial[B, F]"},
    {"AllReduce(C_partial) → C[B, F]", "C[B, F] = AllReduce(C_partial)"},
    {"AllReduce(C_partial_{i-1})", "AllReduce(C_partial_{i-1})"},
    {"W₁[D, F]", "W₁[D, F]"},
    {"W₁[D, F/TP]", "W₁[D, F/TP]"},
    {"X[B, D] × W₁[D, F/TP] → Y[B, F/TP]", "Y[B, F/TP] = X[B, D] * W₁[D, F/TP]"},
    {"W₂[F, D]", "W₂[F, D]"},
    {"W₂[F/TP, D]", "W₂[F/TP, D]"},
    {"Y[B, F/TP] × W₂[F/TP, D] → Z_partial[B, D]", "Z_partial[B, D] = Y[B, F/TP] * W₂[F/TP, D]"},
    {"AllReduce(Z_partial) → Z[B, D]", "Z[B, D] = AllReduce(Z_partial)"},
    {"A[I_X, J, K, ...]", "A[I_X, J, K, ...]"},
    {"AllGather_X(A[B_X, D_Y])", "AllGather_X(A[B_X, D_Y])"},
    {"AllGather_X(A[B_X])", "AllGather_X(A[B_X])"},
    {"X[B, D] ×_D Y[D_X, F] → Z[B, F]", "Z[B, F] = X[B, D] *_D Y[D_X, F]"},
    {"W_in[D, F]", "W_in[D, F]"},
    {"W_out[F, D]", "W_out[F, D]"},
    {"In[B, D] × W_in[D, F_XY] → Mid[B, F_XY]", "Mid[B, F_XY] = In[B, D] * W_in[D, F_XY]"},
    {"1. In[B, D] × W_in[D, F_XY] → Mid[B, F_XY]   (Case 1，无通信)", "Mid[B, F_XY] = In[B, D] * W_in[D, F_XY]"},
    {"X[B, D] × W₁[D, F/TP] → Y[B, F/TP]（无需通信！）", "Y[B, F/TP] = X[B, D] * W₁[D, F/TP]"},
    {"3. Mid[B, F_XY] × W_out[F_XY, D] → Out[B, D] {U_XY}   (Case 3)",
     "Out[B, D]{U_XY} = Mid[B, F_XY] * W_out[F_XY, D]"},
    {"A[I, J_Y]", "A[I, J_Y]"},
    {"2. GeLU(Mid)", "gelu(Mid)"},
    {"GeLU(Mid)", "gelu(Mid)"},
    {"Mid[B, F_XY] × W_out[F_XY, D] → Out[B, D] {U_XY}", "Out[B, D]{U_XY} = Mid[B, F_XY] * W_out[F_XY, D]"},
    {"ReduceScatter_{XY,D}(Out) → Out[B, D_XY]", "Out[B, D_XY] = ReduceScatter_XY,D(Out)"},
    {"In[B, D]", "In[B, D]"},
    {"$A[I, J] \\cdot_J B[J, K] \\to C[I, K]$", "C[I, K] = A[I, J] *_J B[J, K]"},
    {"$A[I_X, J] \\cdot_J B[J_X, K_Y] \\to C[?, ?]$", "C[?, ?] = A[I_X, J] *_J B[J_X, K_Y]"},
    {"$A[I_X, J] \\cdot_J B[J, K_Y] \\to C[?, ?]$", "C[?, ?] = A[I_X, J] *_J B[J, K_Y]"},
    {"$A[I, J_X] \\cdot B[J, K]$", "A[I, J_X] * B[J, K]"},
};

TEST(Notation, ReadsChapter3AsWritten) {
  for (const Spelling& s : kChapter3) expect_canonical(s, mesh_xyz());
}

TEST(Notation, ReadsChapter3WithoutAMesh) {
  for (const Spelling& s : kChapter3) expect_canonical(s, AxisNames::any());
}

TEST(Notation, ReadsEverySpelling) {
  const std::vector<Spelling> spellings{
      {"C[I_X, K_Y] = A[I_X, J] * B[J, K_Y]", "C[I_X, K_Y] = A[I_X, J] * B[J, K_Y]"},
      {"A[I_X, J] · B[J, K] -> C[I_X, K]", "C[I_X, K] = A[I_X, J] * B[J, K]"},
      {"A[I_X,J]@B[J,K]→C[I_X,K]", "C[I_X, K] = A[I_X, J] * B[J, K]"},
      {"A[I, J] ·_J B[J, K]", "A[I, J] *_J B[J, K]"},
      {"A[I, J] ·ⱼ B[J, K]", "A[I, J] *_J B[J, K]"},
      {"A[I, J, L] ·_{J,L} B[J, L, K]", "A[I, J, L] *_{J,L} B[J, L, K]"},
      {"A[I, J] \\times B[J, K] \\rightarrow ?", "A[I, J] * B[J, K]"},
      {"A[I, J] * B[J, K] -> C[I_?, K]", "C[I_?, K] = A[I, J] * B[J, K]"},
      {"C = A * B", "C = A * B"},
      {"X = X * Y", "X = X * Y"},
      {"C[I, K_X] = ReduceScatter_X,K(C[I, K]{U_X})", "C[I, K_X] = ReduceScatter_X,K(C[I, K]{U_X})"},
      {"C[I, K_X] = reducescatter_X(C[I, K]{U_X})", "C[I, K_X] = ReduceScatter_X(C[I, K]{U_X})"},
      {"A[I_X, J] = Slice_X,I(A[I, J])", "A[I_X, J] = Slice_X,I(A[I, J])"},
      {"AllGather_{Y,X}(A[I_YX])", "AllGather_YX(A[I_YX])"},
      {"AllGatherₓ(A[Iₓᵧ])", "AllGather_X(A[I_XY])"},
      {"\\textbf{AllGather}_{XY}(A[I_{XY}, J]) \\rightarrow A[I, J]", "A[I, J] = AllGather_XY(A[I_XY, J])"},
      {"\\[ C[I, K] \\{U_{XY}\\} \\]", "C[I, K]{U_XY}"},
      {"A\\[I\\_X, J\\]", "A[I_X, J]"},
      {"C[I, K] \\{ U_X \\}", "C[I, K]{U_X}"},
      {"C[I, K]{U_X, U_Y}", "C[I, K]{U_XY}"},
      {"\\sum_{j} A[i, j] * B[j, k] -> C[i, k]", "C[i, k] = A[i, j] *_j B[j, k]"},
      {"H[B, F_X] = gelu(M[B, F_X])", "H[B, F_X] = gelu(M[B, F_X])"},
      {"Z = Add(X[B], Y[B])", "Z = add(X[B], Y[B])"},
      {"bf16 A[I=128, J=2048]", "bf16 A[I=128, J=2048]"},
      {"int8 A[I_{XY}=128, J=2048]", "int8 A[I_XY=128, J=2048]"},
      {"A[I_X=8*128, J/TP=2×2]", "A[I_X=1024, J/TP=4]"},
      {"bfloat16[1024_X, 4096_Y]", "bf16[1024_X, 4096_Y]"},
      {"AllGather_X(bf16[1024_X, 4096_Y])", "AllGather_X(bf16[1024_X, 4096_Y])"},
      {"F32 W_{in}[D_{TP}, F]", "fp32 W_in[D_{TP}, F]"},
      {"W_1a[D]", "W_1a[D]"},
      {"Wᵢ[D]", "W_i[D]"},
      {"A''[I]", "A''[I]"},
      {"Σ_d X[i, d] * Δ[d]", "X[i, d] *_d Δ[d]"},
      {"  A [ I _X , J ]  ", "A[I_X, J]"},
      {"Slice[I_X]", "Slice[I_X]"},
      {"A[I/XY]", "A[I/XY]"},
  };
  for (const Spelling& s : spellings) expect_canonical(s, mesh_xyz());
}

TEST(Notation, LongAxisNames) {
  const AxisNames names({"data", "model", "x", "XY"});
  expect_canonical({"A[I_{data,model}, J]", "A[I_{data,model}, J]"}, names);
  expect_canonical({"A[I_{ data , x }, J]{U_{model}}", "A[I_{data,x}, J]{U_{model}}"}, names);
  expect_canonical({"ReduceScatter_{data,model,D}(Out)", "ReduceScatter_{data,model,D}(Out)"}, names);
  expect_canonical({"ReduceScatter_{data},D(Out)", "ReduceScatter_{data,D}(Out)"}, names);
  expect_canonical({"A[Iₓ, F/model]", "A[I_x, F/model]"}, names);  // no capital X in this mesh
  expect_canonical({"A[I_{XY}]", "A[I_{XY}]"}, names);             // its own axis here
  EXPECT_EQ(parse_array("A[I_{XY}]", names).dimensions[0].axes, std::vector<std::string>{"XY"});
  const AxisNames any = AxisNames::any();
  expect_canonical({"A[I_{data,XY}, J/TP]", "A[I_{data,X,Y}, J/TP]"}, any);
  expect_canonical({"A[I_{data_parallel}]", "A[I_{data_parallel}]"}, any);
}

TEST(Notation, HoldsWhatWasSaid) {
  const auto s = std::get<Collective>(parse(" C[I, K_YX] = ReduceScatter_X,K(fp32 C[I=12, K_Y]{U_XZ})", mesh_xyz()));
  EXPECT_EQ(s.kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(s.axes, std::vector<std::string>{"X"});
  EXPECT_EQ(s.dimension, "K");
  EXPECT_EQ(s.place.column, 15);
  EXPECT_EQ(s.input.place.column, 33);
  EXPECT_EQ(s.input.dtype, DType::fp32);
  EXPECT_EQ(s.input.dimensions[0].size, 12u);
  EXPECT_EQ(s.input.dimensions[1].place.column, 46);
  EXPECT_EQ(s.input.unreduced, (std::vector<std::string>{"X", "Z"}));
  EXPECT_EQ(s.output->dimensions[1].axes, (std::vector<std::string>{"Y", "X"}));

  const auto m = std::get<Matmul>(parse("A * B[J, K] -> C[I_?, ?]", mesh_xyz()));
  EXPECT_TRUE(m.lhs.bare);
  EXPECT_FALSE(m.rhs.bare);
  EXPECT_TRUE(m.output->open());
  EXPECT_EQ(m.output->dimensions[0].name, "I");
  EXPECT_TRUE(m.output->dimensions[1].name.empty());

  EXPECT_TRUE(std::get<Declaration>(parse("A[F/TP]", mesh_xyz())).array.dimensions[0].divided);
}

TEST(Notation, PlacesDoNotMakeValuesDifferent) {
  EXPECT_EQ(parse("A[I]  *  B[I]", mesh_xyz()), parse("A[I]*B[I]", mesh_xyz()));
  EXPECT_NE(parse("A[I] * B[I]", mesh_xyz()), parse("A[I] * C[I]", mesh_xyz()));
  EXPECT_NE(parse_array("A[I_XY]", mesh_xyz()), parse_array("A[I_YX]", mesh_xyz()));
}

}  // namespace
}  // namespace hopsim

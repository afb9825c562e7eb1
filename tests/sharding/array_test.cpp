// Meshes, local shapes, bytes and copies: values counted by hand.
#include "sharding/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hopsim {
namespace {

using Shape = std::vector<std::uint64_t>;

struct Case {
  std::string array;
  std::vector<Mesh::Axis> mesh;
  Shape local;
  std::uint64_t bytes_per_chip, total_bytes, copies;
  bool padded;
};

const Sizes kSizes{{"B", 1024}, {"D", 4096}, {"E", 2048}, {"F", 8192}, {"I", 128}, {"J", 2048}};

TEST(Array, LayoutsCountedByHand) {
  const std::vector<Mesh::Axis> quiz1{{"X", 2}, {"Y", 8}, {"Z", 2}};
  const std::vector<Mesh::Axis> v5e{{"X", 8}, {"Y", 4}};
  const std::vector<Mesh::Axis> cube{{"X", 4}, {"Y", 4}, {"Z", 4}};
  const std::vector<Case> cases{
      {"int8 A[I_XY, J]", quiz1, {8, 2048}, 16'384, 512 * 1024, 2, false},
      {"int8 A[I_XY=128, J=2048]", quiz1, {8, 2048}, 16'384, 512 * 1024, 2, false},
      {"int8[128, 2048]", quiz1, {128, 2048}, 262'144, 32 * 262'144, 32, false},
      {"A[E_Y, F]", v5e, {512, 8192}, 8'388'608, 32 * 8'388'608ull, 8, false},
      {"A[E, F]", v5e, {2048, 8192}, 33'554'432, 32 * 33'554'432ull, 32, false},
      {"A[B_X, D_Y]", cube, {256, 1024}, 524'288, 64 * 524'288, 4, false},
      {"A[B_X, D]{U_Y}", cube, {256, 4096}, 2'097'152, 64 * 2'097'152ull, 4, false},
      {"fp32 A[10_X]", {{"X", 4}}, {3}, 12, 48, 1, true},
      {"fp32 A[2_X]", {{"X", 4}}, {1}, 4, 16, 1, true},
      {"int4 A[3, 3]", {{"X", 2}}, {3, 3}, 5, 10, 2, false},
      {"fp8 A[7_{data,model}, 2]", {{"data", 2}, {"model", 2}}, {2, 2}, 4, 16, 1, true},
      {"fp64 A[F/TP]", {{"TP", 8}}, {1024}, 8192, 65'536, 1, false},
      {"A[I]", {}, {128}, 256, 256, 1, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.array);
    const Mesh mesh(c.mesh);
    const ArrayLayout l = layout(parse_array(c.array, mesh.names()), kSizes, mesh);
    EXPECT_EQ(l.local_shape, c.local);
    EXPECT_EQ(l.bytes_per_chip.count(), c.bytes_per_chip);
    EXPECT_EQ(l.total_bytes.count(), c.total_bytes);
    EXPECT_EQ(l.copies, c.copies);
    EXPECT_EQ(l.padded, c.padded);
  }
}

TEST(Array, BitsOfEveryType) {
  const std::vector<std::pair<std::string, std::uint64_t>> bytes_of_1024{
      {"int4", 512}, {"int8", 1024}, {"fp8", 1024}, {"bf16", 2048}, {"fp16", 2048}, {"fp32", 4096}, {"fp64", 8192}};
  for (const auto& [type, bytes] : bytes_of_1024) {
    EXPECT_EQ(bytes_of(1024, *dtype_named(type)).count(), bytes) << type;
    EXPECT_EQ(name(*dtype_named(type)), type);
  }
  EXPECT_EQ(dtype_named("BFloat16"), DType::bf16);
  EXPECT_EQ(dtype_named("f31"), std::nullopt);
}

// Problem 1 of chapter 3: Y x Z chips hold each block of A[I_X, J, K, ...].
TEST(Array, CopiesNeedNoSizes) {
  const Mesh mesh({{"X", 4}, {"Y", 8}, {"Z", 2}});
  EXPECT_EQ(copies(parse_array("A[I_X, J, K, ...]", mesh.names()), mesh), 16u);
}

TEST(Array, IndexRangesFollowTheOrderOfAxes) {
  const Mesh mesh({{"X", 4}, {"Y", 2}});
  const auto ranges = [&](const std::string& text, std::uint32_t x, std::uint32_t y) {
    return index_ranges(parse_array(text, mesh.names()), {}, mesh, {x, y});
  };
  using R = std::vector<IndexRange>;
  EXPECT_EQ(ranges("A[16_XY, 6]", 1, 0), (R{{4, 6}, {0, 6}}));  // block 1 * 2 + 0
  EXPECT_EQ(ranges("A[16_YX, 6]", 1, 0), (R{{2, 4}, {0, 6}}));  // block 0 * 4 + 1
  EXPECT_EQ(ranges("A[16_YX, 6]", 0, 1), (R{{8, 10}, {0, 6}}));
  EXPECT_EQ(ranges("A[8_X, 2048_Y]", 3, 1), (R{{6, 8}, {1024, 2048}}));
  EXPECT_EQ(ranges("A[10_X]", 3, 0), (R{{9, 10}}));  // blocks of 3, the last cut short
  EXPECT_EQ(ranges("A[5_X]", 2, 0), (R{{4, 5}}));    // blocks of 2
  EXPECT_EQ(ranges("A[5_X]", 3, 0), (R{{5, 5}}));    // padding only
}

// Blocks of one copy are disjoint and cover the dimension, whatever the split.
TEST(Array, IndexRangesCoverTheArray) {
  const Mesh mesh({{"X", 3}, {"Y", 4}});
  for (std::uint64_t n = 1; n < 40; ++n) {
    std::vector<int> held(n, 0);
    const ArrayRef a = parse_array("A[" + std::to_string(n) + "_YX]", mesh.names());
    for (std::uint32_t x = 0; x < 3; ++x) {
      for (std::uint32_t y = 0; y < 4; ++y) {
        const IndexRange r = index_ranges(a, {}, mesh, {x, y}).front();
        for (std::uint64_t i = r.begin; i < r.end; ++i) ++held.at(i);
      }
    }
    EXPECT_EQ(std::count(held.begin(), held.end(), 1), static_cast<std::ptrdiff_t>(n)) << n;
  }
}

void expect_layout_error(const std::string& text, const std::string& says) {
  const Mesh mesh({{"X", 4}});
  try {
    layout(parse_array(text, mesh.names()), kSizes, mesh);
    ADD_FAILURE() << text;
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST(Array, BadArrays) {
  expect_layout_error("A[Q]", "dimension Q has no size; valid: B, D, E, F, I, J, or Q=1024 inline");
  expect_layout_error("A[I=64]", "dimension I has two sizes; got 64; valid: 128");
  expect_layout_error("A[I, ...]", "has no size; got ...");
  expect_layout_error("A[?]", "still to be found");
  expect_layout_error("A", "not defined yet");
  expect_layout_error("A[4294967296, 2147483648]", "too many elements or bytes; got A[4294967296, 2147483648]");
  expect_layout_error("fp64 A[4294967296, 536870912]",
                      "too many elements or bytes; got fp64 A[4294967296, 536870912]");
  expect_layout_error("int8 A[4294967296, 1073741824, 1_X]", "too many bytes on all chips");
}

TEST(Array, BadMeshes) {
  EXPECT_THROW(Mesh({{"X", 2}, {"X", 3}}), InputError);
  EXPECT_THROW(Mesh({{"X", 0}}), InputError);
  EXPECT_THROW(Mesh({{"X", 1u << 31}, {"Y", 1u << 31}, {"Z", 2}}), InputError);
  EXPECT_THROW(Mesh({{"X", 2}}).size("Y"), InputError);
}

TEST(Array, InlineSizesAreRemembered) {
  Sizes sizes;
  add_inline_sizes(parse("C[I, K] = A[I=8, J=4] * B[J, K=2]", AxisNames::any()), sizes);
  EXPECT_EQ(sizes, (Sizes{{"I", 8}, {"J", 4}, {"K", 2}}));
  try {
    add_inline_sizes(parse("A[I=8, J=5]", AxisNames::any()), sizes);
    ADD_FAILURE();
  } catch (const NotationError& e) {
    EXPECT_EQ(e.column(), 8);
  }
}

}  // namespace
}  // namespace hopsim

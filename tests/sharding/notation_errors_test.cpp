// Bad lines: the column (in characters, from 1), and what the message must name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sharding/notation.hpp"

namespace hopsim {
namespace {

struct Bad {
  std::string text;
  int column;
  std::string says;
};

void expect_error(const Bad& bad, const AxisNames& names) {
  SCOPED_TRACE(bad.text);
  try {
    const Statement s = parse(bad.text, names);
    ADD_FAILURE() << "read as " << print(s);
  } catch (const NotationError& e) {
    EXPECT_EQ(e.column(), bad.column) << e.what();
    EXPECT_NE(std::string(e.what()).find(bad.says), std::string::npos) << e.what();
  }
}

TEST(NotationErrors, NameTheColumnAndWhatWasExpected) {
  const std::vector<Bad> lines{
      {"", 1, "expected an array, such as A[I_X, J]; got the end of the line"},
      {"   ", 4, "expected an array"},
      {"A", 2, "expected [ and dimensions, or an operation; got the end of the line"},
      {"A[", 3, "expected a dimension; got the end of the line"},
      {"A[]", 3, "expected a dimension; got ']'"},
      {"A[I_X, J", 9, "expected , or ]; got the end of the line"},
      {"A[I_X J]", 7, "expected , or ]; got 'J'"},
      {"A[I_X,, J]", 7, "expected a dimension; got ','"},
      {"A[I_X, J_X]", 10, "axis X is used twice in one array"},
      {"A[I_{XYX}, J]", 8, "axis X is used twice in one array"},
      {"C[I_X, K]{U_X}", 13, "axis X is used twice in one array"},
      {"A[I_Q, J]", 5, "unknown axis; got Q; valid: X, Y, data"},
      {"A[I_XQ, J]", 6, "unknown axis; got Q; valid: X, Y, data"},
      {"A[I_{X,rows}, J]", 8, "unknown axis; got rows; valid: X, Y, data"},
      {"A[I_x, J]", 5, "unknown axis; got x"},
      {"A[I_data, J]", 5, "an axis name longer than a letter needs braces; got data; valid: _{data}"},
      {"A[F/TP]", 5, "unknown axis; got TP"},
      {"A[F/]", 5, "expected an axis after /; got ']'"},
      {"A[I_]", 5, "expected an axis; got ']'"},
      {"A[I_{X]", 7, "expected , or }; got ']'"},
      {"C[I, K]{V_X}", 9, "expected U_ and the axes of a partial sum; got 'V'"},
      {"C[I, K]{U}", 10, "expected _ and axes after U; got '}'"},
      {"C[I, K] = A[I, J] *", 20, "expected an array"},
      {"C[I, K] = A[I, J] * B[J, K] * D[K, L]", 29, "expected the end of the line; got '*'"},
      {"A[I, J] * B[J, K] * D[K, L]", 19, "expected the end of the line or ->; got '*'"},
      {"C[I, K] = A[I, J] * B[J, K] -> D[I, K]", 29, "expected the end of the line; got '->'"},
      {"A[I, J] * B[J, K] = C[I, K]", 19, "expected the end of the line or ->; got '='"},
      {"A[I, J] # B", 9, "got '#'"},
      {"A[I, J] B[J, K]", 9, "expected =, ->, a product sign or the end of the line; got 'B'"},
      {"AllGather(A[I_X])", 10, "expected _ and axes after AllGather; got '('"},
      {"AllGather_X A[I_X]", 13, "expected (; got 'A'"},
      {"AllGather_X(A[I_X]", 19, "expected ); got the end of the line"},
      {"AllGather_XX(A[I_X])", 12, "axis X is used twice in one collective"},
      {"AllGather_X,I(A[I_X])", 13, "unknown axis; got I"},
      {"ReduceScatter_Q,K(C[I])", 15, "unknown axis; got Q"},
      {"ReduceScatter_X,(C[I])", 17, "expected a dimension; got '('"},
      {"Reduce_X(A[I])", 1, "unknown function; got Reduce_X; valid: AllGather, ReduceScatter"},
      {"gelu(A[I], B[I])", 10, "expected ); got ','"},
      {"add(A[I])", 9, "expected ,; got ')'"},
      {"A[?, J] * B[J, K]", 3, "only an output can have its sharding found"},
      {"A[I, ?]", 6, "only an output can have its sharding found"},
      {"Y = XW₁", 8, "expected [ and dimensions, or an operation; got the end of the line"},
      {"A[I=0]", 5, "a size must be at least 1; got 0"},
      {"A[I=-4]", 5, "expected a size, a whole number; got '-'"},
      {"A[I=9223372036854775808]", 5, "a size is too large"},
      {"A[I=4294967296*4294967296]", 15, "a size is too large"},
      {"A[I=10/4]", 7, "a size must be a whole number"},
      {"A[128K]", 6, "expected , or ]; got 'K'"},
      {"A[1.5]", 4, "got '.'"},
      {"$A[I]", 1, "a $ is not paired"},
      {"A[I] \\oplus B[I]", 6, "unknown TeX command; got \\oplus"},
      {"A[Iₓ, Jₓ]", 8, "axis X is used twice in one array"},
      {"W₁[D] → 每", 9, "got '每'"},
      {"A[I] \xff", 6, "not UTF-8"},
      {"A[I] \xe2\x86", 6, "not UTF-8"},
      {"Σ X[i] * Y[i]", 3, "expected _ and the dimension to sum over"},
      {"A_[I]", 3, "expected a name after _; got '['"},
      {"int8", 5, "expected [ and dimensions"},
  };
  for (const Bad& bad : lines) expect_error(bad, AxisNames({"X", "Y", "data"}));
}

TEST(NotationErrors, WithoutAMesh) {
  const AxisNames any = AxisNames::any();
  expect_error({"A[I_X, J_X]", 10, "axis X is used twice"}, any);
  expect_error({"A[I_x, J]", 5, "unknown axis; got x; valid: capital letters, longer names in braces"}, any);
  expect_error({"A[I_data, J]", 5, "needs braces; got data; valid: _{data}"}, any);
  expect_error({"A[I_Xy, J]", 5, "needs braces; got Xy"}, any);
}

TEST(NotationErrors, LongInputsEndQuickly) {
  const AxisNames names({"X"});
  EXPECT_THROW(parse(std::string(100'000, 'A'), names), NotationError);
  EXPECT_THROW(parse("A[" + std::string(60'000, '('), names), NotationError);
  EXPECT_THROW(parse(std::string(60'000, '{'), names), NotationError);
  EXPECT_THROW(parse("A[I=" + std::string(60'000, '9') + "]", names), NotationError);
}

// Whatever is cut from a good line, or put into it, gives a value or a NotationError, with a column in the line.
TEST(NotationErrors, DamagedLinesNeverEscape) {
  const std::string line = "C[I, K_X]{U_Y} = ReduceScatter_{X,K}(bf16 C[I=128, K/data] \\{U_{X}\\}) → Σ_d";
  for (std::size_t at = 0; at <= line.size(); ++at) {
    for (const char* extra : {"", "_", "{", "}", "(", "[", ",", "=", "$", "\\", "?", "...", "9", "ₓ", "/"}) {
      for (std::size_t cut = 0; cut < 3 && at + cut <= line.size(); ++cut) {
        const std::string damaged = line.substr(0, at) + extra + line.substr(at + cut);
        try {
          parse(damaged, AxisNames({"X", "Y", "data"}));
        } catch (const NotationError& e) {
          EXPECT_GE(e.column(), 1);
          EXPECT_LE(e.column(), static_cast<int>(damaged.size()) + 1) << damaged;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hopsim

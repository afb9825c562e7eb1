// Random values, written and read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sharding/notation.hpp"

namespace hopsim {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Statement statement() {
    switch (below(5)) {
      case 0:
        return Declaration{array(false)};
      case 1:
        return Matmul{output(), operand(), operand(), contraction()};
      case 2:
        return collective();
      case 3:
        return elementwise();
      default:
        return Reshard{array(false), array(true)};
    }
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool sometimes() { return below(3) == 0; }
  template <class T>
  T one_of(std::vector<T> from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

  std::string array_name() {
    return one_of<std::string>({"A", "B", "X", "W_in", "W₁", "A'", "C_partial", "Mid2", "Θ"});
  }
  std::string dimension_name() { return one_of<std::string>({"I", "J", "K", "D", "F", "X", "batch"}); }

  // Takes axes that are still free in an array; a divisor is written without commas, so it is one axis.
  std::vector<std::string> some_axes(std::vector<std::string>& left, int most) {
    std::vector<std::string> taken;
    for (int n = below(most + 1); n > 0 && !left.empty(); --n) {
      const auto at = left.begin() + below(static_cast<int>(left.size()));
      taken.push_back(*at);
      left.erase(at);
    }
    return taken;
  }

  Dimension dimension(std::vector<std::string>& left, bool open) {
    Dimension d;
    if (below(12) == 0) return d.name = "...", d;
    if (open && sometimes()) {
      d.open = true;
      if (sometimes()) d.name = dimension_name();
      return d;
    }
    if (below(4) != 0) d.name = dimension_name();
    if (d.name.empty() || sometimes()) d.size = static_cast<std::uint64_t>(below(5000)) + 1;
    d.divided = sometimes();
    d.axes = some_axes(left, d.divided ? 1 : 3);
    if (d.axes.empty()) d.divided = false;
    return d;
  }

  ArrayRef array(bool open) {
    std::vector<std::string> left{"X", "Y", "Z", "data", "model", "XY"};
    ArrayRef a;
    if (sometimes()) a.dtype = static_cast<DType>(below(7));
    if (!a.dtype || sometimes()) a.name = array_name();
    for (int n = 1 + below(4); n > 0; --n) a.dimensions.push_back(dimension(left, open));
    a.unreduced = some_axes(left, 2);
    return a;
  }

  ArrayRef operand() {
    if (below(4) != 0) return array(false);
    ArrayRef a;
    a.name = array_name();
    a.bare = true;
    return a;
  }

  std::optional<ArrayRef> output() {
    if (sometimes()) return std::nullopt;
    return below(4) == 0 ? operand() : array(true);
  }

  std::vector<std::string> contraction() { return one_of<std::vector<std::string>>({{}, {}, {"J"}, {"J", "batch"}}); }

  Collective collective() {
    std::vector<std::string> left{"X", "Y", "Z", "data", "model", "XY"};
    Collective c;
    c.kind = static_cast<CollectiveKind>(below(5));
    c.axes = some_axes(left, 3);
    if (c.axes.empty() && c.kind != CollectiveKind::all_reduce) c.axes = {"X"};
    const bool splits = c.kind != CollectiveKind::all_gather && c.kind != CollectiveKind::all_reduce;
    if (splits && (c.axes.size() > 1 || !sometimes())) c.dimension = dimension_name();
    c.input = operand();
    c.output = output();
    return c;
  }

  Elementwise elementwise() {
    Elementwise e;
    e.function = one_of<std::string>({"gelu", "relu", "add", "mul"});
    e.inputs.push_back(operand());
    if (e.function == "add" || e.function == "mul") e.inputs.push_back(operand());
    e.output = output();
    return e;
  }

  std::mt19937 random_;
};

TEST(NotationRoundTrip, RandomStatements) {
  const AxisNames names({"X", "Y", "Z", "data", "model", "XY"});
  Generator generator(20250101);
  for (int i = 0; i < 5'000; ++i) {
    const Statement s = generator.statement();
    const std::string text = print(s);
    try {
      const Statement read = parse(text, names);
      ASSERT_EQ(read, s) << text << " was read as " << print(read);
    } catch (const NotationError& e) {
      FAIL() << text << ", column " << e.column() << ": " << e.what();
    }
  }
}

}  // namespace
}  // namespace hopsim

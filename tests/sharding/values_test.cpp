// Strategies written by hand: right ones pass, and each kind of mistake is found and said.
#include "sharding/values.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "collectives/proof.hpp"

namespace hopsim {
namespace {

using Lines = std::vector<std::string>;

// Steps from lines of notation, taken at their word: nothing is checked but the spelling.
class Book {
 public:
  Book(Mesh mesh, Sizes sizes) : mesh_(std::move(mesh)), sizes_(std::move(sizes)) {}

  const Mesh& mesh() const { return mesh_; }
  Product product(const std::string& line) const {
    return resolve_product(std::get<Matmul>(parse(line, mesh_.names())), {mesh_, sizes_, DType::bf16, arrays_});
  }
  ArrayRef array(const std::string& text) const { return with_sizes(parse_array(text, mesh_.names()), sizes_); }

  StrategyStep step(const std::string& text) const {
    const Statement s = parse(text, mesh_.names());
    if (const auto* m = std::get_if<Matmul>(&s)) {
      LocalProduct p;
      p.lhs = with_sizes(m->lhs, sizes_);
      p.rhs = with_sizes(m->rhs, sizes_);
      p.output = with_sizes(*m->output, sizes_);
      return p;
    }
    const auto& c = std::get<Collective>(s);
    ResolvedCollective r;
    r.kind = c.kind;
    r.axes = c.axes;
    r.group = mesh_.ways(c.axes);
    r.input = with_sizes(c.input, sizes_);
    r.output = with_sizes(*c.output, sizes_);
    return r;
  }

  Strategy strategy(const Lines& lines) const {
    Strategy s;
    s.name = "by hand";
    for (const std::string& text : lines) s.steps.push_back(step(text));
    const StrategyStep& last = s.steps.back();
    const auto* c = std::get_if<ResolvedCollective>(&last);
    s.output = c != nullptr ? c->output : std::get<LocalProduct>(last).output;
    return s;
  }

  // What the proof says; nothing if it holds.
  std::string verdict(const std::string& product_line, const Lines& lines) const {
    return caught([&] { prove_values(strategy(lines), product(product_line), mesh_); });
  }
  std::string resharding_verdict(const std::string& from, const Lines& lines) const {
    return caught([&] { prove_values(strategy(lines), array(from), mesh_); });
  }

  static std::string caught(const std::function<void()>& proof) {
    try {
      proof();
      return {};
    } catch (const ProofFailed& e) {
      return e.what();
    }
  }

 private:
  Mesh mesh_;
  Sizes sizes_;
  Arrays arrays_;
};

std::vector<Book> books() {  // even, uneven, with blocks of nothing but padding
  const std::vector<Mesh::Axis> axes{{"X", 2}, {"Y", 3}};
  return {Book(Mesh(axes), {{"B", 6}, {"I", 1200}, {"J", 600}, {"K", 6}}),
          Book(Mesh(axes), {{"B", 5}, {"I", 7}, {"J", 11}, {"K", 1000003}}),
          Book(Mesh(axes), {{"B", 1}, {"I", 1}, {"J", 4}, {"K", 2}})};
}

TEST(Values, TheBooksStrategiesHold) {
  const std::string gather = "A[I, J] = AllGather_X(A[I, J_X])", sums = "C[I, K]{U_X} = A[I, J_X] * B[J_X, K]";
  for (const Book& b : books()) {
    const auto holds = [&](const std::string& product, const Lines& lines) {
      SCOPED_TRACE(lines.back());
      EXPECT_EQ(b.verdict(product, lines), "");
    };
    holds("C[I_X, K_Y] = A[I_X, J] * B[J, K_Y]", {"C[I_X, K_Y] = A[I_X, J] * B[J, K_Y]"});
    holds("C[I, K] = A[I, J_X] * B[J, K]", {gather, "C[I, K] = A[I, J] * B[J, K]"});
    holds("C[I, K] = A[I, J_X] * B[J_X, K]", {sums, "C[I, K] = AllReduce_X(C[I, K]{U_X})"});
    holds("C[I, K_X] = A[I, J_X] * B[J_X, K]", {sums, "C[I, K_X] = ReduceScatter_X,K(C[I, K]{U_X})"});
    holds("C[I, K]{U_X} = A[I, J_X] * B[J_X, K]", {sums});
    holds("C[I, K] = A[I, J_X] * B[J, K]",
          {"B[J_X, K] = Slice_X,J(B[J, K])", sums, "C[I, K] = AllReduce_X(C[I, K]{U_X})"});
    holds("C[I_X, K] = A[I, J_X] * B[J, K]",
          {"A[I_X, J] = AllToAll_X,I(A[I, J_X])", "C[I_X, K] = A[I_X, J] * B[J, K]"});
    holds("C[I, K] = A[I_X, J_Y] * B[J, K]", {"A[I, J] = AllGather_XY(A[I_X, J_Y])", "C[I, K] = A[I, J] * B[J, K]"});
    holds("C[I, K_YX] = A[I, J] * B[J, K]",
          {"B[J, K_YX] = Slice_YX,K(B[J, K])", "C[I, K_YX] = A[I, J] * B[J, K_YX]"});
    holds("C[K, I_X] = A[J, I_X] * B[K, J]", {"C[K, I_X] = A[J, I_X] * B[K, J]"});
    holds("C[B_X, I, K] = A[B_X, I, J_Y] * W[J_Y, B_X, K]",
          {"C[B_X, I, K]{U_Y} = A[B_X, I, J_Y] * W[J_Y, B_X, K]", "C[B_X, I, K] = AllReduce_Y(C[B_X, I, K]{U_Y})"});
  }
}

TEST(Values, ReshardingsHold) {
  for (const Book& b : books()) {
    EXPECT_EQ(b.resharding_verdict("A[I_X, J]", {"A[I, J] = AllGather_X(A[I_X, J])"}), "");
    EXPECT_EQ(b.resharding_verdict("A[I, J]{U_XY}", {"A[I, J]{U_Y} = AllReduce_X(A[I, J]{U_YX})"}), "");
    EXPECT_EQ(b.resharding_verdict("A[I_YX, J]",
                                   {"A[I, J] = AllGather_YX(A[I_YX, J])", "A[I, J_XY] = Slice_XY,J(A[I, J])"}),
              "");
    EXPECT_EQ(b.resharding_verdict("bf16[70_X, 30]", {"bf16[70, 30_X] = AllToAll_X(bf16[70_X, 30])"}), "");
  }
}

// Padding sits in the middle of the array where blocks of a finer split do not line up with those of a coarser one:
// 7 over XY is blocks of 2 (of six: 2 2 2 1 0 0), over X alone blocks of 4.
TEST(Values, BlocksThatDoNotLineUpAreFound) {
  const Mesh mesh({{"X", 2}, {"Y", 3}});
  for (const auto& [size, right] : std::vector<std::pair<std::uint64_t, bool>>{
           {7, false}, {1003, false}, {12, true}, {11, true}, {5, true}, {1001, true}, {8, false}, {4, false}}) {
    SCOPED_TRACE(size);
    // Blocks line up where three of the finer are one of the coarser, or the size ends in the first block.
    const Book b(mesh, {{"I", size}, {"J", 3}});
    const bool gathered = b.resharding_verdict("A[I_XY, J]", {"A[I_X, J] = AllGather_Y(A[I_XY, J])"}).empty();
    const bool scattered =
        b.resharding_verdict("A[I_X, J]{U_Y}", {"A[I_XY, J] = ReduceScatter_Y,I(A[I_X, J]{U_Y})"}).empty();
    const bool sliced = b.resharding_verdict("A[I_X, J]", {"A[I_XY, J] = Slice_Y,I(A[I_X, J])"}).empty();
    EXPECT_EQ(gathered, right);
    EXPECT_EQ(scattered, right);
    EXPECT_EQ(sliced, right);
    EXPECT_EQ(b.resharding_verdict("A[I_XY, J]", {"A[I, J] = AllGather_XY(A[I_XY, J])"}), "");
  }
}

TEST(Values, MistakesAreFound) {
  const std::string question = "C[I, K] = A[I, J_X] * B[J_X, K]", reduce = "C[I, K] = AllReduce_X(C[I, K]{U_X})",
                    sums = "C[I, K]{U_X} = A[I, J_X] * B[J_X, K]";
  for (const Book& b : books()) {
    const auto fails = [&](const std::string& product, const Lines& lines, const std::string& what) {
      SCOPED_TRACE(lines.back());
      const std::string verdict = b.verdict(product, lines);
      EXPECT_NE(verdict.find(what), std::string::npos) << verdict;
    };
    // A reduction left out, over the wrong axis, of what is no partial sum, twice.
    fails(question, {"C[I, K] = A[I, J_X] * B[J_X, K]"}, "wrong element");
    fails(question, {"C[I, K]{U_Y} = A[I, J_X] * B[J_X, K]", "C[I, K] = AllReduce_Y(C[I, K]{U_Y})"}, "wrong element");
    fails("C[I, K] = A[I, J] * B[J, K]", {"C[I, K]{U_X} = A[I, J] * B[J, K]", reduce}, "wrong element");
    fails(question, {sums, reduce, "C[I, K]{U_X} = A[I, J_X] * B[J_X, K]", "C[I, K] = AllReduce_Y(C[I, K]{U_X})"},
          "does not do what it says");
    // A gather left out; an array nobody has.
    fails("C[I, K] = A[I_X, J] * B[J, K]", {"C[I, K] = A[I, J] * B[J, K]"}, "takes A[I, J], which no chip holds");
    // Collectives that do something else than they say.
    fails(question, {"A[I, J] = AllGather_Y(A[I, J_X])", "C[I, K] = A[I, J] * B[J_X, K]"},
          "does not do what it says");
    fails(question, {sums, "C[I, K] = AllGather_X(C[I, K]{U_X})"}, "does not do what it says");
    // Another output than asked for.
    fails(question, {sums}, "ends with C[I, K]{U_X}; asked for C[I, K]");
    fails(question, {sums, "C[I_X, K] = ReduceScatter_X,I(C[I, K]{U_X})"}, "ends with C[I_X, K]; asked for C[I, K]");
  }
}

TEST(Values, WrongBlocksAreFound) {
  const Book even(Mesh({{"X", 2}, {"Y", 3}}), {{"I", 6}, {"J", 6}, {"K", 6}});
  const auto fails = [&](const std::string& product, const Lines& lines, const std::string& what) {
    SCOPED_TRACE(lines.back());
    EXPECT_EQ(even.verdict(product, lines), "by hand: " + what);
  };
  // The slice is cut in the order YX, and taken for one in the order XY: chip (0, 1) holds row 2, not row 1.
  fails("C[I_XY, K] = A[I, J] * B[J, K]", {"A[I_XY, J] = Slice_YX,I(A[I, J])", "C[I_XY, K] = A[I_XY, J] * B[J, K]"},
        "step 2, C[I_XY, K] = A[I_XY, J] * B[J, K], leaves chip (0, 1) with a wrong element [1, 0] of C[I_XY, K] "
        "(sizes cut down to I=6, J=2, K=2)");
  fails("C[I, K] = A[I_XY, J] * B[J, K]", {"A[I, J] = AllGather_YX(A[I_XY, J])", "C[I, K] = A[I, J] * B[J, K]"},
        "step 2, C[I, K] = A[I, J] * B[J, K], leaves chip (0, 0) with a wrong element [1, 0] of C[I, K] "
        "(sizes cut down to I=6, J=2, K=2)");
  // Blocks of A and B along J that are as long, and not of the same elements.
  fails("C[I, K] = A[I, J_XY] * B[J_YX, K]",
        {"C[I, K]{U_XY} = A[I, J_XY] * B[J_YX, K]", "C[I, K] = AllReduce_XY(C[I, K]{U_XY})"},
        "step 2, C[I, K] = AllReduce_XY(C[I, K]{U_XY}), leaves chip (0, 0) with a wrong element [0, 0] of C[I, K] "
        "(sizes cut down to I=2, J=6, K=2)");
  fails("C[I, K] = A[I, J_X] * B[J, K]", {"C[I, K] = A[I, J_X] * B[J, K]"},
        "step 1, C[I, K] = A[I, J_X] * B[J, K], has blocks of different lengths along J");
  fails("C[I_X, K] = A[I_X, J] * B[J, K_X]", {"C[I_X, K] = A[I_X, J] * B[J, K_X]"},
        "step 1, C[I_X, K] = A[I_X, J] * B[J, K_X], has blocks of different lengths along K");
}

// Sizes do not count: a thousand times larger arrays, and the mesh of a pod.
TEST(Values, LargeArraysAndMeshes) {
  const Book pod(Mesh({{"X", 16}, {"Y", 20}, {"Z", 28}}), {{"I", 1 << 20}, {"J", (1 << 20) + 1}, {"K", 1 << 20}});
  EXPECT_EQ(pod.verdict("C[I_X, K_Z] = A[I_X, J_Y] * B[J_Y, K_Z]", {"C[I_X, K_Z]{U_Y} = A[I_X, J_Y] * B[J_Y, K_Z]",
                                                                    "C[I_X, K_Z] = AllReduce_Y(C[I_X, K_Z]{U_Y})"}),
            "");
  EXPECT_NE(pod.verdict("C[I_X, K_Z] = A[I_X, J_Y] * B[J_Y, K_Z]", {"C[I_X, K_Z] = A[I_X, J_Y] * B[J_Y, K_Z]"}), "");
}

}  // namespace
}  // namespace hopsim

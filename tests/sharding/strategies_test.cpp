// Random products and reshardings, and every strategy offered for them carried out on values: each must end with the
// output that was asked for, on every chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "collectives/proof.hpp"
#include "sharding/planner.hpp"
#include "sharding/values.hpp"

namespace hopsim {
namespace {

struct BytesAsTime : StepCosts {
  Time collective(const ResolvedCollective& c) const override { return Time::picoseconds(c.bytes.count()); }
  Time product(const LocalProduct& p) const override { return Time::picoseconds(p.bytes.count()); }
};

// A question, at random.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::uint64_t up_to(std::uint64_t n) { return random_() % n + 1; }
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  template <class T>
  void shuffle(std::vector<T>& v) {
    for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[random_() % i]);
  }

  Mesh mesh() {
    std::vector<Mesh::Axis> axes;
    for (const char* name : {"X", "Y", "Z"}) axes.emplace_back(name, up_to(4));
    axes.resize(up_to(3));
    return Mesh(axes);
  }

  ArrayRef array(const std::string& name, std::vector<std::string> dimensions, const Sizes& sizes) {
    ArrayRef a;
    a.name = name;
    shuffle(dimensions);
    for (const std::string& d : dimensions) {
      Dimension dimension;
      dimension.name = d;
      dimension.size = sizes.find(d)->second;
      a.dimensions.push_back(dimension);
    }
    return a;
  }

  // Every axis on one of the dimensions or none, in any order.
  void shard(ArrayRef& a, const Mesh& mesh) {
    std::vector<std::string> axes;
    for (const Mesh::Axis& axis : mesh.axes()) axes.push_back(axis.first);
    shuffle(axes);
    for (Dimension& d : a.dimensions) d.axes.clear();
    for (const std::string& axis : axes) {
      const std::uint64_t where = up_to(a.dimensions.size() + 1);
      const bool pending = std::find(a.unreduced.begin(), a.unreduced.end(), axis) != a.unreduced.end();
      if (where <= a.dimensions.size() && !pending) a.dimensions[where - 1].axes.push_back(axis);
    }
  }

  Matmul matmul(const Mesh& mesh) {
    Sizes sizes;
    for (const char* d : {"B", "I", "J", "K", "L"}) sizes.emplace(d, up_to(13));
    std::vector<std::string> lhs{"I", "J"}, rhs{"J", "K"}, out{"I", "K"};
    if (one_in(5)) rhs.pop_back(), out.pop_back();
    const bool batch = one_in(5);
    for (auto* names : {&lhs, &rhs, &out})
      if (batch) names->push_back("B");
    const bool second = !batch && one_in(5);
    for (auto* names : {&lhs, &rhs})
      if (second) names->push_back("L");
    Matmul m;
    m.lhs = array("A", lhs, sizes);
    m.rhs = array("W", rhs, sizes);
    ArrayRef output = array("C", out, sizes);
    if (one_in(6)) output.unreduced = {"X"};
    for (ArrayRef* a : {&m.lhs, &m.rhs, &output}) shard(*a, mesh);
    for (Dimension& d : output.dimensions)
      if (one_in(5)) d.open = true, d.axes.clear();
    if (batch || !one_in(4)) m.output = output;
    return m;
  }

 private:
  std::mt19937_64 random_;
};

std::string mesh_text(const Mesh& mesh) {
  std::string text;
  for (const auto& [axis, size] : mesh.axes()) text += axis + "=" + std::to_string(size) + " ";
  return text;
}

// REQUIRES: the strategies are for a question whose text is `question`.
template <class Of>
void expect_proven(const Strategy& s, const Of& of, const Mesh& mesh, const std::string& question) {
  try {
    prove_values(s, of, mesh, 7);
  } catch (const ProofFailed& e) {
    ADD_FAILURE() << question << " on " << mesh_text(mesh) << "\n" << lines_of(s) << e.what();
  }
}

bool same_sharding(const ArrayRef& a, const ArrayRef& b) {
  return std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
                    [](auto& x, auto& y) { return x.open || y.open || x.axes == y.axes; }) &&
         std::set(a.unreduced.begin(), a.unreduced.end()) == std::set(b.unreduced.begin(), b.unreduced.end());
}

void expect_offers(const Strategies& s, const ArrayRef& wanted, const std::string& question) {
  std::set<std::string> different;
  bool answered = false;
  for (const Strategy& x : s.list) {
    EXPECT_EQ(same_sharding(x.output, wanted), x.as_asked) << question << "\n" << lines_of(x);
    EXPECT_TRUE(different.insert(lines_of(x)).second) << question << "\n" << lines_of(x);
    answered = answered || x.as_asked;
  }
  EXPECT_TRUE(answered) << question;
}

TEST(EveryStrategy, GivesTheProduct) {
  Dice dice(20250101);
  std::size_t proven = 0;
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
    const Mesh mesh = dice.mesh();
    const Matmul m = dice.matmul(mesh);
    const Product p = resolve_product(m, {mesh, {}, DType::bf16, {}});
    const Strategies offered = product_strategies(p, mesh, BytesAsTime());
    expect_offers(offered, p.output, print(Statement(m)));
    for (const Strategy& s : offered.list) expect_proven(s, p, mesh, print(Statement(m)));
    proven += offered.list.size();
  }
  EXPECT_GT(proven, 3000u);
}

TEST(EveryStrategy, GivesTheProductOfAnyLayout) {
  Dice dice(20250102);
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    const Mesh mesh = dice.mesh();
    const Matmul m = dice.matmul(mesh);
    Product p = resolve_product(m, {mesh, {}, DType::bf16, {}});
    const Strategies offered = layout_strategies(p, mesh, BytesAsTime());
    expect_offers(offered, p.output, print(Statement(m)));
    for (const Strategy& s : offered.list) {
      const auto& product = std::get<LocalProduct>(s.steps.front());  // its operands are as they are multiplied
      p.lhs = product.lhs;
      p.rhs = product.rhs;
      expect_proven(s, p, mesh, print(Statement(m)));
    }
  }
}

TEST(EveryStrategy, GivesTheResharding) {
  Dice dice(20250103);
  for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
    const Mesh mesh = dice.mesh();
    ArrayRef from = dice.array("A", {"I", "J"}, {{"I", dice.up_to(13)}, {"J", dice.up_to(13)}});
    from.dtype = DType::bf16;
    if (dice.one_in(3)) from.unreduced = {mesh.axes().back().first};
    dice.shard(from, mesh);
    ArrayRef to = from;
    if (dice.one_in(2)) to.unreduced.clear();
    dice.shard(to, mesh);
    const std::string question = print(Statement(Reshard{from, to}));
    const Strategies offered = resharding_strategies(from, to, mesh, BytesAsTime());
    expect_offers(offered, to, question);
    for (const Strategy& s : offered.list) expect_proven(s, from, mesh, question);
  }
}

}  // namespace
}  // namespace hopsim

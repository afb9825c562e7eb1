#include "sharding/values.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "collectives/proof.hpp"
#include "sharding/value_steps.hpp"

namespace hopsim {
namespace {

using Axes = std::vector<std::string>;

std::set<std::string> set_of(const Axes& axes) { return {axes.begin(), axes.end()}; }

// The array and its sharding, however they are spelled.
std::string identity_text(ArrayRef a) {
  std::sort(a.unreduced.begin(), a.unreduced.end());
  for (Dimension& d : a.dimensions) d.divided = false;
  return sharding_text(a);
}

struct Held {
  std::vector<BlockId> blocks;  // by chip
  std::size_t step = 0;         // that made it, from 1; 0 for what was there
};

class Interpreter {
 public:
  using Truth = std::function<std::uint64_t(const Lengths& at)>;

  Interpreter(const Strategy& s, const std::vector<ArrayRef>& given, const Mesh& mesh, std::uint64_t seed)
      : strategy_(s), cut_(mesh), blocks_(mesh, seed) {
    for (const ArrayRef& a : given) cut_.add(a);
    for (const StrategyStep& step : s.steps) for_each_array(step, [&](const ArrayRef& a) { cut_.add(a); });
    cut_.add(s.output);
  }

  const CutSizes& cut() const { return cut_; }

  // Element number `index` of an array as it is given; for partial sums, of the summand number `part`.
  std::uint64_t value(std::uint64_t array, std::uint64_t index, std::uint64_t part = 0) const {
    return blocks_.random(blocks_.random(array, part), index);
  }

  void place(const ArrayRef& a, std::uint64_t array) {
    const BlockShape shape = cut_.shape(a);
    std::map<std::pair<Lengths, std::uint64_t>, BlockId> made;
    Held held;
    for (std::uint64_t chip = 0; chip < chips(); ++chip) {
      const std::uint64_t part = blocks_.position(chip, a.unreduced);
      const auto [known, added] = made.try_emplace({numbers(a, chip), part}, BlockId{});
      if (added) known->second = blocks_.add(part_of(shape, known->first.first, array, part));
      held.blocks.push_back(known->second);
    }
    held_[identity_text(a)] = std::move(held);
  }

  void run(const Product* product) {
    for (step_ = 1; step_ <= strategy_.steps.size(); ++step_) {
      const StrategyStep& step = strategy_.steps[step_ - 1];
      if (const auto* c = std::get_if<ResolvedCollective>(&step)) {
        collective(*c);
      } else if (product != nullptr) {
        multiply(std::get<LocalProduct>(step), *product);
      } else {
        fail("multiplies, where an array is to be resharded");
      }
    }
  }

  // That every chip's block of the strategy's output, partial sums added up, is that of the truth.
  void check(const Truth& truth) {
    const ArrayRef& out = strategy_.output;
    const auto found = held_.find(identity_text(out));
    if (found == held_.end()) throw ProofFailed(strategy_.name + ": no step makes " + sharding_text(out));
    step_ = found->second.step;
    const BlockShape shape = cut_.shape(out);
    const std::vector<BlockId> sums = blocks_.sums(found->second.blocks, out.unreduced);
    std::set<std::pair<BlockId, Lengths>> checked;
    for (std::uint64_t chip = 0; chip < chips(); ++chip) {
      const Lengths at = numbers(out, chip);
      if (checked.emplace(sums[chip], at).second) check_block(chip, blocks_[sums[chip]], shape, at, truth);
    }
  }

  std::string step_text() const {
    if (step_ == 0) return strategy_.name + ": before the first step, it";
    return strategy_.name + ": step " + std::to_string(step_) + ", " + line(strategy_.steps[step_ - 1]) + ",";
  }
  [[noreturn]] void fail(const std::string& what) const { throw ProofFailed(step_text() + " " + what); }

 private:
  std::uint64_t chips() const { return blocks_.mesh().chips(); }

  // Which block of each dimension the chip's is.
  Lengths numbers(const ArrayRef& a, std::uint64_t chip) const {
    Lengths numbers;
    for (const Dimension& d : a.dimensions) numbers.push_back(blocks_.position(chip, d.axes));
    return numbers;
  }

  // Nothing for padding.
  static std::optional<Lengths> global(const BlockShape& shape, const Lengths& block, const Lengths& local) {
    Lengths at;
    for (std::size_t d = 0; d < local.size(); ++d) {
      at.push_back(block[d] * shape.local[d] + local[d]);
      if (at.back() >= shape.global[d]) return std::nullopt;
    }
    return at;
  }

  Block part_of(const BlockShape& shape, const Lengths& number, std::uint64_t array, std::uint64_t part) {
    Block block;
    Odometer count(shape.local);
    do {
      const std::optional<Lengths> at = global(shape, number, count.at());
      std::uint64_t index = 0;
      for (std::size_t d = 0; at && d < at->size(); ++d) index = index * shape.global[d] + (*at)[d];
      block.push_back(at ? value(array, index, part) : blocks_.garbage());
    } while (count.next());
    return block;
  }

  const Held& held(const ArrayRef& a) const {
    const auto found = held_.find(identity_text(a));
    if (found == held_.end()) fail("takes " + sharding_text(a) + ", which no chip holds");
    return found->second;
  }

  // ---- Collectives

  void collective(const ResolvedCollective& c) {
    const std::vector<BlockId>& before = held(c.input).blocks;
    if (c.input.dimensions.size() != c.output.dimensions.size()) fail("changes the number of dimensions");
    auto now = collected(blocks_, before, c, cut_.shape(c.input), cut_.shape(c.output));
    if (!now) fail("does not do what it says to " + sharding_text(c.input));
    held_[identity_text(c.output)] = {std::move(*now), step_};
  }

  // ---- Products

  void multiply(const LocalProduct& l, const Product& p) {
    const BlockShape a = cut_.shape(l.lhs), b = cut_.shape(l.rhs), out = cut_.shape(l.output);
    for (const ProductDimension& d : p.dimensions) {
      std::set<std::uint64_t> lengths;
      const auto look = [&](const ArrayRef& array, const BlockShape& shape, bool here) {
        const std::optional<std::size_t> at = position_of(d.name, array);
        if (at.has_value() != here) fail("multiplies arrays of other dimensions than the product's");
        if (at) lengths.insert(shape.local[*at]);
      };
      look(l.lhs, a, d.role != Role::rhs);
      look(l.rhs, b, d.role != Role::lhs);
      look(l.output, out, d.role != Role::contracted);
      if (lengths.size() != 1) fail("has blocks of different lengths along " + d.name);
    }
    const std::vector<BlockId> lhs = masked(l.lhs, a, p), rhs = masked(l.rhs, b, p);
    const Contraction contraction(p, l.lhs, a.local, l.rhs, b.local, l.output);
    std::map<std::pair<BlockId, BlockId>, BlockId> made;
    Held result{{}, step_};
    for (std::uint64_t chip = 0; chip < chips(); ++chip) {
      const auto [known, added] = made.try_emplace({lhs[chip], rhs[chip]}, BlockId{});
      if (added)
        known->second = blocks_.add(multiplied(blocks_[lhs[chip]], blocks_[rhs[chip]], out.local, contraction));
      result.blocks.push_back(known->second);
    }
    held_[identity_text(l.output)] = std::move(result);
  }

  // An operand with zeros in the padding of contracted dimensions, as XLA masks it.
  std::vector<BlockId> masked(const ArrayRef& a, const BlockShape& shape, const Product& p) {
    std::vector<BlockId> result = held(a).blocks;
    std::map<std::pair<BlockId, Lengths>, BlockId> made;
    for (std::uint64_t chip = 0; chip < chips(); ++chip) {
      const auto [known, added] = made.try_emplace({result[chip], numbers(a, chip)}, BlockId{});
      if (added) known->second = masked_block(a, shape, p, known->first);
      result[chip] = known->second;
    }
    return result;
  }

  BlockId masked_block(const ArrayRef& a, const BlockShape& shape, const Product& p,
                       const std::pair<BlockId, Lengths>& which) {
    Block block = blocks_[which.first];
    bool changed = false;
    std::size_t index = 0;
    Odometer count(shape.local);
    do {
      for (std::size_t d = 0; d < shape.local.size(); ++d) {
        if (p.dimension(a.dimensions[d].name).role != Role::contracted) continue;
        if (which.second[d] * shape.local[d] + count.at()[d] < shape.global[d]) continue;
        block[index] = 0;
        changed = true;
      }
      ++index;
    } while (count.next());
    return changed ? blocks_.add(std::move(block)) : which.first;
  }

  // ---- The end

  void check_block(std::uint64_t chip, const Block& block, const BlockShape& shape, const Lengths& number,
                   const Truth& truth) const {
    std::size_t index = 0;
    Odometer count(shape.local);
    do {
      const std::optional<Lengths> at = global(shape, number, count.at());
      if (at && block[index] != truth(*at)) {
        Lengths where;
        for (std::uint32_t x : blocks_.coordinates(chip)) where.push_back(x);
        std::string coordinates = shape_text(where);
        coordinates.front() = '(';
        coordinates.back() = ')';
        fail("leaves chip " + coordinates + " with a wrong element " + shape_text(*at) + " of " +
             sharding_text(strategy_.output) + " (sizes cut down to " + cut_.text() + ")");
      }
      ++index;
    } while (count.next());
  }

  const Strategy& strategy_;
  CutSizes cut_;
  Blocks blocks_;
  std::map<std::string, Held> held_;  // by sharding
  std::size_t step_ = 0;              // at work, from 1
};

// One value for equal arrays: a product of an array with itself has one operand.
std::uint64_t identity(const ArrayRef& a) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  const auto mix = [&](const std::string& text) {
    for (unsigned char c : text + "|") hash = (hash ^ c) * 1099511628211u;
  };
  mix(a.name);
  for (const Dimension& d : a.dimensions) mix(d.name);
  return hash;
}

// The output's dimensions must be the product's, and shardings that are asked for be given.
void check_promise(const Strategy& s, const Product& p) {
  const auto fail = [&] {
    throw ProofFailed(s.name + ": ends with " + sharding_text(s.output) + "; asked for " + sharding_text(p.output));
  };
  if (s.output.dimensions.size() != p.output.dimensions.size()) fail();
  for (std::size_t i = 0; i < s.output.dimensions.size(); ++i) {
    const Dimension &given = s.output.dimensions[i], &asked = p.output.dimensions[i];
    if (given.name != asked.name || given.open) fail();
    if (s.as_asked && !asked.open && given.axes != asked.axes) fail();
  }
  if (s.as_asked && set_of(s.output.unreduced) != set_of(p.output.unreduced)) fail();
}

}  // namespace

void prove_values(const Strategy& s, const Product& p, const Mesh& mesh, std::uint64_t seed) {
  check_promise(s, p);
  Interpreter chips(s, {p.lhs, p.rhs}, mesh, seed);
  const std::uint64_t lhs = identity(p.lhs), rhs = identity(p.rhs);
  chips.place(p.lhs, lhs);
  chips.place(p.rhs, rhs);
  chips.run(&p);
  const Contraction whole(p, p.lhs, chips.cut().shape(p.lhs).global, p.rhs, chips.cut().shape(p.rhs).global,
                          s.output);
  chips.check([&](const Lengths& at) {
    const std::uint64_t a = whole.first_lhs(at), b = whole.first_rhs(at);
    std::uint64_t sum = 0;
    for (const auto& [i, j] : whole.sum()) sum += chips.value(lhs, a + i) * chips.value(rhs, b + j);
    return sum;
  });
}

void prove_values(const Strategy& s, const ArrayRef& from, const Mesh& mesh, std::uint64_t seed) {
  Strategy resharding = s;
  resharding.output = from;  // it may be called otherwise at the end, and its dimensions too
  resharding.output.unreduced = s.output.unreduced;
  for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
    resharding.output.dimensions[d].axes = s.output.dimensions.at(d).axes;
  }
  Interpreter chips(resharding, {from}, mesh, seed);
  const std::uint64_t array = identity(from);
  chips.place(from, array);
  chips.run(nullptr);
  const Lengths shape = chips.cut().shape(from).global;
  chips.check([&](const Lengths& at) {
    std::uint64_t index = 0, sum = 0;
    for (std::size_t d = 0; d < at.size(); ++d) index = index * shape[d] + at[d];
    for (std::uint64_t part = 0; part < mesh.ways(from.unreduced); ++part) sum += chips.value(array, index, part);
    return sum;
  });
}

}  // namespace hopsim

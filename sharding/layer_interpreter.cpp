#include "sharding/layer_interpreter.hpp"

#include <algorithm>

#include "collectives/proof.hpp"

namespace hopsim {
namespace {

std::uint64_t offset(const Lengths& at, const Lengths& shape) {
  std::uint64_t index = 0;
  for (std::size_t d = 0; d < at.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

// Calls back with (index in the whole array, index in the chip's block).
template <class Visit>
void for_each_element(const ArrayRef& a, const BlockShape& shape, const Blocks& blocks, std::uint64_t chip,
                      const Visit& visit) {
  Lengths first;
  for (std::size_t d = 0; d < a.dimensions.size(); ++d)
    first.push_back(blocks.position(chip, a.dimensions[d].axes) * shape.local[d]);
  std::uint64_t index = 0;
  Odometer count(shape.local);
  do {
    Lengths at = count.at();
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += first[d];
    visit(offset(at, shape.global), index++);
  } while (count.next());
}

}  // namespace

void LayerInterpreter::place(std::uint32_t layer, const ArrayRef& a, const Block& values) {
  Held h{{}, -1, {}, layer, a.name};
  const BlockShape s = shape(a);
  for (std::uint64_t chip = 0; chip < blocks_.mesh().chips(); ++chip) {
    Block block;
    for_each_element(a, s, blocks_, chip, [&](auto global, auto) { block.push_back(values[global]); });
    h.blocks.push_back(blocks_.add(std::move(block)));
  }
  held_[array_key(layer, a)] = std::move(h);
}

void LayerInterpreter::settle() {
  for (auto& [key, h] : held_) h.step = -1;
}

void LayerInterpreter::forget(std::uint32_t layer,
                              const std::function<bool(const std::string&, const std::string&)>& which) {
  std::erase_if(held_, [&](const auto& h) { return h.second.layer == layer && which(h.second.name, h.first); });
}

Block LayerInterpreter::whole(std::uint32_t layer, const ArrayRef& a) const {
  const Held* h = find_array(held_, layer, a);
  if (h == nullptr) throw ProofFailed("no step of the layer makes " + sharding_text(a));
  const BlockShape s = shape(a);
  Block values(element_count(s.global), 0);
  std::vector<bool> known(values.size(), false);
  for (std::uint64_t chip = 0; chip < h->blocks.size(); ++chip) {
    const Block& block = blocks_[h->blocks[chip]];
    for_each_element(a, s, blocks_, chip, [&](auto global, auto local) {
      if (known[global] && values[global] != block[local])
        fail(layer, a, "leaves chips with different copies of " + sharding_text(a));
      known[global] = true;
      values[global] = block[local];
    });
  }
  return values;
}

void LayerInterpreter::fail(std::uint32_t layer, const ArrayRef& a, const std::string& what) const {
  const Held* h = find_array(held_, layer, a);
  throw ProofFailed((h == nullptr || h->text.empty() ? sharding_text(a) : h->text) + " " + what);
}

// ---- Steps

void LayerInterpreter::run(const std::vector<LayerStep>& steps, LayerPass pass,
                           const std::function<void(const LayerStep&)>& before) {
  before_.resize(steps.size());
  behind_.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].pass != pass) continue;
    at_ = static_cast<int>(i);
    order(steps[i]);
    if (before) before(steps[i]);
    std::visit([&](const auto& w) { work(steps[i], w); }, steps[i].work);
  }
}

void LayerInterpreter::order(const LayerStep& s) {
  const auto i = static_cast<std::size_t>(at_);
  before_[i].assign(i, false);
  behind_[i] = s.behind;
  for (const std::uint32_t a : s.after) {
    if (a >= i) fail(s, "waits for a step that does not come before it");
    if (behind_[a] && !s.behind) fail(s, "waits for what is to happen behind the backward pass");
    before_[i][a] = true;
    for (std::size_t j = 0; j < before_[a].size(); ++j)
      if (before_[a][j]) before_[i][j] = true;
  }
}

const LayerInterpreter::Held& LayerInterpreter::held(const LayerStep& s, const ArrayRef& a) const {
  const Held* h = find_array(held_, s.layer, a);
  if (h == nullptr) fail(s, "takes " + sharding_text(a) + ", which no chip holds");
  if (h->step >= 0 && !before_[static_cast<std::size_t>(at_)].at(static_cast<std::size_t>(h->step)))
    fail(s, "does not wait for " + h->text + ", of which it takes " + sharding_text(a));
  return *h;
}

void LayerInterpreter::hold(const LayerStep& s, const ArrayRef& a, std::vector<BlockId> blocks) {
  held_[array_key(s.layer, a)] = {std::move(blocks), at_, text(s), s.layer, a.name};
}

void LayerInterpreter::work(const LayerStep& s, const ResolvedCollective& c) {
  if (c.input.dimensions.size() != c.output.dimensions.size()) fail(s, "changes the number of dimensions");
  auto now = collected(blocks_, held(s, c.input).blocks, c, shape(c.input), shape(c.output));
  if (!now) fail(s, "does not do what it says to " + sharding_text(c.input));
  hold(s, c.output, std::move(*now));
}

void LayerInterpreter::work(const LayerStep& s, const LayerElementwise& e) {
  using enum LayerElementwise::Function;
  const bool two = e.function == add || e.function == derivative;
  if (e.inputs.size() < (two ? 2 : 1)) fail(s, "has too few inputs");
  std::vector<std::vector<BlockId>> inputs;
  for (const ArrayRef& a : e.inputs) {
    if (shape(a).local != shape(e.output).local) fail(s, "takes blocks of different shapes");
    inputs.push_back(held(s, a).blocks);
  }
  std::vector<BlockId> result;
  for (std::size_t chip = 0; chip < inputs[0].size(); ++chip) {
    Block out = blocks_[inputs[0][chip]];
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t other = two ? blocks_[inputs[1][chip]][i] : 0;
      if (e.function == add) out[i] += other;
      if (e.function == nonlinearity) out[i] *= out[i];
      if (e.function == derivative) out[i] *= 2 * other;
    }
    result.push_back(blocks_.add(std::move(out)));
  }
  hold(s, e.output, std::move(result));
}

void LayerInterpreter::work(const LayerStep& s, const LocalProduct& p) {
  const std::vector<BlockId>&lhs = held(s, p.lhs).blocks, &rhs = held(s, p.rhs).blocks;
  const BlockShape out = shape(p.output);
  const Contraction contraction(meeting(s, p), p.lhs, shape(p.lhs).local, p.rhs, shape(p.rhs).local, p.output);
  std::map<std::pair<BlockId, BlockId>, BlockId> made;
  std::vector<BlockId> result;
  for (std::size_t chip = 0; chip < lhs.size(); ++chip) {
    const auto [known, added] = made.try_emplace({lhs[chip], rhs[chip]}, BlockId{});
    if (added)
      known->second = blocks_.add(multiplied(blocks_[lhs[chip]], blocks_[rhs[chip]], out.local, contraction));
    result.push_back(known->second);
  }
  for (std::size_t chip = 0; s.adds && chip < result.size(); ++chip) {
    Block total = blocks_[result[chip]];
    const Block& there = blocks_[held(s, p.output).blocks[chip]];
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += there[i];
    result[chip] = blocks_.add(std::move(total));
  }
  hold(s, p.output, std::move(result));
}

// What the product's dimensions are for; their blocks must fit together.
Product LayerInterpreter::meeting(const LayerStep& s, const LocalProduct& p) const {
  Product product;
  std::map<std::string, std::uint64_t> lengths;
  for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output}) {
    const BlockShape blocks = shape(*a);
    for (std::size_t d = 0; d < a->dimensions.size(); ++d) {
      const std::string& name = a->dimensions[d].name;
      const auto [known, added] = lengths.emplace(name, blocks.local[d]);
      if (known->second != blocks.local[d]) fail(s, "has blocks of different lengths along " + name);
      if (added && a == &p.output) fail(s, "makes a dimension that no operand has: " + name);
      const bool kept = position_of(name, p.output).has_value();
      if (added) product.dimensions.push_back({name, blocks.global[d], kept ? Role::batch : Role::contracted});
    }
  }
  return product;
}

BlockShape LayerInterpreter::shape(const ArrayRef& a) const {
  BlockShape s;
  for (const Dimension& d : a.dimensions) {
    s.global.push_back(*d.size);
    s.local.push_back(block_length(*d.size, blocks_.mesh().ways(d.axes)));
  }
  return s;
}

std::string LayerInterpreter::text(const LayerStep& s) const {
  return "step " + std::to_string(at_ + 1) + " of the layer, " + line(s) + ",";
}

void LayerInterpreter::fail(const LayerStep& s, const std::string& what) const {
  throw ProofFailed(text(s) + " " + what);
}

}  // namespace hopsim

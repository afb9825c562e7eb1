#include "sharding/layer_values.hpp"

#include <algorithm>
#include <map>

#include "collectives/proof.hpp"
#include "sharding/layer_interpreter.hpp"
#include "sharding/layer_reference.hpp"

namespace hopsim {
namespace {

// What the layer does is alike on every axis longer than this (or than two chips, where several axes make a group).
constexpr std::uint32_t kLongestAxis = 4;

Mesh cut_mesh(const LayerSpec& s, const Mesh& mesh) {
  std::vector<Mesh::Axis> axes = mesh.axes();
  for (auto& [name, size] : axes) {
    const auto alone = [&name = name](const std::vector<std::string>& group) {
      return group.size() == 1 && group.front() == name;
    };
    size = std::min<std::uint32_t>(size, alone(s.tensor) || alone(s.data) ? kLongestAxis : 2);
  }
  return Mesh(std::move(axes));
}

// A few elements a chip; dimensions that are not split have different lengths.
LayerSpec cut_spec(LayerSpec s, const Mesh& mesh) {
  const std::uint64_t tensor = mesh.ways(s.tensor), data = mesh.ways(s.data);
  s.batch = data * std::min<std::uint64_t>(s.batch / data, 2);
  s.sequence = s.sequence_parallel ? 2 * tensor : 3;
  s.d_ff = 2 * tensor;
  s.d_model = 5;
  if (s.heads != 0 && s.kv_heads != 0) {
    const std::uint64_t queries = s.heads > s.kv_heads ? 2 : 1;
    s.kv_heads = tensor * (s.kv_heads > tensor ? 2 : 1);
    s.heads = queries * s.kv_heads;
    s.d_model = 2 * s.heads;
  }
  return s;
}

Sizes sizes_of(const LayerSpec& s) {
  Sizes sizes{{"b", s.batch}, {"s", s.sequence}, {"t", s.sequence}, {"m", s.d_model}, {"f", s.d_ff}};
  if (s.heads == 0 || s.kv_heads == 0) return sizes;
  sizes["g"] = s.kv_heads;
  sizes["r"] = s.heads / s.kv_heads;
  sizes["k"] = s.d_model / s.heads;
  return sizes;
}

void resize(ArrayRef& a, const Sizes& sizes) {
  for (Dimension& d : a.dimensions) {
    const auto size = sizes.find(d.name);
    if (size == sizes.end()) throw ProofFailed("the layer has no dimension " + d.name + ", of " + sharding_text(a));
    d.size = size->second;
  }
}

void resize(std::vector<ArrayRef>& arrays, const Sizes& sizes) {
  for (ArrayRef& a : arrays) resize(a, sizes);
}

void resize(LayerStep& step, const Sizes& sizes) {
  if (auto* p = std::get_if<LocalProduct>(&step.work)) {
    for (ArrayRef* a : {&p->lhs, &p->rhs, &p->output}) resize(*a, sizes);
  } else if (auto* c = std::get_if<ResolvedCollective>(&step.work)) {
    for (ArrayRef* a : {&c->input, &c->output}) resize(*a, sizes);
  } else {
    auto& e = std::get<LayerElementwise>(step.work);
    resize(e.inputs, sizes);
    resize(e.output, sizes);
  }
}

Layer resized(Layer layer, const LayerSpec& spec) {
  const Sizes sizes = sizes_of(spec);
  layer.spec = spec;
  for (auto* arrays : {&layer.inputs, &layer.outputs, &layer.weights, &layer.gradients}) resize(*arrays, sizes);
  for (LayerStep& step : layer.steps) resize(step, sizes);
  return layer;
}

class Proof {
 public:
  Proof(const Layer& layer, const Mesh& mesh, std::uint64_t seed)
      : mesh_(cut_mesh(layer.spec, mesh)),
        layer_(resized(layer, cut_spec(layer.spec, mesh_))),
        spec_(layer_.spec),
        random_(mesh_, seed),
        chips_(mesh_, seed) {}

  void run() {
    place();
    if (spec_.pass != LayerPass::backward) {
      chips_.run(layer_.steps, LayerPass::forward);
      check_output();
    } else {
      LayerSpec both = spec_;
      both.pass = LayerPass::both;
      chips_.run(build_layer(both, mesh_).steps, LayerPass::forward);
      chips_.settle();
    }
    if (spec_.pass == LayerPass::forward) return;
    std::uint32_t layers = last() + 1;
    chips_.run(layer_.steps, LayerPass::backward, [&](const LayerStep& step) {
      if (step.layer < layers) forget_unkept(layers = step.layer);
    });
    check_gradients();
  }

 private:
  std::uint32_t last() const { return static_cast<std::uint32_t>(spec_.layers - 1); }

  // One number for each array that is given, and for each direction.
  Block values(const std::string& what, const ArrayRef& a) const {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const unsigned char c : what) hash = (hash ^ c) * 1099511628211u;
    Lengths shape;
    for (const Dimension& d : a.dimensions) shape.push_back(*d.size);
    Block block(element_count(shape));
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = random_.random(hash, i);
    return block;
  }
  static std::string name(std::uint32_t layer, const ArrayRef& a) { return std::to_string(layer) + a.name; }

  void place() {
    chips_.place(0, layer_.inputs.front(), values("X", layer_.inputs.front()));
    if (spec_.pass != LayerPass::forward) chips_.place(last(), layer_.inputs.at(1), values("dY", layer_.inputs[1]));
    for (std::uint32_t l = 0; l <= last(); ++l)
      for (const ArrayRef& w : layer_.weights) chips_.place(l, w, values(name(l, w), w));
  }

  // What the backward pass is to compute again is not there.
  void forget_unkept(std::uint32_t layer) {
    const std::string input = array_key(0, layer_.inputs.front());
    chips_.forget(layer, [&](const std::string& array, const std::string& key) {
      if (array[0] == 'W' || array[0] == 'd' || key == input) return false;
      if (spec_.recompute == Recompute::full) return true;
      return array == "S" || (array == "P" && spec_.recompute == Recompute::selective);
    });
  }

  // The unsharded stack, and its derivative along `direction` of that array (of a layer; X: of the first).
  Duals reference(const std::string& array = {}, const Block& direction = {}) const {
    const auto dual = [&](const std::string& what, const ArrayRef& a) {
      Duals result;
      for (const std::uint64_t v : values(what, a)) result.push_back({v, 0});
      for (std::size_t i = 0; what == array && i < result.size(); ++i) result[i].d = direction[i];
      return result;
    };
    Duals x = dual("X", layer_.inputs.front());
    for (std::uint32_t l = 0; l <= last(); ++l) {
      DualWeights weights;
      for (const ArrayRef& w : layer_.weights) weights[w.name] = dual(name(l, w), w);
      x = reference_layer(spec_, weights, x);
    }
    return x;
  }

  std::string sizes() const {
    std::string text;
    for (const auto& [dimension, size] : sizes_of(spec_))
      text += (text.empty() ? "" : ", ") + dimension + "=" + std::to_string(size);
    return " (sizes cut down to " + text + ")";
  }

  void check_output() const {
    const ArrayRef& y = layer_.outputs.front();
    const Block found = chips_.whole(last(), y);
    const Duals expected = reference();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != expected[i].v)
        chips_.fail(last(), y, "leaves a wrong element " + std::to_string(i) + " of " + sharding_text(y) + sizes());
  }

  void check_gradients() const {
    if (layer_.gradients.size() != layer_.weights.size())
      throw ProofFailed("the layer has weights without gradients");
    for (std::uint32_t l = 0; l <= last(); ++l)
      for (std::size_t i = 0; i < layer_.weights.size(); ++i)
        check_gradient(l, layer_.gradients[i], name(l, layer_.weights[i]));
    check_gradient(0, layer_.outputs.back(), "X");
  }

  // <gradient, V> = <dY, derivative of Y along V>.
  void check_gradient(std::uint32_t layer, const ArrayRef& gradient, const std::string& of) const {
    const Block found = chips_.whole(layer, gradient), direction = values("along " + of, gradient),
                dy = values("dY", layer_.inputs[1]);
    const Duals y = reference(of, direction);
    std::uint64_t left = 0, right = 0;
    for (std::size_t i = 0; i < found.size(); ++i) left += found[i] * direction[i];
    for (std::size_t i = 0; i < dy.size(); ++i) right += dy[i] * y[i].d;
    if (left != right) chips_.fail(layer, gradient, "leaves a wrong gradient " + sharding_text(gradient) + sizes());
  }

  Mesh mesh_;
  Layer layer_;
  const LayerSpec& spec_;
  Blocks random_;
  LayerInterpreter chips_;
};

// Lines by layer; what is forward stands before what is backward.
std::map<std::uint32_t, std::vector<std::string>> lines_by_layer(const Layer& layer) {
  std::map<std::uint32_t, std::vector<std::string>> lines;
  for (const LayerStep& step : layer.steps) lines[step.layer].push_back(line(step));
  return lines;
}

}  // namespace

void prove_layer(const Layer& layer, const Mesh& mesh, std::uint64_t seed) {
  if (layer.spec.layers <= 2) return Proof(layer, mesh, seed).run();
  LayerSpec spec = layer.spec;
  spec.layers = 2;
  const Layer two = build_layer(spec, mesh);
  const std::vector<std::string> expected = lines_by_layer(two).at(0);
  const auto lines = lines_by_layer(layer);
  if (lines.size() != layer.spec.layers) throw ProofFailed("the stack lacks the steps of some of its layers");
  for (const auto& [number, steps] : lines)
    if (steps != expected)
      throw ProofFailed("layer " + std::to_string(number) + " of the stack is not like the others");
  Proof(two, mesh, seed).run();
}

}  // namespace hopsim

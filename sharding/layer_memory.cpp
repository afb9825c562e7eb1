// What a chip holds, from the steps: an array lives from the step that makes it to the last one that reads it.
#include <algorithm>
#include <map>

#include "sharding/layer_passes.hpp"

namespace hopsim {
namespace {

using Live = std::map<std::string, Bytes>;  // by array_key

class Lives {
 public:
  Lives(const Layer& layer, const Mesh& mesh)
      : layer_(layer), mesh_(mesh), scores_on_chip_(!scores_kept(layer.spec)) {}

  LayerMemory memory() {
    LayerMemory m;
    for (const ArrayRef& w : layer_.weights) m.weights += layout(w, {}, mesh_).bytes_per_chip;
    if (!layer_.gradients.empty()) m.gradients = m.weights;
    const bool backward = layer_.spec.pass != LayerPass::forward;
    if (backward) {
      const Live kept = kept_at_boundary();
      for (const auto& [key, bytes] : kept) m.activations += bytes;
      m.working = peak(kept);
    } else {
      m.working = peak({});
    }
    return m;
  }

 private:
  bool counts(const ArrayRef& a) const {
    const bool weight = a.name.find('W') != std::string::npos;  // and its gradient: counted once for all
    return !weight && !(scores_on_chip_ && is_score(a));
  }
  void add(const ArrayRef& a, Live& live) const {
    if (counts(a)) live.emplace(array_key(0, a), layout(a, {}, mesh_).bytes_per_chip);
  }

  static const ArrayRef& output(const LayerStep& step) {
    return std::visit([](const auto& work) -> const ArrayRef& { return work.output; }, step.work);
  }
  static std::vector<ArrayRef> reads(const LayerStep& step) {
    if (const auto* c = std::get_if<ResolvedCollective>(&step.work)) return {c->input};
    if (const auto* e = std::get_if<LayerElementwise>(&step.work)) return e->inputs;
    const auto& p = std::get<LocalProduct>(step.work);
    std::vector<ArrayRef> arrays{p.lhs, p.rhs};
    if (step.adds) arrays.push_back(p.output);
    return arrays;
  }

  // From the last step to the first: what must be there before each. `visit` gets the step and what lives during it.
  template <class Visit>
  Live backwards(const Visit& visit) const {
    Live live;
    if (layer_.outputs.size() > 1 || layer_.spec.pass == LayerPass::backward) add(layer_.outputs.back(), live);
    bool forward = false;
    for (auto step = layer_.steps.rbegin(); step != layer_.steps.rend(); ++step) {
      if (!forward && step->pass == LayerPass::forward) {
        forward = true;
        add(layer_.outputs.front(), live);
      }
      Live during = live;
      add(output(*step), during);
      for (const ArrayRef& a : reads(*step)) add(a, during);
      live = during;
      if (!step->adds) live.erase(array_key(0, output(*step)));
      for (const ArrayRef& a : reads(*step)) add(a, live);
      visit(*step, during, live);
    }
    return live;
  }

  // What the backward pass needs and neither makes itself nor is given.
  Live kept_at_boundary() const {
    Live kept;
    backwards([&](const LayerStep& step, const Live&, const Live& before) {
      if (step.pass == LayerPass::backward) kept = before;
    });
    kept.erase(array_key(0, layer_.inputs.back()));
    return kept;
  }

  Bytes peak(const Live& kept) const {
    Bytes most;
    backwards([&](const LayerStep&, const Live& during, const Live&) {
      Bytes sum;
      for (const auto& [key, bytes] : during)
        if (!kept.contains(key)) sum += bytes;
      most = std::max(most, sum);
    });
    return most;
  }

  const Layer& layer_;
  const Mesh& mesh_;
  bool scores_on_chip_;
};

}  // namespace

LayerMemory memory_of(const Layer& layer, const Mesh& mesh) { return Lives(layer, mesh).memory(); }

}  // namespace hopsim

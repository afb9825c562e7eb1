#include "sharding/layer_passes.hpp"

namespace hopsim {
namespace {

using Function = LayerElementwise::Function;
using Sum = LayerBuilder::Sum;

class Passes {
 public:
  Passes(const LayerSpec& spec, const Mesh& mesh) : spec_(spec), build_(spec, mesh) {}

  Layer stack() {
    Layer layer;
    layer.spec = spec_;
    const bool forward = spec_.pass != LayerPass::backward, backward = spec_.pass != LayerPass::forward;
    for (std::uint32_t l = 0; forward && l < spec_.layers; ++l) {
      build_.at(LayerPass::forward, l);
      forward_pass(false);
    }
    for (auto l = static_cast<std::uint32_t>(spec_.layers); backward && l-- > 0;) {
      build_.at(LayerPass::backward, l);
      if (l + 1 == spec_.layers) build_.comes_with(end("dY"), end("Y"));
      backward_pass();
    }
    layer.steps = build_.take();
    layer.inputs = {begin("X")};
    if (backward) layer.inputs.push_back(end("dY"));
    if (forward) layer.outputs.push_back(end("Y"));
    if (backward) layer.outputs.push_back(begin("dX"));
    layer.weights = weights("");
    if (backward) layer.gradients = weights("d");
    return layer;
  }

 private:
  ArrayRef array(const std::string& name, const std::string& dimensions) const {
    return build_.array(name, dimensions);
  }
  ArrayRef stream(const std::string& name) const { return array(name, "bSm"); }
  ArrayRef whole(const std::string& name) const { return array(name, "bsm"); }
  ArrayRef begin(const std::string& name) const {
    return spec_.kind == LayerKind::row_linear ? array(name, "bsf") : stream(name);
  }
  ArrayRef end(const std::string& name) const {
    return spec_.kind == LayerKind::column_linear ? array(name, "bsf") : stream(name);
  }

  std::vector<ArrayRef> weights(const std::string& prefix) const {
    std::vector<ArrayRef> list;
    const auto add = [&](const char* name, const char* dimensions) {
      list.push_back(array(prefix + name, dimensions));
    };
    const LayerKind kind = spec_.kind;
    if (kind == LayerKind::column_linear) add("W", "mf");
    if (kind == LayerKind::row_linear) add("W", "fm");
    if (kind == LayerKind::attention || kind == LayerKind::transformer) {
      add("Wq", "mgrk");
      add("Wk", "mgk");
      add("Wv", "mgk");
      add("Wo", "grkm");
    }
    if (kind == LayerKind::mlp || kind == LayerKind::transformer) {
      add("W1", "mf");
      add("W2", "fm");
    }
    return list;
  }

  // ---- Whole layers. What is computed again needs no sum of its last partial sums: nothing uses it.

  void forward_pass(bool again) {
    switch (spec_.kind) {
      case LayerKind::column_linear:
        build_.gather("X");
        return build_.product(end("Y"), whole("X"), array("W", "mf"));
      case LayerKind::row_linear:
        return row("Y", begin("X"), array("W", "fm"), !again);
      case LayerKind::mlp:
        return mlp("X", "Y", !again);
      case LayerKind::attention:
        return attention("X", "Y", !again);
      case LayerKind::transformer:
        return transformer(!again);
    }
  }

  void backward_pass() {
    if (spec_.recompute == Recompute::full) {
      build_.wait_for(end("dY"));
      build_.again(true);
      forward_pass(true);
      build_.again(false);
    }
    switch (spec_.kind) {
      case LayerKind::column_linear:
        build_.product(whole("dX"), end("dY"), array("W", "mf"));
        build_.reduce("dX");
        return build_.gradient(array("dW", "mf"), whole("X"), end("dY"));
      case LayerKind::row_linear:
        build_.gather("dY");
        build_.product(begin("dX"), whole("dY"), array("W", "fm"));
        return build_.gradient(array("dW", "fm"), begin("X"), whole("dY"));
      case LayerKind::mlp:
        return mlp_backward("X", "dX", "dY");
      case LayerKind::attention:
        return attention_backward("X", "dX", "dY");
      case LayerKind::transformer:
        return transformer_backward();
    }
  }

  void transformer(bool sums) {
    norm("N1", "X");
    attention("N1", "Z1", true);
    build_.elementwise(Function::add, "add", {stream("X"), stream("Z1")}, stream("R"));
    norm("N2", "R");
    mlp("N2", "Z2", sums);
    if (sums) build_.elementwise(Function::add, "add", {stream("R"), stream("Z2")}, stream("Y"));
  }

  void transformer_backward() {
    mlp_backward("N2", "dN2", "dY");
    norm_backward("dR", "dN2", "R", "dY");
    attention_backward("N1", "dN1", "dR");
    norm_backward("dX", "dN1", "X", "dR");
  }

  // ---- Blocks: from `in` to `out`, and from the gradient `dout` to `din`

  void row(const std::string& out, const ArrayRef& in, const ArrayRef& weight, bool sums) {
    build_.product(whole(out), in, weight);
    if (sums) build_.reduce(out);
  }

  void mlp(const std::string& in, const std::string& out, bool sums) {
    build_.gather(in);
    build_.product(array("A", "bsf"), whole(in), array("W1", "mf"));
    build_.elementwise(Function::nonlinearity, "gelu", {array("A", "bsf")}, array("H", "bsf"));
    row(out, array("H", "bsf"), array("W2", "fm"), sums);
  }

  void mlp_backward(const std::string& in, const std::string& din, const std::string& dout) {
    build_.gather(dout);
    build_.product(array("dH", "bsf"), whole(dout), array("W2", "fm"));
    build_.gradient(array("dW2", "fm"), array("H", "bsf"), whole(dout));
    build_.elementwise(Function::derivative, "gelu_backward", {array("dH", "bsf"), array("A", "bsf")},
                       array("dA", "bsf"));
    build_.product(whole(din), array("dA", "bsf"), array("W1", "mf"));
    build_.reduce(din);
    build_.gradient(array("dW1", "mf"), whole(in), array("dA", "bsf"));
  }

  void attention(const std::string& in, const std::string& out, bool sums) {
    build_.gather(in);
    build_.product(array("Q", "bsgrk"), whole(in), array("Wq", "mgrk"));
    build_.product(array("K", "btgk"), array(in, "btm"), array("Wk", "mgk"));
    build_.product(array("V", "btgk"), array(in, "btm"), array("Wv", "mgk"));
    scores();
    build_.product(array("O", "bsgrk"), array("P", "bgrst"), array("V", "btgk"));
    row(out, array("O", "bsgrk"), array("Wo", "grkm"), sums);
  }

  void scores() {
    build_.product(array("S", "bgrst"), array("Q", "bsgrk"), array("K", "btgk"));
    build_.elementwise(Function::identity, "softmax", {array("S", "bgrst")}, array("P", "bgrst"));
  }

  void attention_backward(const std::string& in, const std::string& din, const std::string& dout) {
    build_.gather(dout);
    build_.product(array("dO", "bsgrk"), whole(dout), array("Wo", "grkm"));
    build_.gradient(array("dWo", "grkm"), array("O", "bsgrk"), whole(dout));
    scores_backward();
    build_.product(whole(din), array("dQ", "bsgrk"), array("Wq", "mgrk"));
    build_.product(array(din, "btm"), array("dK", "btgk"), array("Wk", "mgk"), Sum::adds);
    build_.product(array(din, "btm"), array("dV", "btgk"), array("Wv", "mgk"), Sum::adds);
    build_.reduce(din);
    build_.gradient(array("dWq", "mgrk"), whole(in), array("dQ", "bsgrk"));
    build_.gradient(array("dWk", "mgk"), array(in, "btm"), array("dK", "btgk"));
    build_.gradient(array("dWv", "mgk"), array(in, "btm"), array("dV", "btgk"));
  }

  void scores_backward() {
    if (spec_.recompute == Recompute::selective) {
      build_.again(true);
      scores();
      build_.again(false);
    }
    const ArrayRef score = array("P", "bgrst"), dscore = array("dS", "bgrst"), dout = array("dO", "bsgrk");
    build_.product(array("dV", "btgk"), score, dout);
    build_.product(array("dP", "bgrst"), dout, array("V", "btgk"));
    build_.elementwise(Function::identity, "softmax_backward", {array("dP", "bgrst"), score}, dscore);
    build_.product(array("dQ", "bsgrk"), dscore, array("K", "btgk"));
    build_.product(array("dK", "btgk"), dscore, array("Q", "bsgrk"));
  }

  void norm(const std::string& out, const std::string& in) {
    build_.elementwise(Function::identity, "norm", {stream(in)}, stream(out));
  }

  // Through the norm, and past it along the residual stream.
  void norm_backward(const std::string& din, const std::string& dnorm, const std::string& in,
                     const std::string& dout) {
    const ArrayRef through = stream(din + "n");
    build_.elementwise(Function::identity, "norm_backward", {stream(dnorm), stream(in)}, through);
    build_.elementwise(Function::add, "add", {stream(dout), through}, stream(din));
  }

  const LayerSpec& spec_;
  LayerBuilder build_;
};

}  // namespace

Layer layer_steps(const LayerSpec& spec, const Mesh& mesh) { return Passes(spec, mesh).stack(); }

}  // namespace hopsim

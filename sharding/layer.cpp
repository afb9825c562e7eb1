#include "sharding/layer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sharding/layer_passes.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxLayers = 4096;

class Checks {
 public:
  Checks(const LayerSpec& spec, const Mesh& mesh) : spec_(spec), mesh_(mesh) {}

  void run() const {
    sizes();
    axes("tensor", spec_.tensor);
    axes("data", spec_.data);
    for (const std::string& axis : spec_.data)
      if (std::count(spec_.tensor.begin(), spec_.tensor.end(), axis) > 0)
        throw LayerError("data", "an axis is both tensor and data", axis, "an axis of its own for each");
    heads();
    splits();
  }

 private:
  bool attends() const { return spec_.kind == LayerKind::attention || spec_.kind == LayerKind::transformer; }
  bool linear() const { return spec_.kind == LayerKind::column_linear || spec_.kind == LayerKind::row_linear; }

  void sizes() const {
    const auto present = [](const char* key, std::uint64_t size) {
      if (size == 0) throw LayerError(key, std::string("the layer's ") + key + " is missing", "0", "at least 1");
    };
    present("d_model", spec_.d_model);
    if (spec_.kind != LayerKind::attention) present("d_ff", spec_.d_ff);
    if (attends()) present("heads", spec_.heads);
    if (attends()) present("kv_heads", spec_.kv_heads);
    present("batch", spec_.batch);
    present("sequence", spec_.sequence);
    present("layers", spec_.layers);
    if (spec_.layers > kMaxLayers)
      throw LayerError("layers", "too many layers", std::to_string(spec_.layers),
                       "1 to " + std::to_string(kMaxLayers));
    if (linear() && spec_.layers > 1)
      throw LayerError("layers", "linears do not stack: one's output is not sharded as the next one's input",
                       std::to_string(spec_.layers), "1");
  }

  void axes(const std::string& key, const std::vector<std::string>& axes) const {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!mesh_.names().known(axes[i])) throw LayerError(key, "unknown axis", axes[i], mesh_.names().list());
      if (std::count(axes.begin(), axes.end(), axes[i]) > 1)
        throw LayerError(key, "an axis is named twice", axes[i], "each axis once");
    }
  }

  void heads() const {
    if (!attends()) return;
    divides("d_model", spec_.d_model, spec_.heads, "the heads");
    if (spec_.heads % spec_.kv_heads != 0)
      throw LayerError("kv_heads", "heads must be a multiple of kv_heads", std::to_string(spec_.kv_heads),
                       "a divisor of " + std::to_string(spec_.heads));
  }

  void splits() const {
    const std::uint64_t tensor = mesh_.ways(spec_.tensor), data = mesh_.ways(spec_.data);
    const std::string shards = "chips along the tensor axes";
    divides("batch", spec_.batch, data, "chips along the data axes");
    if (attends()) divides("heads", spec_.heads, tensor, shards);
    if (attends()) divides("kv_heads", spec_.kv_heads, tensor, shards + " (a key/value head is not replicated)");
    if (spec_.kind != LayerKind::attention) divides("d_ff", spec_.d_ff, tensor, shards);
    if (spec_.sequence_parallel) divides("sequence", spec_.sequence, tensor, shards + " (sequence_parallel)");
  }

  static void divides(const char* key, std::uint64_t size, std::uint64_t ways, const std::string& what) {
    if (size % ways == 0) return;
    throw LayerError(
        key, std::string("the layer's ") + key + " must be a multiple of " + std::to_string(ways) + ", " + what,
        std::to_string(size), multiples(size, ways));
  }

  // The nearest ones: "8, 16".
  static std::string multiples(std::uint64_t size, std::uint64_t ways) {
    const std::uint64_t below = size / ways * ways;
    return (below == 0 ? "" : std::to_string(below) + ", ") + std::to_string(below + ways);
  }

  const LayerSpec& spec_;
  const Mesh& mesh_;
};

// The size to blame where arrays are too large to count.
std::string largest(const LayerSpec& s) {
  const std::array<std::pair<std::uint64_t, const char*>, 4> sizes{
      {{s.batch, "batch"}, {s.sequence, "sequence"}, {s.d_ff, "d_ff"}, {s.d_model, "d_model"}}};
  return std::max_element(sizes.begin(), sizes.end())->second;
}

Bytes times(std::uint64_t layers, Bytes bytes) {
  if (static_cast<Uint128>(layers) * bytes.count() >> 63 != 0)
    throw LayerError("layers", "the layers take too many bytes on a chip", std::to_string(layers), "less than 2^63");
  return layers * bytes;
}

LayerMemory memory_of_stack(LayerSpec spec, const Mesh& mesh) {
  const std::uint64_t layers = std::exchange(spec.layers, 1);
  LayerMemory memory = memory_of(layer_steps(spec, mesh), mesh);
  for (Bytes* bytes : {&memory.weights, &memory.gradients, &memory.activations}) *bytes = times(layers, *bytes);
  return memory;
}

// What `make` gives; arrays that are too large to count are the spec's fault.
template <class Make>
auto checked(const LayerSpec& spec, const Mesh& mesh, const Make& make) {
  Checks(spec, mesh).run();
  try {
    return make();
  } catch (const LayerError&) {
    throw;
  } catch (const InputError& e) {
    throw LayerError(largest(spec), std::string("the layer is too large: ") + e.what());
  }
}

std::string text(const LayerElementwise& e) {
  std::string inputs;
  for (const ArrayRef& a : e.inputs) inputs += (inputs.empty() ? "" : ", ") + sharding_text(a);
  return sharding_text(e.output) + " = " + e.what + "(" + inputs + ")";
}
std::string text(const StrategyStep& step) { return line(step); }

}  // namespace

std::string line(const LayerStep& step) {
  std::string written = std::visit([](const auto& work) { return text(work); }, step.work);
  if (step.adds) written.replace(written.find(" = "), 3, " += ");
  return written;
}

Layer build_layer(const LayerSpec& spec, const Mesh& mesh) {
  return checked(spec, mesh, [&] {
    const LayerMemory memory = memory_of_stack(spec, mesh);
    Layer layer = layer_steps(spec, mesh);
    layer.memory = memory;
    return layer;
  });
}

LayerMemory layer_memory(const LayerSpec& spec, const Mesh& mesh) {
  return checked(spec, mesh, [&] { return memory_of_stack(spec, mesh); });
}

}  // namespace hopsim

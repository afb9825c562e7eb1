#include "scenarios/layer_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

namespace hopsim {
namespace {

constexpr std::uint64_t kMostTensorMultiples = 64;

double gb(Bytes b) { return static_cast<double>(b.count()) / 1e9; }

// The same layers on a mesh of their own, of any size.
class Fitting {
 public:
  Fitting(LayerSpec spec, const Mesh& mesh, Bytes capacity)
      : spec_(std::move(spec)), tensor_(mesh.ways(spec_.tensor)), data_(mesh.ways(spec_.data)), capacity_(capacity) {
    spec_.tensor = {"tensor"};
    spec_.data = {"data"};
  }

  bool fits(const std::function<void(LayerSpec&)>& change, std::uint64_t tensor) const {
    LayerSpec changed = spec_;
    change(changed);
    const Mesh mesh({{"tensor", static_cast<std::uint32_t>(tensor)}, {"data", static_cast<std::uint32_t>(data_)}});
    try {
      return layer_memory(changed, mesh).total() <= capacity_;
    } catch (const InputError&) {
      return false;  // sizes that do not divide
    }
  }
  bool fits(const std::function<void(LayerSpec&)>& change) const { return fits(change, tensor_); }

  // The most units that fit, less than `now`; fewer never need more.
  std::optional<std::uint64_t> most(std::uint64_t now,
                                    const std::function<void(LayerSpec&, std::uint64_t)>& set) const {
    std::uint64_t good = 0, bad = now;
    while (bad - good > 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (fits([&](LayerSpec& s) { set(s, middle); }) ? good : bad) = middle;
    }
    return good > 0 ? std::optional(good) : std::nullopt;
  }

  const LayerSpec& spec() const { return spec_; }
  std::uint64_t tensor() const { return tensor_; }
  std::uint64_t data() const { return data_; }

 private:
  LayerSpec spec_;
  std::uint64_t tensor_, data_;
  Bytes capacity_;
};

}  // namespace

std::string memory_text(const LayerMemory& m) {
  std::string text = fmt::format("{:.4g} GB a chip: {:.4g} GB of weights", gb(m.total()), gb(m.weights));
  const auto add = [&](Bytes bytes, const char* of) {
    if (bytes > Bytes{}) text += fmt::format(", {:.4g} GB of {}", gb(bytes), of);
  };
  add(m.gradients, "gradients");
  add(m.activations, "activations");
  add(m.working, "working memory");
  return text;
}

std::vector<std::string> what_fits(const LayerSpec& spec, const Mesh& mesh, Bytes capacity) {
  const Fitting now(spec, mesh, capacity);
  std::vector<std::string> ways;
  const auto recompute = [&](Recompute what, const char* text) {
    if (spec.pass != LayerPass::forward && spec.recompute < what &&
        now.fits([&](LayerSpec& s) { s.recompute = what; }))
      ways.push_back(text);
  };
  recompute(Recompute::selective, "recompute: selective");
  if (ways.empty()) recompute(Recompute::full, "recompute: full");
  if (!spec.sequence_parallel && now.tensor() > 1 && now.fits([](LayerSpec& s) { s.sequence_parallel = true; }))
    ways.push_back("sequence_parallel: true");
  for (std::uint64_t n = 2; n <= kMostTensorMultiples; ++n)
    if (now.fits([](LayerSpec&) {}, n * now.tensor())) {
      ways.push_back(fmt::format("a tensor axis of {} chips", n * now.tensor()));
      break;
    }
  if (const auto n = now.most(spec.batch / now.data(), [&](auto& s, auto k) { s.batch = k * now.data(); }))
    ways.push_back(fmt::format("batch: {}", *n * now.data()));
  if (const auto n = now.most(spec.layers, [](auto& s, auto k) { s.layers = k; }))
    ways.push_back(fmt::format("layers: {}", *n));
  return ways;
}

}  // namespace hopsim

#include "sharding/layer_builder.hpp"

#include <algorithm>
#include <set>

namespace hopsim {
namespace {

using Axes = std::vector<std::string>;

Axes split(const Axes& axes, const Mesh& mesh) {
  Axes result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), [&](auto& a) { return mesh.size(a) > 1; });
  return result;
}

std::string list(const Axes& axes) {
  std::string text;
  for (const std::string& axis : axes) text += "|" + axis;
  return text;
}

const Dimension* find(const ArrayRef& a, const std::string& name) {
  for (const Dimension& d : a.dimensions)
    if (d.name == name) return &d;
  return nullptr;
}

// 2 x the sizes on a chip of all dimensions.
Flops flops_of(const ArrayRef& lhs, const ArrayRef& rhs, const Mesh& mesh) {
  Uint128 multiplications = 1;
  const auto count = [&](const Dimension& d) { multiplications *= block_length(*d.size, mesh.ways(d.axes)); };
  for (const Dimension& d : lhs.dimensions) count(d);
  for (const Dimension& d : rhs.dimensions)
    if (find(lhs, d.name) == nullptr) count(d);
  return Flops(2 * multiplications);
}

}  // namespace

std::string array_key(std::uint32_t layer, const ArrayRef& a) {
  std::string key = std::to_string(layer) + ' ' + a.name;
  for (const Dimension& d : a.dimensions) key += "," + list(d.axes);
  const std::set<std::string> unreduced(a.unreduced.begin(), a.unreduced.end());
  return key + " U" + list({unreduced.begin(), unreduced.end()});
}

bool is_score(const ArrayRef& a) { return a.name == "S" || a.name == "P" || a.name == "dS" || a.name == "dP"; }

bool scores_kept(const LayerSpec& s) { return s.pass != LayerPass::forward && s.recompute == Recompute::none; }

LayerBuilder::LayerBuilder(const LayerSpec& s, const Mesh& mesh)
    : mesh_(mesh),
      dtype_(s.dtype),
      tensor_(split(s.tensor, mesh)),
      data_(split(s.data, mesh)),
      sequence_parallel_(s.sequence_parallel && !tensor_.empty()),
      scores_on_chip_(!scores_kept(s)),
      sizes_{{'b', s.batch},   {'s', s.sequence}, {'S', s.sequence}, {'t', s.sequence},
             {'m', s.d_model}, {'f', s.d_ff},     {'g', s.kv_heads}} {
  if (s.heads == 0 || s.kv_heads == 0) return;
  sizes_['r'] = s.heads / s.kv_heads;
  sizes_['k'] = s.d_model / s.heads;
}

void LayerBuilder::at(LayerPass pass, std::uint32_t layer) {
  pass_ = pass;
  layer_ = layer;
}

void LayerBuilder::wait_for(const ArrayRef& a) {
  if (last_compute_) fence_.push_back(*last_compute_);
  if (const std::uint32_t* maker = find_array(makers_, layer_, a)) fence_.push_back(*maker);
}

void LayerBuilder::comes_with(const ArrayRef& a, const ArrayRef& other) {
  if (const std::uint32_t* maker = find_array(makers_, layer_, other)) makers_[array_key(layer_, a)] = *maker;
}

ArrayRef LayerBuilder::array(const std::string& name, const std::string& dimensions) const {
  ArrayRef a;
  a.name = name;
  a.dtype = dtype_;
  for (const char c : dimensions) {
    Dimension d;
    d.name = c == 'S' ? 's' : c;
    d.size = sizes_.at(c);
    if (c == 'f' || c == 'g' || (c == 'S' && sequence_parallel_)) d.axes = tensor_;
    if (c == 'b') d.axes = data_;
    a.dimensions.push_back(std::move(d));
  }
  return a;
}

ArrayRef LayerBuilder::partial(ArrayRef a, const Axes& axes) const {
  a.unreduced = axes;
  return a;
}

void LayerBuilder::product(const ArrayRef& output, const ArrayRef& lhs, const ArrayRef& rhs, Sum sum) {
  LocalProduct p{lhs, rhs, output, dtype_, flops_of(lhs, rhs, mesh_), {}};
  for (const Dimension& d : lhs.dimensions)
    if (find(rhs, d.name) != nullptr && find(output, d.name) == nullptr)
      p.output.unreduced.insert(p.output.unreduced.end(), d.axes.begin(), d.axes.end());
  p.bytes = hbm_bytes(lhs) + hbm_bytes(rhs) + hbm_bytes(output);
  std::vector<ArrayRef> reads{lhs, rhs};
  LayerStep step;
  step.adds = sum == Sum::adds;
  if (step.adds) {
    p.bytes += hbm_bytes(output);
    reads.push_back(p.output);
  }
  const ArrayRef made = p.output;
  step.work = std::move(p);
  compute(std::move(step), reads, made);
}

void LayerBuilder::gradient(const ArrayRef& output, const ArrayRef& lhs, const ArrayRef& rhs) {
  product(output, lhs, rhs);
  if (!data_.empty()) collective(CollectiveKind::all_reduce, data_, partial(output, data_), output, true);
}

void LayerBuilder::gather(const std::string& name) {
  if (sequence_parallel_)
    collective(CollectiveKind::all_gather, tensor_, array(name, "bSm"), array(name, "bsm"), false);
}

void LayerBuilder::reduce(const std::string& name) {
  if (tensor_.empty()) return;
  const CollectiveKind kind = sequence_parallel_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  collective(kind, tensor_, partial(array(name, "bsm"), tensor_), array(name, "bSm"), false);
}

void LayerBuilder::collective(CollectiveKind kind, const Axes& axes, const ArrayRef& from, const ArrayRef& to,
                              bool behind) {
  Collective c;
  c.kind = kind;
  c.axes = axes;
  if (kind == CollectiveKind::reduce_scatter) c.dimension = "s";
  c.input = from;
  c.output = to;
  const Sizes sizes;
  const Arrays arrays;
  LayerStep step;
  step.work = collective_step(c, {mesh_, sizes, dtype_, arrays});
  step.behind = behind;
  if (behind && last_behind_) step.after.push_back(*last_behind_);
  if (behind) last_behind_ = static_cast<std::uint32_t>(steps_.size());
  emit(std::move(step), {from}, to);
}

void LayerBuilder::elementwise(LayerElementwise::Function function, const std::string& what,
                               std::vector<ArrayRef> inputs, const ArrayRef& output) {
  using enum LayerElementwise::Function;
  LayerElementwise e{function, what, inputs, output, {}};
  if (function == identity || function == add) {
    e.bytes = hbm_bytes(output);
    for (const ArrayRef& a : inputs) e.bytes += hbm_bytes(a);
  }
  LayerStep step;
  step.work = std::move(e);
  compute(std::move(step), inputs, output);
}

void LayerBuilder::compute(LayerStep step, const std::vector<ArrayRef>& reads, const ArrayRef& output) {
  if (last_compute_) step.after.push_back(*last_compute_);
  last_compute_ = static_cast<std::uint32_t>(steps_.size());
  emit(std::move(step), reads, output);
}

void LayerBuilder::emit(LayerStep step, const std::vector<ArrayRef>& reads, const ArrayRef& output) {
  step.pass = pass_;
  step.layer = layer_;
  step.again = again_;
  step.after.insert(step.after.end(), fence_.begin(), fence_.end());
  fence_.clear();
  const bool computes = !std::holds_alternative<ResolvedCollective>(step.work);
  for (const ArrayRef& a : reads) {
    const std::uint32_t* maker = find_array(makers_, layer_, a);
    // Computation is in order anyway: only what is communicated is to be waited for.
    if (maker != nullptr && (!computes || std::holds_alternative<ResolvedCollective>(steps_[*maker].work)))
      step.after.push_back(*maker);
  }
  std::sort(step.after.begin(), step.after.end());
  step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
  makers_[array_key(layer_, output)] = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(std::move(step));
}

Bytes LayerBuilder::hbm_bytes(const ArrayRef& a) const {
  return scores_on_chip_ && is_score(a) ? Bytes(0) : layout(a, {}, mesh_).bytes_per_chip;
}

}  // namespace hopsim

// Steps of a layer, one after the other: what each costs, and which earlier ones it waits for. Inside of sharding/
// only.
//
// Every layer of a stack uses the same names: its input is X, its output Y, gradients dX and dY. Layer 3's X is what
// layer 2 calls Y, and its dY what layer 4 calls dX. Arrays are told apart by name and sharding, not by the names of
// their dimensions: X[b, t, m] is X[b, s, m].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sharding/layer.hpp"

namespace hopsim {

// "2 dX||T|U:T": layer, name, axes of each dimension, and of partial sums.
std::string array_key(std::uint32_t layer, const ArrayRef&);

// What a layer calls X or dY, under its neighbour's name for it.
template <class Value>
const Value* find_array(const std::map<std::string, Value>& known, std::uint32_t layer, ArrayRef a) {
  auto found = known.find(array_key(layer, a));
  if (found == known.end() && a.name == "X" && layer > 0) {
    a.name = "Y";
    found = known.find(array_key(layer - 1, a));
  } else if (found == known.end() && a.name == "dY") {
    a.name = "dX";
    found = known.find(array_key(layer + 1, a));
  }
  return found == known.end() ? nullptr : &found->second;
}

class LayerBuilder {
 public:
  // REQUIRES: a spec that was checked. The mesh must outlive it.
  LayerBuilder(const LayerSpec&, const Mesh&);

  // What the following steps are part of.
  void at(LayerPass pass, std::uint32_t layer);
  void again(bool computed_before) { again_ = computed_before; }
  // The next step waits for all computation so far and for this array.
  void wait_for(const ArrayRef&);
  // This array is there when that one is.
  void comes_with(const ArrayRef&, const ArrayRef& other);

  // A letter a dimension, in the notation of sharding/layer.hpp: f and g are split over the tensor axes, b over the
  // data axes; S is s as it is between the blocks: over the tensor axes with sequence parallelism.
  ArrayRef array(const std::string& name, const std::string& dimensions) const;

  enum class Sum : std::uint8_t { makes, adds };
  // The output is partial over the axes of contracted dimensions.
  void product(const ArrayRef& output, const ArrayRef& lhs, const ArrayRef& rhs, Sum = Sum::makes);
  // A weight's gradient and, over data axes, its sum behind the backward pass.
  void gradient(const ArrayRef& output, const ArrayRef& lhs, const ArrayRef& rhs);
  // Name[b, s, m] from what lies between the blocks: an AllGather with sequence parallelism, else nothing.
  void gather(const std::string& name);
  // The reverse: the partial sums over tensor axes, by an AllReduce or a ReduceScatter along the sequence.
  void reduce(const std::string& name);
  void elementwise(LayerElementwise::Function, const std::string& what, std::vector<ArrayRef> inputs,
                   const ArrayRef& output);

  std::vector<LayerStep> take() { return std::move(steps_); }

 private:
  ArrayRef partial(ArrayRef, const std::vector<std::string>& axes) const;
  void collective(CollectiveKind, const std::vector<std::string>& axes, const ArrayRef& from, const ArrayRef& to,
                  bool behind);
  void compute(LayerStep, const std::vector<ArrayRef>& reads, const ArrayRef& output);
  void emit(LayerStep, const std::vector<ArrayRef>& reads, const ArrayRef& output);
  Bytes hbm_bytes(const ArrayRef&) const;

  const Mesh& mesh_;
  DType dtype_;
  std::vector<std::string> tensor_, data_;  // those of more than one chip
  bool sequence_parallel_;
  bool scores_on_chip_;
  std::map<char, std::uint64_t> sizes_;

  std::vector<LayerStep> steps_;
  LayerPass pass_ = LayerPass::forward;
  std::uint32_t layer_ = 0;
  bool again_ = false;
  std::map<std::string, std::uint32_t> makers_;  // by array_key
  std::optional<std::uint32_t> last_compute_, last_behind_;
  std::vector<std::uint32_t> fence_;
};

// Arrays that never leave the chip where scores are not kept.
bool is_score(const ArrayRef&);
// Whether a layer of this spec writes its scores to memory.
bool scores_kept(const LayerSpec&);

}  // namespace hopsim

// A layer's steps carried out on integers modulo 2^64, chip by chip. Inside of sharding/ only.
//
// A step reads what earlier ones made, found by layer, name and sharding; and it must come after them by its `after`
// alone. Throws ProofFailed, naming the step.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sharding/layer_builder.hpp"
#include "sharding/value_steps.hpp"

namespace hopsim {

class LayerInterpreter {
 public:
  // The mesh must outlive it.
  LayerInterpreter(const Mesh& mesh, std::uint64_t seed) : blocks_(mesh, seed) {}

  // Every chip's block of these values, row-major.
  void place(std::uint32_t layer, const ArrayRef&, const Block& values);
  // Of one pass, in their order, with sizes. `before` is called with each step before it is carried out.
  void run(const std::vector<LayerStep>&, LayerPass, const std::function<void(const LayerStep&)>& before = {});
  // What there is counts as given: no step need wait for it.
  void settle();
  // Arrays of a layer that no later step may read.
  void forget(std::uint32_t layer, const std::function<bool(const std::string& name, const std::string& key)>& which);
  // The whole array from the chips' blocks, which must agree where they are copies. Row-major.
  Block whole(std::uint32_t layer, const ArrayRef&) const;
  // Of whoever made the array.
  [[noreturn]] void fail(std::uint32_t layer, const ArrayRef&, const std::string& what) const;

 private:
  struct Held {
    std::vector<BlockId> blocks;  // by chip
    int step = -1;                // that made it; -1: given
    std::string text;             // of that step
    std::uint32_t layer = 0;
    std::string name;
  };

  void order(const LayerStep&);
  const Held& held(const LayerStep&, const ArrayRef&) const;
  void hold(const LayerStep&, const ArrayRef&, std::vector<BlockId>);
  void work(const LayerStep&, const LocalProduct&);
  void work(const LayerStep&, const ResolvedCollective&);
  void work(const LayerStep&, const LayerElementwise&);
  BlockShape shape(const ArrayRef&) const;
  Product meeting(const LayerStep&, const LocalProduct&) const;
  std::string text(const LayerStep&) const;
  [[noreturn]] void fail(const LayerStep&, const std::string& what) const;

  Blocks blocks_;
  std::map<std::string, Held> held_;  // by array_key
  int at_ = -1;
  std::vector<std::vector<bool>> before_;  // by step, which ones end before it starts
  std::vector<bool> behind_;
};

}  // namespace hopsim

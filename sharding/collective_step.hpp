// One line of notation with a collective, checked and made definite: what runs over which axes with how many bytes.
//
//   AllGather_Y      takes the last axes of dimensions off (those of I_XY that can go alone are Y)
//   ReduceScatter_X,K   sums the partial sums over X; K is split over X, inside of the axes it has
//   AllReduce_X      sums them and every chip keeps all
//   AllToAll_X,J     moves X from the end of one dimension to the end of J
//   Slice_X,I        splits I over X; free
//
// Only the last axes can be taken off: chip (x, y) holds block x|Y| + y of I_XY, so gathering over X alone would
// leave every |Y|-th block, which is no I_Y.
//
// Bytes are V, the whole array of one group, padded shards counted as they travel (see array.hpp):
//   AllGather: the gathered array; ReduceScatter and AllReduce: the partial sum each chip holds, at full size;
//   AllToAll: what all chips of the group hold together; Slice: 0, nothing moves.
// An array also sharded over an axis outside the collective counts its share.
//
// Errors: NotationError with the column of what does not fit; InputError where sizes overflow.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sharding/array.hpp"

namespace hopsim {

using Arrays = std::map<std::string, ArrayRef, std::less<>>;  // as last defined, by name

// What a line is read against. All of it must outlive the call.
struct ArrayContext {
  const Mesh& mesh;
  const Sizes& sizes;
  DType dtype = DType::bf16;  // of arrays that give none
  const Arrays& arrays;
};

// A bare name's array as last defined; any other array as it is.
ArrayRef resolved(const ArrayRef&, const Arrays&);

struct ResolvedCollective {
  CollectiveKind kind{};
  std::vector<std::string> axes;  // in the order in which shards lie along the group
  std::uint64_t group = 1;        // chips of one group
  Bytes bytes;                    // V
  ArrayRef input, output;         // with sizes and element type
  bool padded = false;            // shards do not divide evenly
};

ResolvedCollective collective_step(const Collective&, const ArrayContext&);

}  // namespace hopsim

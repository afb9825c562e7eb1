// What `explain` found as JSON, schema "hopsim.explain/1". Times are seconds, sizes bytes; what is not known without
// a machine or sizes is null.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/explain.hpp"

namespace hopsim {

// Of an array alone the shards of so many chips are listed.
constexpr std::uint64_t kMaxListedShards = 4096;

// What one chip holds of an array: in the order of the mesh, its coordinates and the range of each dimension.
struct HeldShard {
  std::vector<std::uint32_t> at;
  std::vector<IndexRange> ranges;
};
std::vector<HeldShard> shards_of(const ArrayRef&, const Mesh&, std::uint64_t most);

// Keys keep their order; equal questions give equal bytes.
nlohmann::ordered_json to_json(const Explanation&, const MachineModel*);

}  // namespace hopsim

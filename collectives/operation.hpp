// The collective operations, by the names users know.
//
// `bytes` is V, the whole array of one group, as in the Scaling Book: AllGather the gathered array; ReduceScatter and
// AllReduce the full-size unreduced array each chip holds; AllToAll the array spread over all chips of the group.
#pragma once

#include <optional>
#include <string_view>

#include "sim/quantities.hpp"

namespace hopsim {

enum class Operation {
  all_gather,
  reduce_scatter,
  all_reduce,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  collective_permute,
  send_recv
};

std::string_view name(Operation);   // as in scenario files: "all_gather"
std::string_view title(Operation);  // as people say it: "AllGather"
// Also JAX's names: psum, psum_scatter, ppermute.
std::optional<Operation> operation_named(std::string_view);

constexpr bool is_rooted(Operation o) {
  return o == Operation::broadcast || o == Operation::reduce || o == Operation::gather || o == Operation::scatter;
}
constexpr bool is_point_to_point(Operation o) {
  return o == Operation::collective_permute || o == Operation::send_recv;
}

// nccl-tests' rates. algbw = size / time and busbw = algbw * factor, for nccl-tests' own size and factor
// (doc/PERFORMANCE.md of nccl-tests): e.g. AllGather: size V, factor (n-1)/n; AllReduce: V, 2(n-1)/n.
struct NcclSize {
  Bytes size;
  double bus_factor;
};
NcclSize nccl_size(Operation, Bytes bytes, int group_size);

}  // namespace hopsim

#include "collectives/operation.hpp"

#include <array>

namespace hopsim {
namespace {

struct Names {
  Operation operation;
  std::string_view name, title, jax;
};
constexpr std::array kNames{
    Names{Operation::all_gather, "all_gather", "AllGather", "all_gather"},
    Names{Operation::reduce_scatter, "reduce_scatter", "ReduceScatter", "psum_scatter"},
    Names{Operation::all_reduce, "all_reduce", "AllReduce", "psum"},
    Names{Operation::all_to_all, "all_to_all", "AllToAll", "all_to_all"},
    Names{Operation::broadcast, "broadcast", "Broadcast", "pbroadcast"},
    Names{Operation::reduce, "reduce", "Reduce", "reduce"},
    Names{Operation::gather, "gather", "Gather", "gather"},
    Names{Operation::scatter, "scatter", "Scatter", "scatter"},
    Names{Operation::collective_permute, "collective_permute", "CollectivePermute", "ppermute"},
    Names{Operation::send_recv, "send_recv", "SendRecv", "send_recv"},
};

}  // namespace

std::string_view name(Operation op) { return kNames[static_cast<std::size_t>(op)].name; }
std::string_view title(Operation op) { return kNames[static_cast<std::size_t>(op)].title; }

std::optional<Operation> operation_named(std::string_view text) {
  for (const Names& n : kNames)
    if (text == n.name || text == n.jax) return n.operation;
  return std::nullopt;
}

NcclSize nccl_size(Operation op, Bytes bytes, int n) {
  const double others = static_cast<double>(n - 1) / n;
  switch (op) {
    case Operation::all_reduce:
      return {bytes, 2 * others};
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::gather:
    case Operation::scatter:
      return {bytes, others};
    // nccl-tests' size of an AllToAll is what one rank sends.
    case Operation::all_to_all:
      return {Bytes((bytes.count() + static_cast<std::uint64_t>(n) - 1) / static_cast<std::uint64_t>(n)), others};
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::collective_permute:
    case Operation::send_recv:
      return {bytes, 1};
  }
  return {bytes, 1};
}

}  // namespace hopsim

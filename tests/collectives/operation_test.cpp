#include <gtest/gtest.h>

#include "collectives/operation.hpp"

namespace hopsim {
namespace {

constexpr Operation kAll[] = {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce,
                              Operation::all_to_all, Operation::broadcast,      Operation::reduce,
                              Operation::gather,     Operation::scatter,        Operation::collective_permute,
                              Operation::send_recv};

TEST(Operation, IsFoundByItsOwnName) {
  for (const Operation op : kAll) EXPECT_EQ(operation_named(name(op)), op) << name(op);
  EXPECT_EQ(name(Operation::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(name(Operation::send_recv), "send_recv");
  EXPECT_EQ(title(Operation::all_to_all), "AllToAll");
  EXPECT_EQ(title(Operation::collective_permute), "CollectivePermute");
}

TEST(Operation, IsFoundByJaxsName) {
  EXPECT_EQ(operation_named("psum"), Operation::all_reduce);
  EXPECT_EQ(operation_named("psum_scatter"), Operation::reduce_scatter);
  EXPECT_EQ(operation_named("ppermute"), Operation::collective_permute);
}

TEST(Operation, OthersAreNotFound) {
  for (const char* text : {"", "allgather", "AllGather", "all_gather ", "psums", "all"})
    EXPECT_EQ(operation_named(text), std::nullopt) << text;
}

// nccl-tests prints a size of its own for each operation and multiplies algbw by a factor (its doc/PERFORMANCE.md);
// 8 ranks and 1 MB here.
TEST(Operation, RatesAreNcclTests) {
  struct Row {
    Operation operation;
    std::uint64_t size;
    double factor;
  };
  for (const Row& row :
       {Row{Operation::all_gather, 1'000'000, 0.875}, Row{Operation::reduce_scatter, 1'000'000, 0.875},
        Row{Operation::all_reduce, 1'000'000, 1.75}, Row{Operation::all_to_all, 125'000, 0.875},
        Row{Operation::broadcast, 1'000'000, 1}, Row{Operation::reduce, 1'000'000, 1},
        Row{Operation::gather, 1'000'000, 0.875}, Row{Operation::scatter, 1'000'000, 0.875},
        Row{Operation::collective_permute, 1'000'000, 1}, Row{Operation::send_recv, 1'000'000, 1}}) {
    const NcclSize got = nccl_size(row.operation, Bytes(1'000'000), 8);
    EXPECT_EQ(got.size, Bytes(row.size)) << name(row.operation);
    EXPECT_DOUBLE_EQ(got.bus_factor, row.factor) << name(row.operation);
  }
  EXPECT_EQ(nccl_size(Operation::all_to_all, Bytes(1'000'001), 8).size, Bytes(125'001));
  EXPECT_EQ(nccl_size(Operation::all_gather, Bytes(1'000), 1).bus_factor, 0);
}

}  // namespace
}  // namespace hopsim

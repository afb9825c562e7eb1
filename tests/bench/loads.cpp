#include "tests/bench/loads.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "topologies/grid.hpp"

namespace hopsim::bench {
namespace {

Request over_all(const Sizes& sizes, Operation operation, Bytes bytes, int chunks) {
  return {.operation = operation,
          .row = row_over(torus(sizes), {0, 1, 2}, RowOrder::rows),
          .bytes = bytes,
          .chunks = chunks};
}

Bytes blocks(const Sizes& s) {
  const std::uint64_t chips = std::uint64_t{s[0]} * s[1] * s[2];
  return Bytes(kBlock.count() * chips * chips);
}

}  // namespace

Shape torus(const Sizes& s) {
  return grid_shape({static_cast<int>(s[0]), static_cast<int>(s[1]), static_cast<int>(s[2])}, {true, true, true});
}

Fabric torus_fabric(const Sizes& s) { return freeze(grid(torus(s), LinkModel{kBandwidth, kLatency})); }

Fabric torus_fabric_of_distinct_times(const Sizes& s) {
  Fabric fabric = torus_fabric(s);
  std::uint64_t z = 1;
  for (Link& l : fabric.links) {
    z = z * 6364136223846793005u + 1442695040888963407u;
    l.latency = Time::picoseconds(l.latency.ps() + (z >> 48) % 50'000);
  }
  return fabric;
}

Program one_collective(const Request& request, std::string_view algorithm) {
  auto schedule = std::make_shared<const Schedule>(choose_algorithm(algorithm, request).schedule(request));
  Program program;
  program.push_back({.work = CollectiveTask{std::move(schedule)}, .after = {}});
  return program;
}

Program all_gather(const Sizes& sizes, int chunks) {
  return one_collective(
      {.operation = Operation::all_gather, .row = row_along(torus(sizes), 0), .bytes = kArray, .chunks = chunks},
      "bidirectional_ring");
}

Program all_reduce(const Sizes& sizes, int chunks) {
  return one_collective(over_all(sizes, Operation::all_reduce, kArray, chunks), "nd_ring");
}

Program nd_all_to_all(const Sizes& sizes, int chunks) {
  return one_collective(over_all(sizes, Operation::all_to_all, blocks(sizes), chunks), "nd_all_to_all");
}

Program all_to_all(const Sizes& sizes) {
  return one_collective(over_all(sizes, Operation::all_to_all, blocks(sizes), 1), "direct");
}

}  // namespace hopsim::bench

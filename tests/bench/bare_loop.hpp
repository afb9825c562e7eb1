// The least that any simulation of a collective by messages must do, as a yardstick for the core: an event queue and
// one `free_at` a link. No fairness among the events of an instant, no recorder, no proof, no units; state in flat
// arrays, laid out so that what one instant touches lies together.
//
// Tori of three wrapped dimensions. Link and lane numbers are port * chips + chip.
#pragma once

#include <cstdint>

#include "tests/bench/far_first.hpp"

namespace hopsim::bench {

struct LinkTimes {
  double ps_per_byte = 0;
  std::uint64_t latency_ps = 0;
};

struct BareResult {
  std::uint64_t messages = 0, link_hops = 0;
  std::uint64_t end_ps = 0;
};

// AllGather along the first dimension of n x n x n, both ways on all its rings at once: floor(n/2) hops of a shard,
// the antipodal shard's last hop halved. A link takes `shard_ps` a shard.
BareResult all_gather_loop(int n, std::uint64_t shard_ps, std::uint64_t latency_ps);

// AllReduce over all dimensions in one chunk: a third of the array for each rotation of them, half of it either way,
// ReduceScatter along one dimension after another, AllGather back.
BareResult all_reduce_loop(const Sizes&, std::uint64_t bytes, const LinkTimes&);

// Every chip sends every other one message, far ones first, straight there hop by hop; each port takes its next one
// as soon as the one before has left.
BareResult all_to_all_loop(const Sizes&, std::uint64_t block_bytes, const LinkTimes&);

}  // namespace hopsim::bench

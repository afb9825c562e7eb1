// The least that any simulation of a collective by messages must do, as a yardstick for the core: an event queue and
// one `free_at` a link. No fairness among the events of an instant, no recorder, no proof, no units, no sizes but
// one.
#pragma once

#include <cstdint>

namespace hopsim::bench {

struct BareResult {
  std::uint64_t messages = 0;
  std::uint64_t end_ps = 0;
};

// One-axis AllGather both ways on every ring of a torus of size^3 chips at once, along the first dimension:
// floor(n/2) hops of a shard, the antipodal shard's last hop halved. A link takes `shard_ps` a shard, a hop
// `latency_ps`.
BareResult bare_all_gather(int size, std::uint64_t shard_ps, std::uint64_t latency_ps);

}  // namespace hopsim::bench

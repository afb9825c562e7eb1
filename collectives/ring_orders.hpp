// Several rings at once: equal shares of the array round cyclic orders of the members that share no link, or no NIC.
#pragma once

#include <vector>

#include "collectives/algorithm.hpp"

namespace hopsim {

// The orders that `ring` goes round: those of the wiring, else that of the row.
std::vector<std::vector<int>> ring_orders(const Request&);

// An AllGather one way round all of them.
Schedule rings_gather_schedule(const Request&);

// What an AllGather puts on the busiest link and NIC, and the hops of the last shard.
ClosedForm rings_gather_form(const Request&);

// An AllReduce's: there and back.
ClosedForm twice(ClosedForm);

// No order of the members goes round by links of their own, or too many chunks.
std::string rings_obstacle(const Request&);

// Orders over domains x local positions, node by node, one for each local number r: ring r comes into a domain at one
// GPU and leaves it by the NIC of that GPU's neighbour, so that every NIC carries one ring out and one in, on a rail
// of its own (NCCL's rings do the same). Even domains are gone through r, r+1, .., r-1; odd ones from r-1 backwards
// to r. An odd number of domains ends with an even one, from whose GPU r-1 the way to GPU r changes rails.
std::vector<std::vector<int>> node_rings(int domains, int local);

// Hamiltonian rings that share no link, each in both directions: as many as a search of bounded effort (up to 512
// members) finds; `links[a][b]` how many lead from a to b. Empty: it found none. Two members are a ring, by a link
// each way.
std::vector<std::vector<int>> hamiltonian_rings(std::vector<std::vector<int>> links);

}  // namespace hopsim

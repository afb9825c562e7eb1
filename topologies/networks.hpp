// Fabrics that are no grids: switched nodes, directly wired GPUs, and what joins several of either.
//
// GPUs of one domain (a node, a rack, a slice) are consecutive in number. Shapes have no wrapped dimension; where
// chips stand in them only names them.
#pragma once

#include <vector>

#include "topologies/cluster_network.hpp"
#include "topologies/grid.hpp"

namespace hopsim {

// Every chip on one crossbar, a link up and a link down each: an NVSwitch node, an NVL72 rack (the switch chips of a
// node share its links evenly, so they are one). With `reduces` the switch also reduces and multicasts (NVLS).
Topology switched(const Shape&, const LinkModel&, bool reduces);

// A link from every chip to every other. Throws InputError for more than 512 chips.
Topology fully_connected(const Shape&, const LinkModel&);

// DGX-1 with 8 V100s: six NVLinks a GPU, one or two to each of four others. `link` is one NVLink. Source: NVIDIA
// DGX-1 white paper; nccl issue 671 (GPUs 0 and 1).
Topology hybrid_cube_mesh(const LinkModel& link);

// `domains` copies of `one` (chips numbered domain by domain) and a network between them. Messages within a domain
// keep to its links; those between domains go NIC to NIC. GPUs do not forward for others, unless they must within
// their own domain (a hybrid cube mesh). Shape: a dimension of domains, then those of `one`. Nodes: chips, the
// domains' switches (those that reduce first), leaves pod by pod, spines. H100 SuperPod: 32 nodes a pod, 8 leaves,
// 4 pods. Throws InputError for no domains, several leaves without spines, or too many chips.
Topology cluster(const Topology& one, int domains, const ClusterNetwork&);

// `n` grids joined over the data-centre network: every chip has its share of its host's NIC. Within a slice messages
// keep to its links. Shape: a dimension of slices, then those of the slice, which keep their wraparound.
Topology slices(const Topology& one, int n, const LinkModel& dcn);

}  // namespace hopsim

#include <algorithm>
#include <string>

#include "sim/error.hpp"
#include "topologies/networks.hpp"
#include "topologies/reach.hpp"

namespace hopsim {
namespace {

// Weights, so that the best way is the one with the fewest NICs, then links within a domain, then leaves and spines.
constexpr std::uint32_t kLeafSpineWeight = 1;
constexpr std::uint32_t kInnerFactor = 4;  // more than the two links from leaf to spine to leaf

std::uint32_t nic_weight(const Topology& one) {  // more than any way within a domain
  std::uint32_t most = 1;
  for (const auto e : boost::make_iterator_range(edges(one.graph))) most = std::max(most, one.graph[e].weight);
  return kInnerFactor * most * static_cast<std::uint32_t>(num_vertices(one.graph));
}

Shape shape_of_copies(const Shape& one, int n) {
  std::vector<int> size{n};
  std::vector<bool> wrap{false};
  for (int d = 0; d < one.dimensions; ++d) {
    size.push_back(one.size[static_cast<std::size_t>(d)]);
    wrap.push_back(one.wrap[static_cast<std::size_t>(d)]);
  }
  Shape all = grid_shape(size, wrap);
  for (std::size_t d = 0; d + 1 < kMaxDimensions; ++d)
    for (std::size_t e = 0; e + 1 < kMaxDimensions; ++e) all.twist[d + 1][e + 1] = one.twist[d][e];
  all.switches = one.switches * static_cast<std::uint32_t>(n);
  return all;
}

// Copies with nothing between them.
class Copies {
 public:
  Copies(const Topology& one, int n) : one_(one), n_(static_cast<std::uint32_t>(n)) {
    if (n < 1) throw InputError("a machine has too few domains", std::to_string(n), "1 or more");
    all_.shape = shape_of_copies(one.shape, n);
    all_.domain = one.shape.chips();
    all_.graph = LinkGraph(num_vertices(one.graph) * n_);
    for (std::uint32_t copy = 0; copy < n_; ++copy) add(copy);
  }
  Topology& all() { return all_; }

 private:
  // Chips first, then switches that take part in collectives, then others; each kind copy by copy.
  std::uint32_t node(std::uint32_t copy, std::uint32_t v) const {
    const std::uint32_t chips = one_.shape.chips(), actors = one_.shape.actors();
    const auto nodes = static_cast<std::uint32_t>(num_vertices(one_.graph));
    const auto [first, end] = v < chips    ? std::pair{0u, chips}
                              : v < actors ? std::pair{chips, actors}
                                           : std::pair{actors, nodes};
    return n_ * first + copy * (end - first) + (v - first);
  }
  void add(std::uint32_t copy) {
    for (std::uint32_t v = 0; v < num_vertices(one_.graph); ++v) {
      NodeProperties& p = all_.graph[node(copy, v)];
      p = one_.graph[v];
      if (!p.name.empty()) p.name += " of domain " + std::to_string(copy);
    }
    for (const auto e : boost::make_iterator_range(edges(one_.graph))) {
      LinkProperties p = one_.graph[e];
      p.weight *= kInnerFactor;
      if (p.port >= 0) p.port += 2;  // behind those of the domains' dimension
      const auto from = static_cast<std::uint32_t>(source(e, one_.graph));
      const auto to = static_cast<std::uint32_t>(target(e, one_.graph));
      add_edge(node(copy, from), node(copy, to), p, all_.graph);
    }
  }

  const Topology& one_;
  std::uint32_t n_;
  Topology all_;
};

std::uint32_t add_switch(Topology& t, std::string name) {
  return static_cast<std::uint32_t>(
      add_vertex({.is_switch = true, .forwards = true, .name = std::move(name)}, t.graph));
}

void join(Topology& t, std::uint32_t a, std::uint32_t b, const LinkModel& link, std::uint32_t weight) {
  const LinkProperties p{link.bandwidth, link.latency, -1, weight};
  add_edge(a, b, p, t.graph);
  add_edge(b, a, p, t.graph);
}

// All chips on one switch.
void join_all(Topology& t, const LinkModel& link, std::uint32_t weight, const std::string& name) {
  const std::uint32_t hub = add_switch(t, name);
  for (std::uint32_t chip = 0; chip < t.shape.chips(); ++chip) join(t, chip, hub, link, weight);
}

void join_by_leaves(Topology& t, int domains, const ClusterNetwork& network, std::uint32_t weight) {
  const std::uint32_t pod = static_cast<std::uint32_t>(network.pod == 0 ? domains : network.pod);
  const std::uint32_t pods = (static_cast<std::uint32_t>(domains) + pod - 1) / pod;
  const std::uint32_t leaves_a_pod = network.kind == ClusterNetwork::Kind::rails ? t.domain : 1;
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t i = 0; i < pods * leaves_a_pod; ++i)
    leaves.push_back(add_switch(t, "leaf " + std::to_string(i)));
  for (std::uint32_t chip = 0; chip < t.shape.chips(); ++chip) {
    const std::uint32_t rail = leaves_a_pod == 1 ? 0 : chip % t.domain;
    join(t, chip, leaves[chip / t.domain / pod * leaves_a_pod + rail], network.nic, weight);
  }
  if (leaves.size() == 1) return;
  if (network.spines < 1)
    throw InputError("several leaf switches need spines to join them", std::to_string(network.spines), "1 or more");
  for (int i = 0; i < network.spines; ++i) {
    const std::uint32_t spine = add_switch(t, "spine " + std::to_string(i));
    for (const std::uint32_t leaf : leaves) join(t, leaf, spine, network.leaf_spine, kLeafSpineWeight);
  }
}

// Chips that all reach one another directly or over switches need not pass anything on.
bool works_without_forwarding(Topology one) {
  for (std::uint32_t chip = 0; chip < one.shape.chips(); ++chip) one.graph[chip].forwards = false;
  return is_connected(one);
}

}  // namespace

Topology cluster(const Topology& one, int domains, const ClusterNetwork& network) {
  if (network.pod < 0) throw InputError("a pod has too few domains", std::to_string(network.pod), "0 (all) or more");
  Copies copies(one, domains);
  Topology& t = copies.all();
  if (works_without_forwarding(one))
    for (std::uint32_t chip = 0; chip < t.shape.chips(); ++chip) t.graph[chip].forwards = false;
  if (network.kind == ClusterNetwork::Kind::one_switch)
    join_all(t, network.nic, nic_weight(one), "network");
  else
    join_by_leaves(t, domains, network, nic_weight(one));
  return t;
}

Topology slices(const Topology& one, int n, const LinkModel& dcn) {
  Copies copies(one, n);
  join_all(copies.all(), dcn, nic_weight(one), "DCN");
  return copies.all();
}

}  // namespace hopsim

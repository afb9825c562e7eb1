#include <algorithm>

#include "collectives/algorithm.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

std::string names_that_can(const Request& request) {
  std::string names;
  for (const Algorithm* a : able_algorithms(request)) names += (names.empty() ? "" : ", ") + std::string(a->name);
  return names;
}

// One torus axis: both ways round where it wraps, a line where it does not. Several: all at once, but that on a 2x2
// block without wraparound an axis is the ring of four. Empty: the cheapest by the cost model.
std::string_view default_algorithm(const Request& r) {
  if (is_point_to_point(r.operation)) return "direct";
  if (is_rooted(r.operation)) return {};
  if (r.wiring.kind != Wiring::Kind::grid) return {};
  const Row& row = *r.row;
  if (r.operation == Operation::all_to_all && !row.straight())
    return row.dimensions().empty() || row.shape().any_twist() || r.domains() > 1 ? "direct" : "nd_all_to_all";
  if (row.dimensions().size() > 1 && row.size() > 4) return r.domains() > 1 ? "hierarchical" : "nd_ring";
  return row.wraps() ? "bidirectional_ring" : "line";
}

const Algorithm& named(std::string_view name, const Request& request) {
  const auto all = algorithms();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Algorithm& a) { return a.name == name; });
  if (found == all.end()) {
    std::string known = "auto, best";
    for (const Algorithm& a : all) known += ", " + std::string(a.name);
    throw InputError("unknown algorithm", std::string(name), known);
  }
  if (const std::string obstacle = found->obstacle(request); !obstacle.empty()) {
    const std::string others = names_that_can(request);
    throw InputError(obstacle, {}, obstacle.find("valid:") == std::string::npos ? others : std::string{});
  }
  return *found;
}

Request with_chunks(const Algorithm& a, Request r, bool own) {
  if (own) r.chunks = a.own_chunks ? a.own_chunks(r) : 1;
  return r;
}

}  // namespace

Time modelled_cost(const Algorithm& a, const Request& r) {
  const ClosedForm f = a.closed_form(r);
  const auto steps = static_cast<std::uint64_t>(f.steps > 0 ? f.steps : f.hops + f.nic_hops);
  const Time bytes_and_hops = Time::picoseconds(static_cast<std::uint64_t>(f.seconds(r.wiring) * 1e12));
  return later(bytes_and_hops,
               r.wiring.overheads.launch + steps * (r.wiring.overheads.step + r.wiring.overheads.chunk));
}

std::vector<const Algorithm*> able_algorithms(const Request& request) {
  std::vector<const Algorithm*> able;
  for (const Algorithm& a : algorithms())
    if (a.obstacle(request).empty()) able.push_back(&a);
  return able;
}

Choice choose(std::string_view name, const Request& request, bool own_chunks) {
  if (name.empty() || name == "auto") name = default_algorithm(request);
  Choice choice;
  if (!name.empty()) {
    choice.algorithm = &named(name, request);
  } else {
    for (const Algorithm* a : able_algorithms(request))
      choice.costs.push_back({a, modelled_cost(*a, with_chunks(*a, request, own_chunks))});
    if (choice.costs.empty())
      throw InputError("no algorithm does " + std::string(hopsim::name(request.operation)) + " here");
    std::stable_sort(choice.costs.begin(), choice.costs.end(),
                     [](const Cost& a, const Cost& b) { return a.time < b.time; });
    choice.algorithm = choice.costs.front().algorithm;
  }
  choice.chunks = with_chunks(*choice.algorithm, request, own_chunks).chunks;
  return choice;
}

const Algorithm& choose_algorithm(std::string_view name, const Request& request) {
  return *choose(name, request, true).algorithm;
}

}  // namespace hopsim

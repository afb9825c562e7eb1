#include <algorithm>

#include "collectives/algorithm.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

std::string names_that_can(const Request& request) {
  std::string names;
  for (const Algorithm& a : algorithms())
    if (a.obstacle(request).empty()) names += (names.empty() ? "" : ", ") + std::string(a.name);
  return names;
}

// One torus axis: both ways round where it wraps, a line where it does not. Several: all at once, but that on a 2x2
// block without wraparound an axis is the ring of four.
std::string_view default_algorithm(const Request& r) {
  if (r.operation == Operation::collective_permute || r.operation == Operation::send_recv) return "direct";
  if (r.operation == Operation::all_to_all && !r.row->straight())
    return r.row->dimensions().empty() ? "direct" : "nd_all_to_all";
  if (r.row->dimensions().size() > 1 && r.row->size() > 4) return "nd_ring";
  return r.row->wraps() ? "bidirectional_ring" : "line";
}

}  // namespace

const Algorithm& choose_algorithm(std::string_view name, const Request& request) {
  if (name.empty() || name == "auto") name = default_algorithm(request);
  const auto all = algorithms();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Algorithm& a) { return a.name == name; });
  if (found == all.end()) {
    std::string known = "auto";
    for (const Algorithm& a : all) known += ", " + std::string(a.name);
    throw InputError("unknown algorithm", std::string(name), known);
  }
  if (const std::string obstacle = found->obstacle(request); !obstacle.empty()) {
    const std::string others = names_that_can(request);
    throw InputError(obstacle, {}, obstacle.find("valid:") == std::string::npos ? others : std::string{});
  }
  return *found;
}

}  // namespace hopsim

#include "scenarios/simgrid_cost.hpp"

#include <algorithm>
#include <set>

#include "scenarios/passage_hops.hpp"
#include "sim/program.hpp"

namespace hopsim {
namespace {

constexpr double kMessage = 3e-6, kMessageAndChip = 0.055e-6, kShared = 0.22e-9;
constexpr std::uint32_t kChipsLookedAt = 16;

struct Sharing {
  double messages = 0;
  double sharing = 0;  // summed over messages: (links of its way, times those that may be shared)^2

  void add(const Sharing& other) {
    messages += other.messages;
    sharing += other.sharing;
  }
};

// Links, one way, of the box that an offset spans.
double links_spanned(const Shape& shape, Offset offset) {
  double chips = 1;
  int dimensions = 0;
  for (int d = 0; d < shape.dimensions; ++d)
    if (offset[d] != 0) {
      chips *= shape.size[d];
      ++dimensions;
    }
  return dimensions == 1 ? chips : 2 * dimensions * chips;
}

Sharing of_passage(const Fabric& fabric, ChipId from, const Coordinates& at, const Passage& p) {
  if (!p.out || p.out.peer.zero()) return {};
  const double hops = hops_of(fabric, from, at, p, 0);
  const double links =
      by_offset(fabric, from, p) ? links_spanned(fabric.shape, p.out.peer) : static_cast<double>(fabric.links.size());
  return {1, hops > 1 ? hops * links * hops * links : 0};
}

// Of some chips.
Sharing of_schedule(const Fabric& fabric, const Schedule& schedule) {
  Sharing sum;
  const std::uint32_t step = std::max(1u, fabric.actors() / kChipsLookedAt);
  for (std::uint32_t c = 0; c < fabric.actors(); c += step) {
    const Coordinates at = fabric.shape.at(ChipId{c});
    for (const Lane& lane : schedule.lanes)
      for (const Lane::Placed& placed : lane.phases)
        for (int i = 0, n = placed.phase->length(at); i < n;) {
          const int alike = std::clamp(placed.phase->alike(at, i, 1), 1, n - i);
          Sharing s = of_passage(fabric, ChipId{c}, at, placed.phase->passage(at, i));
          s.messages *= alike;
          s.sharing *= alike;
          sum.add(s);
          i += alike;
        }
  }
  return sum;
}

}  // namespace

double simgrid_seconds(const MachineModel& machine, const Plan& plan, const Estimate& whole) {
  Sharing sum;
  std::set<const Schedule*> seen;
  for (const Task& task : plan.program)
    if (const CollectiveTask* c = collective_of(task); c != nullptr && seen.insert(c->schedule.get()).second)
      sum.add(of_schedule(machine.fabric(), *c->schedule));
  const double sharing = sum.messages > 0 ? sum.sharing / sum.messages : 0;
  return static_cast<double>(whole.messages) *
         (kMessage + kMessageAndChip * machine.fabric().actors() + kShared * sharing);
}

}  // namespace hopsim

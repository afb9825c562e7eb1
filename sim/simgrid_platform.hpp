// A fabric as SimGrid 3.32 sees it: a host a chip, a link a directed link; flows and computations on them.
//
// Only simgrid_engine.cpp includes this. SimGrid's engine is one a process: a second SimgridPlatform throws
// std::logic_error, even after the first has gone.
#pragma once

#include <memory>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <span>
#include <vector>

#include "sim/fabric.hpp"

namespace hopsim {

class SimgridPlatform {
 public:
  // `slowed`: the speed of a chip that shares its compute unit, as a share of its own.
  SimgridPlatform(const Fabric&, double slowed);

  simgrid::s4u::Engine& engine() { return *engine_; }
  // Each begins now and reports `owner` to Activity::on_completion_cb, as its data. SimGrid still touches an activity
  // after that callback, so the pointer must be kept until it has returned. Amounts may not be 0.
  simgrid::s4u::ActivityPtr start_flow(ChipId from, ChipId to, Bytes, std::span<const LinkId> route, void* owner);
  simgrid::s4u::ActivityPtr start_computing(ChipId, Time busy, void* owner);
  void slow(ChipId, bool slowed);

 private:
  // Routes are the messages', not the pair of hosts': on a grid they depend on the order of dimensions. SimGrid asks
  // for a route while it starts a flow, so whoever starts one lays its route here first.
  class LaidRoutes final : public simgrid::kernel::routing::NetZoneImpl {
   public:
    LaidRoutes() : NetZoneImpl("fabric") {}
    std::vector<simgrid::kernel::resource::StandardLinkImpl*> laid;

   private:
    void get_local_route(const simgrid::kernel::routing::NetPoint*, const simgrid::kernel::routing::NetPoint*,
                         simgrid::kernel::routing::Route* into, double*) override {
      into->link_list_ = laid;
    }
  };

  std::unique_ptr<simgrid::s4u::Engine> engine_;
  LaidRoutes* zone_;                        // the engine's
  std::vector<simgrid::s4u::Host*> hosts_;  // by chip
  std::vector<simgrid::s4u::Link*> links_;  // by LinkId
};

}  // namespace hopsim

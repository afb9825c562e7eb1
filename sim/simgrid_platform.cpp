#include "sim/simgrid_platform.hpp"

#include <xbt/log.h>

#include <array>
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>

namespace hopsim {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kFlopsPerSecond = 1e12;  // a computation of n ps is one of n FLOPs

// SimGrid takes over signals when it starts, to print and exit. That is the program's business.
class SignalsKept {
 public:
  SignalsKept() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &actions_[i]);
  }
  ~SignalsKept() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGSEGV, SIGBUS};
  std::array<struct sigaction, kSignals.size()> actions_{};
};

std::unique_ptr<s4u::Engine> start() {
  static std::atomic_flag started;  // by process, as SimGrid's engine is
  if (started.test_and_set())
    throw std::logic_error(
        "SimGrid's engine starts only once a process; run the second simulation in another process");
  const SignalsKept kept;
  xbt_log_control_set("root.thresh:critical");
  auto engine = std::make_unique<s4u::Engine>("hopsim");
  // CM02 is max-min sharing without the corrections for TCP that the default, LV08, makes (latency times 13.01).
  // Dates closer than the precision are one, and its default, 1 ns, would show in runs of a few microseconds. That of
  // rates stays at 1e-5: SimGrid aborts on its own rounding where it is much finer (1e-9, tried).
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "surf/precision:1e-13"})
    s4u::Engine::set_config(setting);
  return engine;
}

}  // namespace

SimgridPlatform::SimgridPlatform(const Fabric& fabric, double slowed)
    : engine_(start()), zone_(new LaidRoutes), links_(fabric.links.size()) {
  s4u::NetZone* zone = zone_->get_iface();  // the root, as it is the first; the engine deletes it
  for (std::uint32_t c = 0; c < fabric.actors(); ++c)
    hosts_.push_back(zone->create_host("chip " + std::to_string(c),
                                       std::vector<double>{kFlopsPerSecond, kFlopsPerSecond * slowed}));
  for (std::size_t l = 0; l < links_.size(); ++l)
    if (const Link& link = fabric.links[l]; link.exists())
      links_[l] =
          zone->create_link("link " + std::to_string(l), static_cast<double>(link.bandwidth.bytes_per_second()));
  zone->seal();
}

s4u::ActivityPtr SimgridPlatform::start_flow(ChipId from, ChipId to, Bytes bytes, std::span<const LinkId> route,
                                             void* owner) {
  const s4u::CommPtr flow = s4u::Comm::sendto_init(hosts_[index(from)], hosts_[index(to)]);
  flow->set_payload_size(static_cast<double>(bytes.count()));
  flow->set_data(owner);
  zone_->laid.clear();
  for (const LinkId l : route) zone_->laid.push_back(links_[index(l)]->get_impl());
  flow->start();
  return flow;
}

s4u::ActivityPtr SimgridPlatform::start_computing(ChipId chip, Time busy, void* owner) {
  const s4u::ExecPtr computation = s4u::Exec::init();
  computation->set_flops_amount(static_cast<double>(busy.ps()))->set_host(hosts_[index(chip)]);
  computation->set_data(owner);
  computation->start();
  return computation;
}

void SimgridPlatform::slow(ChipId chip, bool slowed) { hosts_[index(chip)]->set_pstate(slowed ? 1 : 0); }

}  // namespace hopsim

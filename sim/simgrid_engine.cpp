#include "sim/simgrid_engine.hpp"

#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <deque>
#include <exception>
#include <map>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace hopsim {
namespace {

namespace s4u = simgrid::s4u;
namespace kernel = simgrid::kernel;
using kernel::timer::Timer;

constexpr double kPicosecond = 1e-12;
constexpr double kLastTick = 9007199254740992.0;       // 2^53 ps
constexpr double kNoise = 0.01;                        // ps: what sums of doubles may be off by
constexpr double kFlopsPerSecond = 1e12;               // a computation of n ps is one of n FLOPs

double seconds(Time t) { return static_cast<double>(t.ps()) * kPicosecond; }

std::uint64_t mark(std::uint32_t resource, Time end) {  // summed, so in no order
  std::uint64_t z = (end.ps() + 1) * 0x9e3779b97f4a7c15u ^ (std::uint64_t{resource} + 1) * 0xd1342543de82ef95u;
  z = (z ^ z >> 32) * 0xbf58476d1ce4e5b9u;
  return z ^ z >> 29;
}

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

std::unique_ptr<s4u::Engine> start_simgrid() {
  static std::atomic_flag started;
  if (started.test_and_set())
    throw std::logic_error("SimGrid's engine can be started only once a process; run the second in another process");
  const SignalsKept kept;
  xbt_log_control_set("root.thresh:critical");
  auto engine = std::make_unique<s4u::Engine>("hopsim");
  // Precision: dates closer than this are one, and rates are exact to this (bytes/s or FLOP/s, relative). The defaults,
  // 1 ns and 1e-5, would show in runs of a few microseconds.
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "surf/precision:1e-13",
                              "maxmin/precision:1e-9"})
    s4u::Engine::set_config(setting);
  return engine;
}

// Routes are the messages', not the pair of hosts': on a grid they depend on the order of dimensions. SimGrid asks for a
// route while it starts a flow, so whoever starts one lays its route here first.
class LaidRoutes final : public kernel::routing::NetZoneImpl {
 public:
  LaidRoutes() : NetZoneImpl("fabric") {}
  void lay(std::span<const LinkId> route, const std::vector<s4u::Link*>& links) {
    route_.clear();
    for (const LinkId l : route) route_.push_back(links[index(l)]->get_impl());
  }

 private:
  void get_local_route(const kernel::routing::NetPoint*, const kernel::routing::NetPoint*, kernel::routing::Route* into,
                       double*) override {
    into->link_list_.assign(route_.begin(), route_.end());
  }
  std::vector<kernel::resource::StandardLinkImpl*> route_;
};

// The links a message passes, in order.
void find_route(const Fabric& fabric, const Message& m, std::vector<LinkId>& route) {
  std::uint32_t at = index(m.from);
  Offset rest = m.offset;
  const auto arrived = [&] { return fabric.grid() ? rest.zero() : at == index(m.to); };
  int d = m.order;
  for (route.clear(); !arrived(); at = fabric.links[index(route.back())].to) {
    if (fabric.grid()) {
      while (rest[d] == 0) d = d + 1 == kMaxDimensions ? 0 : d + 1;
      route.push_back(fabric.grid_link(Fabric::port(d, rest[d] < 0), at));
      rest = rest.with(d, rest[d] + (rest[d] < 0 ? 1 : -1));
    } else {
      route.push_back(fabric.towards[std::size_t{at} * fabric.chips() + index(m.to)]);
    }
    if (!fabric.links[index(route.back())].exists())
      throw std::logic_error("a message leaves the edge of the fabric at chip " + fabric.chip_name(ChipId{at}));
  }
}

// A message from its posting until its tail has left its route's links, or a computation from posting to end.
struct Job {
  Message message;                     // of a computation: from, position and, as `arrived`, what it raises
  MessageLabel label;
  Time posted, ready, start;           // ready: when it could have been served
  Time busy;                           // of a computation
  std::uint64_t serial = 0;
  std::uint32_t server = 0;
  std::vector<LinkId> route;           // of a message
  s4u::ActivityPtr activity;           // while SimGrid is at it
};

// Whether b is served first.
bool after(const Job* a, const Job* b) {
  const Message &x = a->message, &y = b->message;
  if (x.polite != y.polite) return x.polite;
  if (x.polite) return std::tie(x.position, a->serial) > std::tie(y.position, b->serial);
  return std::tie(a->ready, a->posted, x.position, a->serial) > std::tie(b->ready, b->posted, y.position, b->serial);
}

// A link, fed by the chip (or switch) it leaves, or a chip's compute unit: one job at a time.
struct Server {
  std::vector<Job*> waiting;           // a heap, the next one in front
  bool busy = false, dirty = false;
};

}  // namespace

class SimgridEngine::Simulation {
 public:
  Simulation(const Fabric&, const Overheads&, Recorder*, Activity*);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  Time now() const { return now_; }
  void send(const Message&, const MessageLabel&);
  void count_after(Time delay, CounterId counter) {
    at(later(now_, delay), [this, counter] { raise(counter); });
  }
  void compute(ChipId, Time busy, Position, CounterId done, std::uint32_t task);
  void run(CounterSink&);
  const EngineTotals& totals() const { return totals_; }
  const std::vector<Time>& link_busy() const { return link_busy_; }

 private:
  void build();
  Job& take_job();
  template <class Call>
  void at(Time, Call);
  void raise(CounterId);
  void wake();
  void end_instant(Time);
  void instant();
  void take_channels();
  void request_after(Time delay, Job&);
  void mark_dirty(std::uint32_t server);
  void serve(std::uint32_t server);
  void start_flow(Job&);
  void start_computing(Job&);
  void completed(Job&);
  void finish(Job&);
  void finish_flow(const Job&);
  void finish_computing(const Job&);
  Time pass_links(const Job&);

  const Fabric& fabric_;
  const Overheads overheads_;
  Recorder* const recorder_;
  Activity* const activity_;
  const std::uint32_t first_unit_;
  std::unique_ptr<s4u::Engine> simgrid_;
  LaidRoutes* zone_ = nullptr;         // SimGrid's
  std::vector<s4u::Host*> hosts_;      // by chip
  std::vector<s4u::Link*> links_;      // by LinkId
  CounterSink* sink_ = nullptr;
  Time now_;
  bool awake_ = false;                 // the end of this instant is on SimGrid's agenda
  std::exception_ptr failure_;         // of a program; nothing may be thrown through SimGrid
  std::deque<Job> jobs_;
  std::vector<Job*> free_jobs_, ended_, at_channels_;
  std::vector<Server> servers_;        // links, then compute units
  std::vector<std::uint32_t> dirty_;
  std::vector<CounterId> raised_, counted_;
  std::map<std::pair<ChipId, std::uint32_t>, Time> channel_free_;
  std::uint64_t computations_ = 0;
  EngineTotals totals_;
  std::vector<Time> link_busy_;
};

SimgridEngine::Simulation::Simulation(const Fabric& fabric, const Overheads& overheads, Recorder* recorder,
                                      Activity* activity)
    : fabric_(fabric),
      overheads_(overheads),
      recorder_(recorder),
      activity_(activity),
      first_unit_(static_cast<std::uint32_t>(fabric.links.size())),
      simgrid_(start_simgrid()),
      links_(fabric.links.size()),
      servers_(fabric.links.size() + fabric.chips()),
      link_busy_(fabric.links.size()) {
  build();
  s4u::Activity::on_completion_cb([this](const s4u::Activity& a) { completed(*a.get_data<Job>()); });
}

void SimgridEngine::Simulation::build() {
  zone_ = new LaidRoutes;              // SimGrid's root zone, and SimGrid's to delete
  s4u::NetZone* zone = zone_->get_iface();
  for (std::uint32_t c = 0; c < fabric_.chips(); ++c)
    hosts_.push_back(zone->create_host("chip " + std::to_string(c), kFlopsPerSecond));
  for (std::uint32_t l = 0; l < first_unit_; ++l)
    if (const Link& link = fabric_.links[l]; link.exists())
      links_[l] = zone->create_link("link " + std::to_string(l), static_cast<double>(link.bandwidth.bytes_per_second()));
  zone->seal();
}

Job& SimgridEngine::Simulation::take_job() {
  if (free_jobs_.empty()) return jobs_.emplace_back();
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  return job;
}

// Never in SimGrid's present: what it does now, it does after timers.
template <class Call>
void SimgridEngine::Simulation::at(Time when, Call call) {
  Timer::set(std::max(seconds(when), std::nextafter(s4u::Engine::get_clock(), HUGE_VAL)), call);
}

void SimgridEngine::Simulation::raise(CounterId counter) {
  raised_.push_back(counter);
  wake();
}

// Everything within one picosecond is one instant, at its end. Sums of doubles that should be whole stay whole.
void SimgridEngine::Simulation::wake() {
  if (awake_ || failure_) return;
  awake_ = true;
  const double tick = std::ceil(s4u::Engine::get_clock() / kPicosecond - kNoise);
  const Time end = Time::picoseconds(static_cast<std::uint64_t>(std::min(tick, kLastTick)));
  at(end, [this, end] { end_instant(end); });
}

void SimgridEngine::Simulation::end_instant(Time end) {
  now_ = end;
  try {
    if (end.ps() >= static_cast<std::uint64_t>(kLastTick))
      throw std::overflow_error("the simulated time passes the 2.5 hours that SimGrid's clock counts in picoseconds");
    instant();
  } catch (...) {
    failure_ = std::current_exception();
  }
  awake_ = false;
  if (!raised_.empty() || !ended_.empty()) wake();
}

// Programs go on and post; only then does each server choose.
void SimgridEngine::Simulation::instant() {
  for (Job* job : std::exchange(ended_, {})) finish(*job);
  counted_.clear();
  counted_.swap(raised_);
  totals_.events += counted_.size();
  sink_->count(counted_);
  take_channels();
  for (const std::uint32_t s : std::exchange(dirty_, {})) serve(s);
}

void SimgridEngine::Simulation::run(CounterSink& sink) {
  sink_ = &sink;
  wake();
  simgrid_->run();
  if (failure_) std::rethrow_exception(failure_);
  if (jobs_.size() != free_jobs_.size()) throw std::logic_error("messages were sent that never arrived");
}

void SimgridEngine::Simulation::send(const Message& m, const MessageLabel& label) {
  if (m.offset.zero() && m.from == m.to) {               // to itself: a token between lanes, free and at once
    raise(m.arrived);
    if (m.sent != kNoCounter) raise(m.sent);
    return;
  }
  Job& job = take_job();
  job.message = m;
  job.label = label;
  job.posted = now_;
  job.serial = totals_.messages++;
  find_route(fabric_, m, job.route);
  job.server = index(job.route.front());
  if (overheads_.chunk > Time{}) {
    at_channels_.push_back(&job);
    wake();
  } else {
    request_after(overheads_.step, job);
  }
}

void SimgridEngine::Simulation::compute(ChipId chip, Time busy, Position position, CounterId done, std::uint32_t task) {
  Job& job = take_job();
  job.message = {};
  job.message.from = chip;
  job.message.position = position;
  job.message.arrived = done;
  job.label = {.task = task};
  job.posted = now_;
  job.busy = busy;
  job.serial = computations_++;
  job.server = first_unit_ + index(chip);
  request_after(Time{}, job);
}

// A channel is held for the overhead and while the chunk goes onto the first link, which its head enters after the
// overhead.
void SimgridEngine::Simulation::take_channels() {
  for (Job* job : at_channels_) job->ready = now_;
  std::sort(at_channels_.begin(), at_channels_.end(), [](const Job* a, const Job* b) { return after(b, a); });
  for (Job* job : std::exchange(at_channels_, {})) {
    Time& free_at = channel_free_[{job->message.from, job->message.channel}];
    const Time begin = std::max(now_, free_at);
    const Time ready = later(begin, overheads_.chunk);
    free_at = later(ready, fabric_.links[job->server].bandwidth.duration(job->message.bytes));
    request_after(later(ready, overheads_.step) - now_, *job);
  }
}

void SimgridEngine::Simulation::request_after(Time delay, Job& job) {
  job.ready = later(now_, delay);
  const auto request = [this, &job] {
    Server& server = servers_[job.server];
    server.waiting.push_back(&job);
    std::push_heap(server.waiting.begin(), server.waiting.end(), after);
    mark_dirty(job.server);
  };
  if (delay == Time{}) return request();
  at(job.ready, request);
}

void SimgridEngine::Simulation::mark_dirty(std::uint32_t server) {
  if (!std::exchange(servers_[server].dirty, true)) dirty_.push_back(server);
  wake();
}

void SimgridEngine::Simulation::serve(std::uint32_t s) {
  Server& server = servers_[s];
  server.dirty = false;
  if (server.busy || server.waiting.empty()) return;
  std::pop_heap(server.waiting.begin(), server.waiting.end(), after);
  Job& job = *server.waiting.back();
  server.waiting.pop_back();
  server.busy = true;
  job.start = now_;
  s >= first_unit_ ? start_computing(job) : start_flow(job);
}

void SimgridEngine::Simulation::start_flow(Job& job) {
  const Message& m = job.message;
  if (m.bytes == Bytes{}) return completed(job);
  const s4u::CommPtr flow = s4u::Comm::sendto_init(hosts_[index(m.from)], hosts_[index(m.to)]);
  flow->set_payload_size(static_cast<double>(m.bytes.count()));
  flow->set_data(&job);
  job.activity = flow;
  zone_->lay(job.route, links_);
  flow->start();
}

void SimgridEngine::Simulation::start_computing(Job& job) {
  if (job.busy == Time{}) return completed(job);
  const s4u::ExecPtr computation = s4u::Exec::init();
  computation->set_flops_amount(static_cast<double>(job.busy.ps()))->set_host(hosts_[index(job.message.from)]);
  computation->set_data(&job);
  job.activity = computation;
  computation->start();
}

void SimgridEngine::Simulation::completed(Job& job) {
  ended_.push_back(&job);
  wake();
}

void SimgridEngine::Simulation::finish(Job& job) {
  servers_[job.server].busy = false;
  mark_dirty(job.server);
  job.server >= first_unit_ ? finish_computing(job) : finish_flow(job);
  job.activity.reset();
  free_jobs_.push_back(&job);
}

void SimgridEngine::Simulation::finish_flow(const Job& job) {
  const Message& m = job.message;
  const Time arrives = later(now_, pass_links(job));
  if (activity_) activity_->message(m.from, m.to, job.posted, arrives);
  if (m.sent != kNoCounter) raise(m.sent);
  if (arrives == now_) return raise(m.arrived);
  at(arrives, [this, arrived = m.arrived] { raise(arrived); });
}

// Books the message on each link; returns the latency of them all.
Time SimgridEngine::Simulation::pass_links(const Job& job) {
  const Message& m = job.message;
  Time before;
  for (std::size_t hop = 0; hop < job.route.size(); ++hop) {
    const LinkId id = job.route[hop];
    const Link& link = fabric_.links[index(id)];
    ++totals_.link_hops;
    totals_.link_bytes += m.bytes;
    totals_.fingerprint += mark(index(id), now_ + before);
    link_busy_[index(id)] += link.bandwidth.duration(m.bytes);
    if (recorder_)
      recorder_->hop({.message = job.serial, .from = m.from, .to = m.to, .link = id,
                      .hop = static_cast<std::uint32_t>(hop), .last = hop + 1 == job.route.size(),
                      .posted = job.posted, .start = job.start + before, .end = now_ + before,
                      .delivered = now_ + before + link.latency, .bytes = m.bytes, .task = job.label.task,
                      .lane = job.label.lane, .phase = job.label.phase, .passage = job.label.passage,
                      .op = job.label.op, .chunk = job.label.chunk});
    before += link.latency;
  }
  return before;
}

void SimgridEngine::Simulation::finish_computing(const Job& job) {
  const ChipId chip = job.message.from;
  totals_.fingerprint += mark(job.server, now_);
  if (recorder_) recorder_->compute(chip, job.label.task, job.start, now_);
  if (activity_) activity_->compute[index(chip)].add(job.start, now_);
  raise(job.message.arrived);
}

SimgridEngine::SimgridEngine(const Fabric& fabric, const Overheads& overheads, Recorder* recorder, Activity* activity)
    : simulation_(std::make_unique<Simulation>(fabric, overheads, recorder, activity)) {}
SimgridEngine::~SimgridEngine() = default;

Time SimgridEngine::now() const { return simulation_->now(); }
void SimgridEngine::send(const Message& m, const MessageLabel& label) { simulation_->send(m, label); }
void SimgridEngine::count_after(Time delay, CounterId counter) { simulation_->count_after(delay, counter); }
void SimgridEngine::compute(ChipId chip, Time busy, Position position, CounterId done, std::uint32_t task) {
  simulation_->compute(chip, busy, position, done, task);
}
void SimgridEngine::run(CounterSink& sink) { simulation_->run(sink); }
EngineTotals SimgridEngine::totals() const { return simulation_->totals(); }
std::vector<Time> SimgridEngine::link_busy() const { return simulation_->link_busy(); }

}  // namespace hopsim

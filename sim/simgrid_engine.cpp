#include "sim/simgrid_engine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <map>
#include <set>
#include <simgrid/kernel/Timer.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "sim/fingerprint.hpp"
#include "sim/simgrid_platform.hpp"

namespace hopsim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

constexpr double kPicosecond = 1e-12;
constexpr double kLastTick = 9007199254740992.0;  // 2^53 ps
constexpr double kNoise = 0.01;                   // ps: what sums of doubles may be off by

double seconds(Time t) { return static_cast<double>(t.ps()) * kPicosecond; }

// The links a message passes, in order.
void find_route(const Fabric& fabric, const Message& m, std::vector<LinkId>& route) {
  std::uint32_t at = index(m.from);
  const bool by_offset = fabric.grid() || (fabric.ported && !m.offset.names_node());
  Offset rest = m.offset;
  const auto arrived = [&] { return by_offset ? rest.zero() : at == index(m.to); };
  int d = m.order;
  for (route.clear(); !arrived(); at = fabric.links[index(route.back())].to) {
    if (by_offset) {
      while (rest[d] == 0) d = d + 1 == kMaxDimensions ? 0 : d + 1;
      route.push_back(fabric.grid_link(Fabric::port(d, rest[d] < 0), at));
      rest = rest.with(d, rest[d] + (rest[d] < 0 ? 1 : -1));
    } else {
      route.push_back(fabric.next_link(at, index(m.to), m.order));
    }
    if (!fabric.links[index(route.back())].exists())
      throw std::logic_error("a message leaves the edge of the fabric at chip " + fabric.chip_name(ChipId{at}));
  }
}

// A message or a computation, from its posting to its end.
struct Job {
  Message message;  // of a computation: from, position and, as `arrived`, what it raises
  MessageLabel label;
  Time posted, ready, start;  // ready: when it could have been served
  Time busy;                  // of a computation
  std::uint64_t serial = 0;
  std::uint32_t server = 0;
  std::vector<LinkId> route;  // of a message
  s4u::ActivityPtr activity;  // while SimGrid is at it
};

// Whether b is served first.
bool after(const Job* a, const Job* b) {
  const Message &x = a->message, &y = b->message;
  if (x.polite != y.polite) return x.polite;
  if (x.polite) return std::tie(x.position, a->serial) > std::tie(y.position, b->serial);
  return std::tie(a->ready, a->posted, x.position, a->serial) > std::tie(b->ready, b->posted, y.position, b->serial);
}

// A link as the chip before it feeds it, or a chip's compute unit: takes one job at a time.
struct Server {
  std::vector<Job*> waiting;  // a heap, the next one in front
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
  void share_compute(ChipId chip, bool shared) { platform_.slow(chip, shared); }
  Stop run(CounterSink&, const RunControl&);
  const EngineTotals& totals() const { return totals_; }
  const std::vector<Time>& link_busy() const { return link_busy_; }

 private:
  Job& take_job();
  template <class Call>
  void at(Time, Call);
  void raise(CounterId);
  void wake();
  void end_instant(Time);
  void leave_in_flight();
  bool halted() const { return stop_ != Stop::none || failure_; }
  void instant();
  void take_channels();
  void request_after(Time delay, Job&);
  void mark_dirty(std::uint32_t server);
  void serve(std::uint32_t server);
  void free_server(std::uint32_t server);
  void start_flow(Job&);
  void start_computing(Job&);
  void completed(Job&);
  void finish(Job&);
  void finish_flow(const Job&);
  void finish_computing(const Job&);
  void record_hop(const Job&, std::size_t hop, Time leaves);
  Time latency_of(std::span<const LinkId> route) const;

  const Fabric& fabric_;
  const Overheads overheads_;
  Recorder* const recorder_;
  Activity* const activity_;
  const std::uint32_t first_unit_;
  SimgridPlatform platform_;
  CounterSink* sink_ = nullptr;
  RunControl control_;
  Stop stop_ = Stop::none;
  Time now_;
  bool awake_ = false;          // the end of this instant is on SimGrid's agenda
  std::exception_ptr failure_;  // of a program; nothing may be thrown through SimGrid
  std::deque<Job> jobs_;
  std::vector<Job*> free_jobs_, ended_, at_channels_;
  std::vector<Server> servers_;  // links, then compute units
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
      platform_(fabric, 1 - overheads.compute_share.value()),
      servers_(fabric.links.size() + fabric.chips()),
      link_busy_(fabric.links.size()) {
  s4u::Activity::on_completion_cb([this](const s4u::Activity& a) { completed(*a.get_data<Job>()); });
}

Job& SimgridEngine::Simulation::take_job() {
  if (free_jobs_.empty()) return jobs_.emplace_back();
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  return job;
}

// Never in SimGrid's present: what it does now, it does after timers. A call of more than two words may come late
// (tried).
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
  if (awake_ || halted()) return;
  awake_ = true;
  const double tick = std::ceil(s4u::Engine::get_clock() / kPicosecond - kNoise);
  const Time end = Time::picoseconds(static_cast<std::uint64_t>(std::min(tick, kLastTick)));
  at(end, [this, end] { end_instant(end); });
}

void SimgridEngine::Simulation::end_instant(Time end) {
  stop_ = control_.stops(totals_.events, end);
  if (stop_ != Stop::none) {  // what is in flight ends without anybody hearing of it
    if (stop_ == Stop::time) now_ = control_.max_time;
    if (activity_) leave_in_flight();
    return;
  }
  now_ = end;
  if (control_.progress) control_.progress->tell(totals_.link_hops, now_);
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

// Of a run that was stopped: what is on its way, or being computed, has been so until now.
void SimgridEngine::Simulation::leave_in_flight() {
  const std::set<const Job*> free(free_jobs_.begin(), free_jobs_.end());
  for (const Job& job : jobs_) {
    if (free.contains(&job)) continue;
    if (job.server < first_unit_)
      activity_->message(job.message.from, job.message.to, job.message.position.task(), job.posted, now_);
    else if (job.activity)
      activity_->compute[index(job.message.from)].add(job.label.task, job.start, now_);
  }
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

Stop SimgridEngine::Simulation::run(CounterSink& sink, const RunControl& control) {
  sink_ = &sink;
  control_ = control;
  wake();
  platform_.engine().run();
  if (failure_) std::rethrow_exception(failure_);
  if (stop_ != Stop::none) return stop_;
  if (jobs_.size() != free_jobs_.size()) throw std::logic_error("messages were sent that never arrived");
  return Stop::none;
}

void SimgridEngine::Simulation::send(const Message& m, const MessageLabel& label) {
  if (m.offset.zero() && m.from == m.to) {  // to itself: a token between lanes, free and at once
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
  if (index(m.from) >= fabric_.chips()) {  // a switch sends on at once
    request_after(Time{}, job);
  } else if (overheads_.chunk > Time{}) {
    at_channels_.push_back(&job);
    wake();
  } else {
    request_after(overheads_.before(job.message), job);
  }
}

void SimgridEngine::Simulation::compute(ChipId chip, Time busy, Position position, CounterId done,
                                        std::uint32_t task) {
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
    request_after(later(ready, overheads_.before(job->message)) - now_, *job);
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
  if (s < first_unit_) return start_flow(job);
  start_computing(job);
}

void SimgridEngine::Simulation::free_server(std::uint32_t s) {
  servers_[s].busy = false;
  mark_dirty(s);
}

void SimgridEngine::Simulation::start_flow(Job& job) {
  const Link& first = fabric_.links[job.server];
  at(later(now_, first.bandwidth.duration(job.message.bytes)), [this, s = job.server, sent = job.message.sent] {
    if (sent != kNoCounter) raise(sent);
    free_server(s);
  });
  const auto flow = [this, &job] {
    if (halted()) return;
    const Message& m = job.message;
    if (m.bytes == Bytes{}) return completed(job);
    job.activity = platform_.start_flow(m.from, m.to, m.bytes, job.route, &job);
  };
  const Time latency = latency_of(job.route);
  if (latency == Time{}) return flow();
  at(later(now_, latency), flow);
}

Time SimgridEngine::Simulation::latency_of(std::span<const LinkId> route) const {
  Time sum;
  for (const LinkId l : route) sum = later(sum, fabric_.links[index(l)].latency);
  return sum;
}

void SimgridEngine::Simulation::start_computing(Job& job) {
  if (job.busy == Time{}) return completed(job);
  job.activity = platform_.start_computing(job.message.from, job.busy, &job);
}

void SimgridEngine::Simulation::completed(Job& job) {
  ended_.push_back(&job);
  wake();
}

void SimgridEngine::Simulation::finish(Job& job) {
  if (job.server < first_unit_)
    finish_flow(job);
  else
    finish_computing(job);
  job.activity.reset();
  free_jobs_.push_back(&job);
}

void SimgridEngine::Simulation::finish_flow(const Job& job) {
  Time after_it = latency_of(job.route);  // from this hop to the end
  for (std::size_t hop = 0; hop < job.route.size(); ++hop) {
    const LinkId id = job.route[hop];
    const Link& link = fabric_.links[index(id)];
    const Time leaves = now_ - after_it;
    after_it = after_it - link.latency;
    ++totals_.link_hops;
    totals_.link_bytes += job.message.bytes;
    totals_.fingerprint += fingerprint_mark(index(id), leaves);
    link_busy_[index(id)] += link.bandwidth.duration(job.message.bytes);
    if (recorder_) record_hop(job, hop, leaves);
  }
  if (activity_) activity_->message(job.message.from, job.message.to, job.message.position.task(), job.posted, now_);
  raise(job.message.arrived);
}

void SimgridEngine::Simulation::record_hop(const Job& job, std::size_t hop, Time leaves) {
  const LinkId link = job.route[hop];
  recorder_->hop({.message = job.serial,
                  .from = job.message.from,
                  .to = job.message.to,
                  .link = link,
                  .hop = static_cast<std::uint32_t>(hop),
                  .last = hop + 1 == job.route.size(),
                  .posted = job.posted,
                  .start = job.start + latency_of(std::span(job.route).first(hop)),
                  .end = leaves,
                  .delivered = leaves + fabric_.links[index(link)].latency,
                  .bytes = job.message.bytes,
                  .task = job.label.task,
                  .lane = job.label.lane,
                  .phase = job.label.phase,
                  .passage = job.label.passage,
                  .op = job.label.op,
                  .chunk = job.label.chunk});
}

void SimgridEngine::Simulation::finish_computing(const Job& job) {
  const ChipId chip = job.message.from;
  totals_.fingerprint += fingerprint_mark(job.server, now_);
  if (recorder_) recorder_->compute(chip, job.label.task, job.start, now_);
  if (activity_) activity_->compute[index(chip)].add(job.label.task, job.start, now_);
  raise(job.message.arrived);
  free_server(job.server);
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
void SimgridEngine::share_compute(ChipId chip, bool shared) { simulation_->share_compute(chip, shared); }
Stop SimgridEngine::run(CounterSink& sink, const RunControl& control) { return simulation_->run(sink, control); }
EngineTotals SimgridEngine::totals() const { return simulation_->totals(); }
std::vector<Time> SimgridEngine::link_busy() const { return simulation_->link_busy(); }

}  // namespace hopsim

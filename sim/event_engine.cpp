#include "sim/event_engine.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "sim/fingerprint.hpp"

namespace hopsim {

EventEngine::EventEngine(const Fabric& fabric, const Overheads& overheads, Recorder* recorder, Activity* activity)
    : fabric_(fabric),
      overheads_(overheads),
      recorder_(recorder),
      activity_(activity),
      keeps_asides_(recorder != nullptr || overheads.chunk > Time{}),
      delays_(keeps_asides_ || overheads.step > Time{} || overheads.jitter > Time{}),
      by_ports_(fabric.grid() || fabric.ported),
      chips_(fabric.chips()),
      first_unit_(static_cast<std::uint32_t>(fabric.links.size())),
      first_channel_(first_unit_ + chips_) {
  if (overheads.compute_share.numerator > 0) shared_.resize(chips_);
  std::map<std::pair<Bandwidth, Time>, std::uint16_t> known;
  resources_.resize(first_channel_);
  for (std::size_t l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    const auto [it, fresh] =
        known.try_emplace({link.bandwidth, link.latency}, static_cast<std::uint16_t>(rates_.size()));
    if (fresh) rates_.push_back({link.bandwidth, link.latency, {}, {}});
    if (link.exists()) resources_[l].to = link.to;
    resources_[l].rate = it->second;
  }
}

inline Time EventEngine::duration(std::uint16_t rate, Bytes bytes) {
  Rate& r = rates_[rate];
  if (r.last_bytes != bytes) {
    r.last_duration = r.bandwidth.duration(bytes);
    r.last_bytes = bytes;
  }
  return r.last_duration;
}

inline std::uint32_t EventEngine::take_flight() {
  ++in_flight_;
  if (free_flight_ == kNone) {
    flights_.emplace_back();
    if (keeps_asides_) asides_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t i = free_flight_;
  free_flight_ = flights_[i].next;
  return i;
}

inline void EventEngine::release(std::uint32_t i, Flight& f) {
  --in_flight_;
  f.next = free_flight_;
  free_flight_ = i;
}

void EventEngine::send(const Message& m, const MessageLabel& label) {
  if (m.offset.zero() && m.from == m.to) return send_token(m);
  ++totals_.messages;
  const std::uint32_t i = take_flight();
  Flight& f = flights_[i];  // member by member: a braced temporary stalls the store buffer
  f.posted = now_;
  f.tail = Time{};
  f.rest = by_ports_ ? m.offset : Offset::to_node(index(m.to));
  f.bytes = m.bytes;
  f.position = m.position;
  f.arrived = index(m.arrived);
  f.sent = index(m.sent);
  f.at = f.from = index(m.from);
  f.hop = 0;
  f.port = 0;
  f.order = m.order;
  f.polite = m.polite;
  if (delays_) return send_delayed(m, label, i);
  request(next_link(f), i, f);
}

// To itself: a token between lanes, free and at once.
void EventEngine::send_token(const Message& m) {
  queue_.push(now_, event(kCount, index(m.arrived)));
  if (m.sent != kNoCounter) queue_.push(now_, event(kCount, index(m.sent)));
}

void EventEngine::send_delayed(const Message& m, const MessageLabel& label, std::uint32_t i) {
  Flight& f = flights_[i];
  const Time delay = overheads_.before(m);
  if (keeps_asides_) asides_[i] = {index(m.to), m.channel, delay, totals_.messages - 1, label};
  if (index(m.from) >= chips_) return request(next_link(f), i, f);  // a switch sends on at once
  if (overheads_.chunk > Time{}) return request(channel_resource(m.from, m.channel), i, f);
  const std::uint32_t link = next_link(f);
  if (delay == Time{}) return request(link, i, f);
  __builtin_prefetch(&resources_[link], 1);
  queue_.push(later(now_, delay), event(kHead, i));
}

void EventEngine::compute(ChipId chip, Time busy, Position position, CounterId done, std::uint32_t task) {
  const std::uint32_t i = take_flight();
  Flight& f = flights_[i];
  f = {};
  f.posted = now_;
  f.tail = busy;
  f.position = position;
  f.arrived = index(done);
  f.from = index(chip);
  if (keeps_asides_) asides_[i] = {index(chip), 0, {}, 0, {.task = task}};
  request(first_unit_ + index(chip), i, f);
}

std::uint32_t EventEngine::channel_resource(ChipId chip, std::uint32_t channel) {
  const std::uint32_t r = first_channel_ + channel * chips_ + index(chip);
  if (r >= resources_.size()) resources_.resize(std::size_t{first_channel_} + (std::size_t{channel} + 1) * chips_);
  return r;
}

inline std::uint32_t EventEngine::next_link(const Flight& f) const {
  if (f.rest.names_node()) return index(fabric_.next_link(f.at, f.rest.node(), f.order));
  int d = f.order, hops;
  while ((hops = f.rest[d]) == 0) d = d + 1 == kMaxDimensions ? 0 : d + 1;
  return static_cast<std::uint32_t>(Fabric::port(d, hops < 0)) * chips_ + f.at;
}

inline bool EventEngine::before(const Flight& a, const Flight& b) const {  // polite ones after all others
  if (a.polite != b.polite) return b.polite;
  // On a grid the port tells senders apart; elsewhere, where nothing is folded, the sender itself may.
  const std::uint32_t a_from = fabric_.grid() ? a.port : a.from, b_from = fabric_.grid() ? b.port : b.from;
  if (a.polite) return std::tie(a.position, a.posted, a.hop, a_from) < std::tie(b.position, b.posted, b.hop, b_from);
  return std::tie(a.posted, a.position, a.hop, a_from) < std::tie(b.posted, b.position, b.hop, b_from);
}

inline void EventEngine::make_dirty(std::uint32_t id, Resource& r) {
  if (r.dirty) return;
  r.dirty = true;
  dirty_.push_back(id);
}

inline void EventEngine::request(std::uint32_t resource, std::uint32_t i, Flight& f) {
  Resource& r = resources_[resource];
  make_dirty(resource, r);
  if (r.queue != kNone) return queue_up(r, i, f);
  r.queue = r.last = i;
  f.next = kNone;
}

void EventEngine::queue_up(Resource& r, std::uint32_t i, Flight& f) {
  if (!before(f, flights_[r.last])) {  // the usual case: programs post in order
    flights_[r.last].next = i;
    r.last = i;
    f.next = kNone;
    return;
  }
  std::uint32_t* slot = &r.queue;
  while (!before(f, flights_[*slot])) slot = &flights_[*slot].next;
  f.next = *slot;
  *slot = i;
}

void EventEngine::arbitrate() {
  constexpr std::size_t kAhead = 8;
  const std::size_t n = dirty_.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n)
      if (const std::uint32_t next = resources_[dirty_[k + kAhead]].queue; next != kNone)
        __builtin_prefetch(&flights_[next], 1);
    serve(dirty_[k]);
  }
  dirty_.clear();
}

inline void EventEngine::serve(std::uint32_t id) {
  resources_[id].dirty = false;
  if (id < first_unit_) return serve_link(id);
  Resource& r = resources_[id];
  const bool computes = id < first_channel_;
  for (std::uint32_t i; (i = r.queue) != kNone;) {
    if (computes && !shared_.empty() && shared_[id - first_unit_].flight != kNone)
      return;  // until it ends, whenever that is
    r.queue = flights_[i].next;
    computes ? grant_compute(id, i) : grant_channel(id, i);
  }
}

inline void EventEngine::serve_link(std::uint32_t id) {
  Resource& link = resources_[id];
  for (std::uint32_t i; (i = link.queue) != kNone;) {
    Flight& f = flights_[i];
    if (f.polite && link.free_at > now_) {
      if (!link.armed) queue_.push(link.free_at, event(kFree, id));
      link.armed = true;
      return;
    }
    link.queue = f.next;
    grant_link(id, link, i, f);
  }
}

inline void EventEngine::grant_link(std::uint32_t id, Resource& link, std::uint32_t i, Flight& f) {
  if (link.to == kNone)
    throw std::logic_error("a message leaves the edge of the fabric at chip " + fabric_.chip_name(ChipId(f.at)));
  const Time busy = duration(link.rate, f.bytes);
  const Time latency = rates_[link.rate].latency;
  const Time start = std::max(now_, link.free_at);
  const Time leaves = std::max(later(start, busy), f.tail);
  const Time arrives = later(leaves, latency);
  link.free_at = leaves;
  link.busy += busy;
  ++totals_.link_hops;
  totals_.link_bytes += f.bytes;
  totals_.fingerprint += fingerprint_mark(id, leaves);
  if (f.hop == 0 && f.sent != kNone) queue_.push(leaves, event(kCount, f.sent));

  const bool last = f.rest.single() || moved_on(id, link, f);
  if (recorder_) record_hop(i, id, start, leaves, last);
  f.at = link.to;
  if (last) return deliver(i, f, ChipId(link.to), arrives, busy + latency);
  f.tail = arrives;
  ++f.hop;
  queue_.push(start + latency, event(kHead, i));
}

// Whether it was the last link of its way.
bool EventEngine::moved_on(std::uint32_t id, const Resource& link, Flight& f) const {
  if (f.rest.names_node()) return link.to == f.rest.node();
  f.port = static_cast<std::uint8_t>(id / chips_);
  f.rest = f.rest.one_less(f.port / 2);
  return false;
}

inline void EventEngine::deliver(std::uint32_t i, Flight& f, ChipId to, Time arrives, Time least) {
  if (arrives < f.posted + least) throw std::logic_error("a message beat its link's bandwidth and latency");
  if (activity_) activity_->message(ChipId(f.from), to, f.position.task(), f.posted, arrives);
  queue_.push(arrives, event(kCount, f.arrived));
  release(i, f);
}

void EventEngine::grant_compute(std::uint32_t unit, std::uint32_t i) {
  const Flight& f = flights_[i];
  Resource& r = resources_[unit];
  if (!shared_.empty()) {
    SharedUnit& u = shared_[unit - first_unit_];
    u = {.flight = i, .start = now_, .since = now_, .left = f.tail, .slowed = u.slowed};
    return plan_end(unit - first_unit_);
  }
  const Time start = std::max(now_, r.free_at);
  const Time end = later(start, f.tail);
  r.free_at = end;
  r.busy += f.tail;
  totals_.fingerprint += fingerprint_mark(unit, end);
  if (recorder_) recorder_->compute(ChipId(f.from), asides_[i].label.task, start, end);
  if (activity_) activity_->compute[f.from].add(f.position.task(), start, end);
  queue_.push(end, event(kCount, f.arrived));
  release(i, flights_[i]);
}

void EventEngine::plan_end(std::uint32_t chip) {
  const SharedUnit& u = shared_[chip];
  const auto [numerator, denominator] = overheads_.compute_share;
  const Uint128 rest = denominator - numerator;
  const Time left =
      u.slowed
          ? Time::picoseconds(static_cast<std::uint64_t>((Uint128{u.left.ps()} * denominator + (rest - 1)) / rest))
          : u.left;
  resources_[first_unit_ + chip].free_at = later(now_, left);
  queue_.push(later(now_, left), event(kComputed, chip));
}

void EventEngine::share_compute(ChipId chip, bool shared) {
  SharedUnit& u = shared_[index(chip)];
  if (u.flight == kNone || resources_[first_unit_ + index(chip)].free_at == now_) {
    u.slowed = shared;
    return;
  }
  const auto [numerator, denominator] = overheads_.compute_share;
  const std::uint64_t passed = (now_ - u.since).ps();
  const auto done = static_cast<std::uint64_t>(u.slowed ? Uint128{passed} * (denominator - numerator) / denominator
                                                        : Uint128{passed});
  u.left = u.left - Time::picoseconds(std::min(done, u.left.ps()));
  u.since = now_;
  u.slowed = shared;
  plan_end(index(chip));
}

// Events of ends that were put off, or brought forward, find another end planned.
void EventEngine::end_computing(std::uint32_t chip) {
  SharedUnit& u = shared_[chip];
  const std::uint32_t unit = first_unit_ + chip;
  if (u.flight == kNone || resources_[unit].free_at != now_) return;
  const std::uint32_t i = std::exchange(u.flight, kNone);
  resources_[unit].busy += now_ - u.start;
  totals_.fingerprint += fingerprint_mark(unit, now_);
  if (recorder_) recorder_->compute(ChipId(chip), asides_[i].label.task, u.start, now_);
  if (activity_) activity_->compute[chip].add(flights_[i].position.task(), u.start, now_);
  counted_.push_back(CounterId(flights_[i].arrived));
  make_dirty(unit, resources_[unit]);
  release(i, flights_[i]);
}

// The channel is held for the overhead and while the chunk goes onto the first link; the head enters it after the
// overhead.
void EventEngine::grant_channel(std::uint32_t channel, std::uint32_t i) {
  const std::uint32_t link = next_link(flights_[i]);
  Resource& r = resources_[channel];
  const Time start = std::max(now_, r.free_at);
  const Time ready = later(start, overheads_.chunk);
  r.free_at = later(ready, duration(resources_[link].rate, flights_[i].bytes));
  queue_.push(later(ready, asides_[i].delay), event(kHead, i));
}

void EventEngine::record_hop(std::uint32_t i, std::uint32_t link, Time start, Time leaves, bool last) {
  const Flight& f = flights_[i];
  const Aside& a = asides_[i];
  recorder_->hop({.message = a.serial,
                  .from = ChipId(f.from),
                  .to = ChipId(a.to),
                  .link = LinkId(link),
                  .hop = f.hop,
                  .last = last,
                  .posted = f.posted,
                  .start = start,
                  .end = leaves,
                  .delivered = leaves + rates_[resources_[link].rate].latency,
                  .bytes = f.bytes,
                  .task = a.label.task,
                  .lane = a.label.lane,
                  .phase = a.label.phase,
                  .passage = a.label.passage,
                  .op = a.label.op,
                  .chunk = a.label.chunk});
}

inline void EventEngine::expect(std::uint64_t e, bool near, CounterSink& sink) const {
  const auto i = static_cast<std::uint32_t>(e);
  switch (static_cast<Kind>(e >> 32)) {
    case kCount:
      return sink.expect(CounterId(i), near);
    case kHead:
      return near ? __builtin_prefetch(&resources_[next_link(flights_[i])], 1) : __builtin_prefetch(&flights_[i], 1);
    default:
      return;
  }
}

void EventEngine::shuffle() {
  std::mt19937_64 random(*shuffle_);
  std::shuffle(instant_.begin(), instant_.end(), random);
  shuffle_ = random();
}

Stop EventEngine::run(CounterSink& sink, const RunControl& control) {
  arbitrate();
  const auto soon = [&](std::uint64_t e, bool near) { expect(e, near, sink); };
  for (Time next; queue_.next_instant(next, instant_, soon);) {
    if (const Stop stop = control.stops(totals_.events, next); stop != Stop::none) {
      if (stop == Stop::time) now_ = control.max_time;
      if (activity_) leave_in_flight();
      return stop;
    }
    now_ = next;
    if (control.progress) control.progress->tell(totals_.link_hops, now_);
    if (shuffle_) shuffle();
    totals_.events += instant_.size();
    for (const std::uint64_t e : instant_) {
      const auto i = static_cast<std::uint32_t>(e);
      switch (static_cast<Kind>(e >> 32)) {
        case kCount:
          counted_.push_back(CounterId(i));
          break;
        case kHead:
          request(next_link(flights_[i]), i, flights_[i]);
          break;
        case kFree:
          resources_[i].armed = false;
          make_dirty(i, resources_[i]);
          break;
        case kComputed:
          end_computing(i);
          break;
      }
    }
    sink.count(counted_);
    counted_.clear();
    arbitrate();
  }
  if (in_flight_ != 0) throw std::logic_error("messages were sent that never arrived");
  return Stop::none;
}

// Of a run that was stopped: what is on its way, or being computed, has been so until now.
void EventEngine::leave_in_flight() {
  std::vector<bool> free(flights_.size());
  for (std::uint32_t i = free_flight_; i != kNone; i = flights_[i].next) free[i] = true;
  for (std::uint32_t i = 0; i < flights_.size(); ++i) {
    const Flight& f = flights_[i];
    if (free[i] || f.rest.zero()) continue;  // zero: a computation
    const ChipId to =
        f.rest.names_node() ? ChipId(f.rest.node()) : fabric_.shape.peer(fabric_.shape.at(ChipId(f.at)), f.rest);
    activity_->message(ChipId(f.from), to, f.position.task(), f.posted, now_);
  }
  for (std::uint32_t c = 0; c < shared_.size(); ++c)
    if (const SharedUnit& u = shared_[c]; u.flight != kNone)
      activity_->compute[c].add(flights_[u.flight].position.task(), u.start, now_);
}

std::vector<Time> EventEngine::link_busy() const {
  std::vector<Time> busy(first_unit_);
  for (std::uint32_t l = 0; l < first_unit_; ++l) {
    const Resource& r = resources_[l];
    const Time ahead = r.free_at > now_ ? r.free_at - now_ : Time{};  // granted, when the run was stopped
    busy[l] = r.busy - std::min(r.busy, ahead);
  }
  return busy;
}

}  // namespace hopsim

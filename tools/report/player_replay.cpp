#include "tools/report/player_replay.hpp"

#include <algorithm>
#include <deque>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace hopsim {
namespace {

auto place(const PlayedMessage& m) { return std::tie(m.from, m.lane, m.phase, m.passage); }

// The parts of one passage as one message. Leaves them by sender and place in the schedule.
void join_parts(std::vector<PlayedMessage>& parts) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return place(a) < place(b); });
  std::size_t n = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const PlayedMessage& part = parts[k];
    if (n == 0 || place(parts[n - 1]) != place(part)) {
      parts[n++] = part;
      continue;
    }
    PlayedMessage& whole = parts[n - 1];
    whole.bytes += part.bytes;
    whole.hops = std::max(whole.hops, part.hops);
    whole.start = std::min(whole.start, part.start);
    whole.delivered = std::max(whole.delivered, part.delivered);
  }
  parts.resize(n);
}

class Replay {
 public:
  Replay(const Shape& shape, const Schedule& schedule, std::vector<PlayedMessage> parts,
         const std::vector<Time>& starts)
      : shape_(shape), schedule_(schedule), starts_(starts), messages_(std::move(parts)) {
    join_parts(messages_);
    std::vector<std::uint32_t> order(messages_.size());
    for (std::uint32_t m = 0; m < order.size(); ++m) order[m] = m;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return messages_[a].delivered < messages_[b].delivered;
    });
    for (const std::uint32_t m : order)
      box(messages_[m].to, channel_of(messages_[m])).push_back({messages_[m].delivered, m});
  }

  Replayed run() {
    for (std::uint32_t actor = 0; actor < shape_.actors(); ++actor) walk(actor);
    return in_order();
  }

 private:
  static constexpr std::uint32_t kToken = ~0u;
  struct Arrival {
    Time at;
    std::uint32_t message;
  };
  struct Event {
    Time at;
    std::uint32_t actor, number, message;
    bool takes;
  };
  struct Walker {
    std::uint32_t actor, lane;
    Time now;
    std::size_t next_sent;  // of messages_
    std::uint32_t phase = 0;
    int i = 0;
  };

  int channel_of(const PlayedMessage& m) const {
    const Lane::Placed& placed = schedule_.lanes[m.lane].phases[m.phase];
    return placed.first_channel +
           placed.phase->passage(shape_.at(ChipId{m.from}), static_cast<int>(m.passage)).out.channel;
  }

  std::deque<Arrival>& box(std::uint32_t actor, int channel) {
    return boxes_[std::uint64_t{actor} * static_cast<std::uint64_t>(schedule_.channels) +
                  static_cast<std::uint64_t>(channel)];
  }

  // Lanes of one chip wait for one another by tokens only, so whatever order they go in leads to the same times.
  void walk(std::uint32_t actor) {
    std::vector<Walker> lanes;
    for (std::uint32_t l = 0; l < schedule_.lanes.size(); ++l) {
      const auto first = std::partition_point(messages_.begin(), messages_.end(), [&](const PlayedMessage& m) {
        return std::tie(m.from, m.lane) < std::tie(actor, l);
      });
      lanes.push_back({actor, l, actor < starts_.size() ? starts_[actor] : Time{},
                       static_cast<std::size_t>(first - messages_.begin())});
    }
    do {
      progress_ = false;
      std::erase_if(lanes, [&](Walker& w) { return advance(w); });
    } while (progress_ && !lanes.empty());
  }

  // As far as the lane can go; true at its end.
  bool advance(Walker& w) {
    const Coordinates at = shape_.at(ChipId{w.actor});
    const auto& phases = schedule_.lanes[w.lane].phases;
    for (; w.phase < phases.size(); ++w.phase, w.i = 0)
      for (const int n = phases[w.phase].phase->length(at); w.i < n; ++w.i) {
        const Passage p = phases[w.phase].phase->passage(at, w.i);
        const int first = phases[w.phase].first_channel;
        if (p.in && !take(w, first + p.in.channel, p.in.times)) return false;
        if (p.out && !post(w, at, first + p.out.channel, p.out)) return false;
        progress_ = true;
      }
    return true;
  }

  bool take(Walker& w, int channel, std::uint32_t times) {
    auto& arrivals = box(w.actor, channel);
    if (arrivals.size() < times) return false;
    const auto end = arrivals.begin() + times;
    const Time ready = w.now;
    for (auto a = arrivals.begin(); a != end; ++a) {
      const Time taken = std::max(ready, a->at);
      w.now = std::max(w.now, taken);
      if (a->message != kToken) events_.push_back({taken, w.actor, next_number(), a->message, true});
    }
    arrivals.erase(arrivals.begin(), end);
    return true;
  }

  bool post(Walker& w, const Coordinates& at, int channel, const End& out) {
    if (out.peer.zero()) {
      box(w.actor, channel).push_back({w.now, kToken});
      return true;
    }
    const std::size_t m = w.next_sent;
    if (m == messages_.size() || std::tie(messages_[m].from, messages_[m].lane) != std::tie(w.actor, w.lane) ||
        shape_.peer(at, out.peer) != ChipId{messages_[m].to})
      return false;  // not posted, or not delivered, before the run was stopped
    ++w.next_sent;
    w.now = std::max(w.now, messages_[m].posted);
    events_.push_back({w.now, w.actor, next_number(), static_cast<std::uint32_t>(m), false});
    return true;
  }

  std::uint32_t next_number() { return static_cast<std::uint32_t>(events_.size()); }

  Replayed in_order() {
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.at, a.actor, a.number) < std::tie(b.at, b.actor, b.number);
    });
    Replayed r;
    for (const Event& e : events_) {
      PlayedMessage& m = messages_[e.message];
      if (!e.takes) {
        m.after = static_cast<std::uint32_t>(taken_order_.size());
        continue;
      }
      m.taken = e.at;
      taken_order_.push_back(e.message);
    }
    for (const std::uint32_t m : taken_order_) r.messages.push_back(messages_[m]);
    r.complete = r.messages.size() == messages_.size();
    return r;
  }

  const Shape& shape_;
  const Schedule& schedule_;
  const std::vector<Time>& starts_;
  std::vector<PlayedMessage> messages_;
  std::unordered_map<std::uint64_t, std::deque<Arrival>> boxes_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> taken_order_;
  bool progress_ = false;
};

}  // namespace

Replayed replay(const Shape& shape, const Schedule& schedule, std::vector<PlayedMessage> parts,
                const std::vector<Time>& starts) {
  return Replay(shape, schedule, std::move(parts), starts).run();
}

}  // namespace hopsim

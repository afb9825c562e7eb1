// Which steps of a run have messages that meet others on a link after their first, and what may come of it. A chip
// feeds its links in order, on every engine; past that engines may differ (sim/simgrid_engine.hpp).
//
// A link is a meeting place where
// - messages cross it that did not all begin on one and the same link, if it is a later link of some of them; or
// - it is slower than the link they began on; or
// - messages begin on it, over several links, whose ways have different latencies.
// Time is left out but for barriers: what no barrier parts may happen at once. So that messages meet is never
// overlooked, but may be said of some that do not.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/fabric.hpp"
#include "sim/program.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

// Of each task how many barriers it comes after, of those that part the program: all before from all behind.
std::vector<std::uint32_t> stages(const Program&);

enum class Contact : std::uint8_t {
  none,      // no messages
  one_link,  // every message crosses one
  apart,     // several, but none meets another
  meeting,
};

// Records a run on the event engine. Memory: some bytes a (stage, link), (task, link) and (task, chip).
class LinkMeetings final : public Recorder {
 public:
  // Fabric and program outlive it.
  LinkMeetings(const Fabric&, const Program&);

  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t, Time, Time) override {}
  void task(ChipId, std::uint32_t, Time, Time) override {}

  Contact contact(std::uint32_t task) const;
  // Whether messages of both may meet, as far as links say.
  bool meet(std::uint32_t task, std::uint32_t other) const;
  // Whether a chip sends after something came to it: then arriving early lets it go on early.
  bool goes_on(std::uint32_t task) const { return tasks_[task].goes_on; }
  // Whether messages meet that begin on one link and have ways of different latencies.
  bool mixed(std::uint32_t task) const {
    return any_use(task, [](const Use& u) { return u.mixed; });
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Use {
    std::uint32_t first = kNone;  // the link they began on
    bool several = false, later = false, slower = false;
    // Of messages that begin here: the latency of their ways, whether it differs, and whether any has several links.
    Time latency = Time::max();
    bool differ = false, longer = false, mixed = false;

    bool meeting() const { return mixed || (later && (several || slower)); }
  };
  struct OnTheWay {
    std::uint32_t first = 0;
    Time latency;
  };
  struct OfTask {
    std::vector<bool> links;          // it uses
    std::vector<Time> first_arrival;  // by node; max: none
    bool any = false, several_links = false, goes_on = false;
  };

  template <class Which>
  bool any_use(std::uint32_t task, Which which) const {
    const OfTask& t = tasks_[task];
    for (std::size_t l = 0; l < t.links.size(); ++l)
      if (t.links[l] && which(uses_[stages_[task]][l])) return true;
    return false;
  }
  void note_times(OfTask&, const HopRecord&);
  static void begin(Use&, const OnTheWay&, bool several_links);

  const Fabric& fabric_;
  const std::vector<std::uint32_t> stages_;
  std::vector<std::vector<Use>> uses_;  // by stage, link
  std::vector<OfTask> tasks_;
  std::unordered_map<std::uint64_t, OnTheWay> on_the_way_;
};

}  // namespace hopsim

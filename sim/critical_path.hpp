// The critical path of a run: a chain of causes from its end back to 0, so that every part of the makespan is one
// segment: what step, link or chip the run waited for just then. Found in what was recorded, by exact times.
//
// An event on a chip at time t, within a step, was caused by what ended there at t: a message of the step delivered,
// a computation of the step, a message of its own that had left its first link, its launch, or else its start, which
// came with the end of a step before it. If several ended at t, the first of this list is taken; of messages one of
// the same lane of the schedule, then the first recorded; of steps before it the first of the program. A barrier ends
// with the lowest chip that came last. The run ends with the first step, then the lowest chip, that ends last.
//
// * A computation is all of its time on the compute unit, slowed or not; it waited for the one before it on the unit,
//   or for what brought its input.
// * A message is taken apart from its delivery back to its posting: latency of the last link, transfer on it, waiting
//   for it, the latencies of the links before (its head's, as links are cut through), and what lies between posting
//   and first link. Where a slower link upstream held the tail up, the transfer is that link's. Of that last part as
//   much as the overheads say is overhead, the rest waiting, if another message had just left the link; else all of
//   it is (delays by jitter, and chunks of one channel that take turns).
//
// Memory: some 80 bytes a link hop, 24 a computation, and 16 for each step on each chip. Beyond kMostHops records are
// dropped and there is no path. Time: about that of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/engine.hpp"
#include "sim/fabric.hpp"
#include "sim/program.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

enum class Cause : std::uint8_t {
  compute,
  transfer,   // bytes pass the link
  latency,    // of the link
  link_wait,  // for the link, on which other bytes pass
  overhead,   // of messages: step, chunk, jitter
  launch,     // of a collective
  host_load,
  other,  // none was recorded
};
constexpr std::size_t kCauses = 8;
const char* name_of(Cause);

struct PathSegment {
  Time start, end;
  Cause what{};
  std::uint32_t task = 0;
  std::uint32_t node = 0;  // that computes or waits, or that the link leaves: chips, then switches
  LinkId link = kNoLink;   // of transfer, latency and link_wait
  std::optional<std::uint32_t>
      held_by{};  // link_wait: the task whose message was on the link, at the end of the wait

  Time time() const { return end - start; }
};

class PathRecorder final : public Recorder {
 public:
  static constexpr std::size_t kMostHops = 20'000'000;

  // `next` hears of all too; null: none does. Both outlive the recorder.
  PathRecorder(const Fabric& fabric, Recorder* next, std::size_t most_hops = kMostHops)
      : fabric_(fabric), next_(next), most_hops_(most_hops) {}

  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t task, Time start, Time end) override;
  void task(ChipId, std::uint32_t task, Time start, Time end) override;

  bool overflowed() const { return overflowed_; }

  // In order of time, without gaps, from 0 to the makespan; segments that are alike and abut are one. Call it once.
  std::vector<PathSegment> path(const Program&, const Overheads&);

  static constexpr std::uint32_t kNone = ~0u;
  struct Hop {
    Time start, end, posted;
    Time busy;  // what its bytes take on the link alone
    std::uint32_t link = 0, task = 0;
    std::uint32_t before = kNone;   // the record of the message's hop before
    std::uint32_t held_by = kNone;  // the task whose message left the link just when this one began on it
    std::uint16_t lane = 0;
    bool last = false;
  };
  struct Span {
    Time start, end;
    std::uint32_t chip = 0, task = 0;
  };

 private:
  // The last few hops on a link: where they share it, as on SimGrid, they come in another order than they began.
  static constexpr std::size_t kRecent = 4;
  struct Recent {
    std::uint32_t at[kRecent] = {kNone, kNone, kNone, kNone};
    std::uint32_t next = 0;
  };

  void drop();
  std::uint32_t holder(const Recent&, Time start) const;
  std::uint32_t hop_before(const HopRecord&);

  const Fabric& fabric_;
  Recorder* const next_;
  const std::size_t most_hops_;
  bool overflowed_ = false;
  std::vector<Hop> hops_;
  std::vector<Span> computes_, tasks_;
  std::vector<Recent> recent_;  // by link
  std::unordered_map<std::uint64_t, std::uint32_t>
      on_the_way_;  // messages with hops to come: their last one's record
};

}  // namespace hopsim

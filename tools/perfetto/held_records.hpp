// Of a run that may stop at a time that nobody knows yet: engines record what they grant, ahead of its time. Here it
// waits until that has come; once the run has stopped, the rest goes on to a writer that knows where.
//
// Memory: 140 bytes for each message on a link, or granted one. Cost: a heap's.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <variant>
#include <vector>

#include "sim/recorder.hpp"
#include "sim/run_control.hpp"

namespace hopsim::perfetto {

class HeldRecords final : public Recorder {
 public:
  HeldRecords(Recorder& to, const RunProgress& now) : to_(to), now_(now) {}  // both outlive it

  void hop(const HopRecord& h) override { hold(h.delivered, h); }
  void compute(ChipId chip, std::uint32_t task, Time start, Time end) override {
    hold(end, Computation{chip, task, start, end});
  }
  void task(ChipId chip, std::uint32_t task, Time start, Time end) override { to_.task(chip, task, start, end); }

  void release();  // all, after the run

 private:
  struct Computation {
    ChipId chip{};
    std::uint32_t task = 0;
    Time start, end;
  };
  using What = std::variant<HopRecord, Computation>;
  struct Held {
    Time until;
    std::uint64_t number = 0;  // equal times: in the order they were recorded
    What what;

    bool operator>(const Held& o) const { return until != o.until ? until > o.until : number > o.number; }
  };

  void hold(Time until, const What&);
  void pass_on();

  Recorder& to_;
  const RunProgress& now_;
  std::uint64_t held_ = 0;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> waiting_;
};

}  // namespace hopsim::perfetto

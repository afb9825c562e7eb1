// What happened in a run, as it happens. Engines and machines hold a pointer to a Recorder; a null one costs a
// branch. Calls come in no particular order within an instant, and a hop's end may lie in the future of the call.
#pragma once

#include <cstdint>

#include "sim/ids.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

enum class Op : std::uint8_t { copy, reduce };  // what the receiver does with a message

struct Chunk {  // atoms of a collective's data: read by proofs, traces and players
  std::uint32_t first = 0, count = 0;
};

// One message's passage over one link: its head enters at `start`, its tail has left at `end`.
struct HopRecord {
  std::uint64_t message = 0;  // unique in the run, from 0
  ChipId from{}, to{};        // of the whole message
  LinkId link{};
  std::uint32_t hop = 0;  // from 0
  bool last = false;
  Time posted, start, end;
  Time delivered;  // when the tail is at the far end of this link
  Bytes bytes;
  std::uint32_t task = 0;                          // step of the program, from 0
  std::uint32_t lane = 0, phase = 0, passage = 0;  // place in the schedule
  Op op = Op::copy;
  Chunk chunk{};
};

struct Recorder {
  virtual ~Recorder() = default;
  virtual void hop(const HopRecord&) = 0;
  virtual void compute(ChipId, std::uint32_t task, Time start, Time end) = 0;  // busy compute unit
  virtual void task(ChipId, std::uint32_t task, Time start, Time end) = 0;     // a step of the program on one chip
};

}  // namespace hopsim

// A collective as a value: lanes side by side, each a row of phases; a phase is a pure function (chip, i) -> passage.
//
// A passage is a chunk's way through a chip: it comes in from one peer (or several arrivals, or none) and goes out to
// one peer (or none), copied or reduced. Seen backwards in time every passage is a passage again, so any schedule can be
// reversed without being stored: ReduceScatter is AllGather reversed, reduce is broadcast reversed, gather is scatter.
//
// Nothing is stored per message, yet a schedule can be listed, proven, drawn and reversed. Peers, channels and bytes are
// relative (an offset, never a chip's number), or symmetry is lost; chunks may be named absolutely.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/coordinates.hpp"
#include "sim/quantities.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

// One side of a passage.
struct End {
  Offset peer{};                        // where the other chip is
  Chunk chunk{};
  int channel = 0;                     // which counter of the receiving chip, within the phase
  std::uint32_t times = 0;             // 0: this side is absent; n: that many arrivals

  explicit operator bool() const { return times != 0; }
};

struct Passage {
  End in, out;
  std::uint8_t order = 0;              // of the route: the dimension it begins with
  Op op = Op::copy;                    // what the receiver of `out` does with it
};

class Phase {
 public:
  virtual ~Phase() = default;
  virtual int length(const Coordinates& at) const = 0;
  // Pure. Of `at` only chunks, and what happens along unwrapped dimensions, may depend.
  virtual Passage passage(const Coordinates& at, int i) const = 0;
  virtual int channels() const { return 1; }
  // How many passages from i on (way 1), or back from i (way -1), differ from passage i only in where their chunks are.
  virtual int alike(const Coordinates& /*at*/, int /*i*/, int /*way*/) const { return 1; }
};

using PhasePtr = std::shared_ptr<const Phase>;

struct Lane {
  struct Placed {
    PhasePtr phase;
    int first_channel = 0;
  };
  std::vector<Placed> phases;
  Bytes atom;                          // bytes of each atom its passages carry
  std::uint32_t sender_channel = 0;    // lanes that share one add up their chunk overheads
  bool paced = false;                  // sends the next only when the one before has left its first link
};

// Atoms [first + p * per_member, first + (p + 1) * per_member) belong to member p of the group.
struct Part {
  std::uint32_t first = 0, per_member = 0;
  Bytes atom;
};

struct Schedule {
  std::vector<Lane> lanes;
  std::vector<Part> parts;             // who owns which atoms: the start of an AllGather, the end of a ReduceScatter
  int channels = 0;
  std::uint32_t atoms = 0;             // of the collective's data, on each chip
  bool least_advanced_first = false;   // a free link takes the ready message of the least advanced phase

  void add(std::size_t lane, PhasePtr phase);
};

Schedule reversed(Schedule);
// `b` after `a`, lane by lane. Where lanes of b need what other lanes of a bring, groups of `join` neighbouring lanes of
// a chip wait for one another in between.
Schedule then(Schedule a, const Schedule& b, int join = 1);

}  // namespace hopsim

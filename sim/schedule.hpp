// A collective as a value: lanes side by side, each a row of phases; a phase is a pure function (chip, i) -> passage.
//
// A passage is a chunk's way through a chip: it comes in from one peer (or several arrivals, or none) and goes out to
// one peer (or none), copied or reduced. Seen backwards in time every passage is a passage again, so any schedule can
// be reversed without being stored: ReduceScatter is AllGather reversed, reduce is broadcast reversed, gather is
// scatter.
//
// Nothing is stored per message, yet a schedule can be listed, proven, drawn and reversed. Peers, channels and bytes
// are relative (an offset, never a chip's number), or symmetry is lost; chunks may be named absolutely.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/coordinates.hpp"
#include "sim/quantities.hpp"
#include "sim/recorder.hpp"

namespace hopsim {

// One side of a passage.
struct End {
  Offset peer{};  // where the other chip is
  Chunk chunk{};
  int channel = 0;          // which counter of the receiving chip, within the phase
  std::uint32_t times = 0;  // 0: this side is absent; n: that many arrivals
  bool any_order = false;   // arrivals of its channel may come in another order than they are taken in

  explicit operator bool() const { return times != 0; }
};

struct Passage {
  End in, out;
  std::uint8_t order = 0;  // of the route: the dimension it begins with
  Op op = Op::copy;        // what the receiver of `out` does with it
};

class Phase {
 public:
  virtual ~Phase() = default;
  virtual int length(const Coordinates& at) const = 0;
  // Pure. Of `at` only chunks, and what happens along unwrapped dimensions, may depend.
  virtual Passage passage(const Coordinates& at, int i) const = 0;
  virtual int channels() const { return 1; }
  // The phase seen backwards in time, where that is not its passages turned round and in reverse order.
  virtual std::shared_ptr<const Phase> backwards() const { return nullptr; }
  // How many passages from i on (way 1), or back from i (way -1), differ from passage i only in where their chunks
  // are.
  virtual int alike(const Coordinates& /*at*/, int /*i*/, int /*way*/) const { return 1; }
};

using PhasePtr = std::shared_ptr<const Phase>;

// What an atom weighs: `bytes` are `pieces` of them. A message of several weighs their sum, rounded up once.
struct AtomSize {
  AtomSize() = default;
  AtomSize(Bytes bytes_, std::uint64_t pieces_ = 1)
      : bytes(bytes_), pieces(pieces_) {}  // NOLINT: a whole number of bytes
  Bytes of(std::uint64_t atoms) const {
    const Uint128 sum = Uint128{bytes.count()} * atoms + (pieces - 1);
    if (sum >> 64 == 0) return Bytes(static_cast<std::uint64_t>(sum) / pieces);  // the usual case, ten times as fast
    return Bytes(static_cast<std::uint64_t>(sum / pieces));
  }
  friend bool operator<(const AtomSize& a, const AtomSize& b) {
    return Uint128{a.bytes.count()} * b.pieces < Uint128{b.bytes.count()} * a.pieces;
  }

  Bytes bytes;
  std::uint64_t pieces = 1;
};

struct Lane {
  struct Placed {
    PhasePtr phase;
    int first_channel = 0;
  };
  std::vector<Placed> phases;
  AtomSize atom;                     // of each atom its passages carry
  std::uint32_t sender_channel = 0;  // lanes that share one add up their chunk overheads
  bool paced = false;                // sends the next only when the one before has left its first link
};

// Atoms [first + m * per_member, first + (m + 1) * per_member) belong to member m of the group: the chip at position
// m of its row, or, with a stride, the one at the coordinates that the strides add up to m, or, with an order, the
// one whose position stands m-th in it. Of a broadcast or reduce, whose array belongs to no member, a part is
// [first, first + per_member).
struct Part {
  std::uint32_t first = 0, per_member = 0;
  AtomSize atom;
  std::array<std::uint32_t, kMaxDimensions> stride{};
  std::shared_ptr<const std::vector<std::uint32_t>> rank{};  // of a position in the order

  std::uint32_t member(const Coordinates& at, int position) const {
    if (rank) return (*rank)[static_cast<std::size_t>(position)];
    std::uint32_t m = 0;
    bool strides = false;
    for (int d = 0; d < kMaxDimensions; ++d) {
      const auto k = static_cast<std::size_t>(d);
      strides = strides || stride[k] != 0;
      m += static_cast<std::uint32_t>(at[k]) * stride[k];
    }
    return strides ? m : static_cast<std::uint32_t>(position);
  }
};

// Which atoms a chunk stands for, where they are no range.
using Expansion = std::function<void(const Chunk&, std::vector<std::uint32_t>& atoms)>;

struct Schedule {
  std::vector<Lane> lanes;
  std::vector<Part> parts;  // who owns which atoms: the start of an AllGather, the end of a ReduceScatter
  int channels = 0;
  std::uint32_t atoms = 0;            // of the collective's data, on each chip
  Expansion expand;                   // for the proof; none: chunks are ranges
  bool least_advanced_first = false;  // a free link takes the ready message of the least advanced phase

  void add(std::size_t lane, PhasePtr phase);
};

Schedule reversed(Schedule);
// All `group` neighbouring lanes of a chip, of which this is number `lane`, wait here for one another. Tokens to
// oneself are free.
PhasePtr join_phase(int lane, int group);
// `b` after `a`, lane by lane. Where lanes of b need what other lanes of a bring, groups of `join` neighbouring lanes
// of a chip wait for one another in between.
Schedule then(Schedule a, const Schedule& b, int join = 1);

}  // namespace hopsim

// What nvls and nvls_tree share: switches that reduce what comes up to them and multicast what they are given (NVLS,
// NVLink SHARP; PTX: multimem.ld_reduce, multimem.st).
//
// The array is cut into pieces; piece g belongs to member g % N of a group and is the (g / N)-th of its pieces. Every
// member, the owner too, sends its own of a piece up; when all have come, the switch sends the sum to the owner; the
// owner hands the finished piece up, and the switch sends it to all others. So a member sends S(1 + 1/N) altogether.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/algorithm.hpp"

namespace hopsim {

// Which members of which rows meet at a switch. Several rows may (mesh axes within one node): each has a slot, with
// lanes of its own, so that none waits for another.
class SwitchGroups {
 public:
  explicit SwitchGroups(const Request&);

  struct Seat {
    int slot = -1;   // -1: in no row
    int member = 0;  // within the domain, from 0
    Offset to_switch;
  };
  const Seat& seat(const Coordinates& chip) const { return seats_[index(shape_.chip(chip))]; }
  // The chips that meet at a switch in a slot, by member; empty: none.
  const std::vector<Offset>& group(const Coordinates& at, int slot) const;
  int slots() const { return slots_; }  // the most that one switch has
  int members() const { return members_; }

 private:
  Shape shape_;
  int members_ = 0, slots_ = 0;
  std::vector<Seat> seats_;                               // by chip
  std::vector<std::vector<std::vector<Offset>>> groups_;  // by switch, slot, member
};

using SwitchGroupsPtr = std::shared_ptr<const SwitchGroups>;

// How the array is cut: atoms [(owner * chunks + k) * per_piece, ... + per_piece) are piece k of an owner.
struct Pieces {
  int members = 1, chunks = 1;
  std::uint32_t per_piece = 1;

  int count() const { return members * chunks; }
  Chunk chunk(int owner, int k) const {
    return {static_cast<std::uint32_t>(owner * chunks + k) * per_piece, per_piece};
  }
  Chunk chunk(int g) const { return chunk(g % members, g / members); }
};

// Members send their own of every piece up, the switch sums and sends each sum to its owner. A member goes on only
// so far ahead of the sums: what owners hand up later would else queue behind all that is still to be summed.
// The owner's next phase, `Sums` hereafter, takes sums on channel 0 and returns a token for each.
class SumUp final : public Phase {
 public:
  SumUp(SwitchGroupsPtr groups, int slot, Pieces pieces, int ahead)
      : groups_(std::move(groups)), slot_(slot), pieces_(pieces), ahead_(ahead) {}
  int length(const Coordinates&) const override;
  Passage passage(const Coordinates&, int i) const override;
  int channels() const override { return window() + 1; }
  // How far ahead keeps the link to the switch busy: its latency there and back, and what members are apart.
  static int ahead_of_sums(const Request&, const Pieces&);

  static constexpr int kToken = -1;  // its channel, seen from the phase that follows in channels

 private:
  int window() const { return pieces_.members + ahead_; }  // no two pieces that may come at once share a channel
  int tokens_taken_before(int member, int post) const;

  SwitchGroupsPtr groups_;
  int slot_;
  Pieces pieces_;
  int ahead_;
};

// The switch sends every piece that its owner hands up (on channel `owner`) to all others, who count arrivals. Where
// an owner's pieces come in several streams, k in stream k % streams, each has such a phase.
class Multicast final : public Phase {
 public:
  Multicast(SwitchGroupsPtr groups, int slot, Pieces pieces, int stream = 0, int streams = 1)
      : groups_(std::move(groups)), slot_(slot), pieces_(pieces), stream_(stream), streams_(streams) {}
  int length(const Coordinates&) const override;
  Passage passage(const Coordinates&, int i) const override;
  int channels() const override { return pieces_.members + 1; }

 private:
  int chunks() const { return (pieces_.chunks + streams_ - 1 - stream_) / streams_; }

  SwitchGroupsPtr groups_;
  int slot_;
  Pieces pieces_;
  int stream_, streams_;
};

// With a sender's channel each: what one waits for keeps nothing back of another. Returns the first.
std::size_t add_lanes(Schedule&, std::uint32_t n, const AtomSize&);

// In the way of both: no such switch, or pieces of no bytes.
std::string nvls_obstacle(std::string_view algorithm, const Request&);

}  // namespace hopsim

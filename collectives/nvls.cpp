// NVLS: the switch of a domain reduces and multicasts.
//
// AllReduce: S(1 + 1/N) up and S down over every chip's link, so busbw = W 2(N-1)/(N+1): measured on H200 with N = 5
// and 8 (414 and 473 GB/s) to one W. Nothing is gained at N = 4. AllGather multicasts every shard, ReduceScatter is
// its reversal, and both take what a ring takes, in two hops; broadcast and reduce likewise, from and to one root.
#include <algorithm>

#include "collectives/nvls_phases.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kSmallestPiece = 16 << 10;  // bytes; below it latency outweighs what more pieces could hide
constexpr std::uint64_t kPieces = 1024;             // as many as keep the ends of the pipeline below 1 %

// Some members (all, or the root) send their pieces up, the switch to all others. Seen backwards: everybody sends its
// own of others' pieces up, one by one, and the switch adds them.
class Share final : public Phase {
 public:
  Share(SwitchGroupsPtr groups, int slot, int chunks, std::vector<int> sources)
      : groups_(std::move(groups)),
        slot_(slot),
        chunks_(chunks),
        others_(groups_->members() - 1),
        sources_(std::move(sources)) {}
  // By member: down to it, then up from it.
  int channels() const override { return 2 * (others_ + 1); }
  int length(const Coordinates& at) const override {
    const int pieces = chunks_ * static_cast<int>(sources_.size());
    if (Shape::is_switch(at)) return groups_->group(at, slot_).empty() ? 0 : pieces * others_;
    const SwitchGroups::Seat& seat = groups_->seat(at);
    return seat.slot == slot_ ? pieces : 0;  // own ones go up, all others come down
  }
  Passage passage(const Coordinates& at, int i) const override {
    return Shape::is_switch(at) ? at_switch(at, i) : at_chip(groups_->seat(at), i);
  }

 private:
  Passage at_switch(const Coordinates& at, int i) const {
    const auto& group = groups_->group(at, slot_);
    const int piece = i / others_, other = i % others_;
    const int source = sources_[static_cast<std::size_t>(piece) % sources_.size()];
    const int to = other < source ? other : other + 1;
    Passage p;
    if (other == 0)
      p.in = {.peer = group[static_cast<std::size_t>(source)],
              .chunk = chunk(piece),
              .channel = others_ + 1 + source,
              .times = 1};
    p.out = {.peer = group[static_cast<std::size_t>(to)], .chunk = chunk(piece), .channel = to, .times = 1};
    return p;
  }
  Passage at_chip(const SwitchGroups::Seat& seat, int i) const {
    const auto n = static_cast<int>(sources_.size());
    const auto mine = std::find(sources_.begin(), sources_.end(), seat.member);
    const int rank = static_cast<int>(mine - sources_.begin());
    const int own = rank < n ? chunks_ : 0;
    Passage p;
    if (i < own) {
      p.out = {
          .peer = seat.to_switch, .chunk = chunk(i * n + rank), .channel = others_ + 1 + seat.member, .times = 1};
      return p;
    }
    const int each = own ? n - 1 : n, k = (i - own) / each, s = (i - own) % each;
    const int piece = k * n + (own && s >= rank ? s + 1 : s);
    p.in = {.peer = seat.to_switch, .chunk = chunk(piece), .channel = seat.member, .times = 1};
    return p;
  }
  Chunk chunk(int piece) const {
    const auto n = static_cast<int>(sources_.size());
    return {static_cast<std::uint32_t>(piece % n * chunks_ + piece / n), 1};
  }

  SwitchGroupsPtr groups_;
  int slot_, chunks_, others_;
  std::vector<int> sources_;
};

// A sum comes: up it goes again, and a token to those who wait for it.
class HandUp final : public Phase {
 public:
  HandUp(SwitchGroupsPtr groups, int slot, Pieces pieces)
      : groups_(std::move(groups)), slot_(slot), pieces_(pieces) {}
  int length(const Coordinates& at) const override {
    return !Shape::is_switch(at) && groups_->seat(at).slot == slot_ ? 2 * pieces_.chunks : 0;
  }
  Passage passage(const Coordinates& at, int i) const override {
    const SwitchGroups::Seat& seat = groups_->seat(at);
    const Chunk chunk = pieces_.chunk(seat.member, i / 2);
    Passage p;
    if (i % 2 == 1) {
      p.out = {.peer = {}, .chunk = {}, .channel = SumUp::kToken, .times = 1};
      return p;
    }
    p.in = {.peer = seat.to_switch, .chunk = chunk, .channel = 0, .times = 1};
    p.out = {.peer = seat.to_switch, .chunk = chunk, .channel = channels() + seat.member, .times = 1};
    return p;
  }

 private:
  SwitchGroupsPtr groups_;
  int slot_;
  Pieces pieces_;
};

bool rooted(const Request& r) { return r.operation == Operation::broadcast || r.operation == Operation::reduce; }

std::string obstacle(const Request& r) {
  switch (r.operation) {
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::all_reduce:
    case Operation::broadcast:
    case Operation::reduce:
      break;
    default:
      return "nvls does all_gather, reduce_scatter, all_reduce, broadcast and reduce, not " +
             std::string(name(r.operation));
  }
  if (std::string why = nvls_obstacle("nvls", r); !why.empty()) return why;
  if (r.domains() > 1)
    return "nvls works within one domain, here of " + std::to_string(r.local()) + " of the " +
           std::to_string(r.size()) + " members" +
           (r.operation == Operation::all_reduce ? "; valid: nvls_tree, hierarchical, ring" : "");
  return {};
}

int own_chunks(const Request& r) {
  const std::uint64_t blocks = rooted(r) ? 1 : static_cast<std::uint64_t>(r.size());
  const std::uint64_t enough = (kPieces / (rooted(r) ? 4 : 1) + blocks - 1) / blocks;
  return static_cast<int>(std::clamp<std::uint64_t>(r.bytes.count() / blocks / kSmallestPiece, 1, enough));
}

Schedule all_reduce(const Request& r) {
  const auto groups = std::make_shared<const SwitchGroups>(r);
  const Pieces pieces{.members = r.size(), .chunks = r.chunks};
  const int ahead = SumUp::ahead_of_sums(r, pieces);
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(pieces.count());
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = static_cast<std::uint32_t>(r.chunks), .atom = atom});
  for (int slot = 0; slot < groups->slots(); ++slot) {
    const std::size_t lane = add_lanes(s, 3, atom);
    s.add(lane, std::make_shared<SumUp>(groups, slot, pieces, ahead));  // each addresses channels of the next
    s.add(lane + 1, std::make_shared<HandUp>(groups, slot, pieces));
    s.add(lane + 2, std::make_shared<Multicast>(groups, slot, pieces));
  }
  return s;
}

Schedule schedule(const Request& r) {
  if (r.operation == Operation::all_reduce) return all_reduce(r);
  const auto groups = std::make_shared<const SwitchGroups>(r);
  std::vector<int> sources;
  for (int m = 0; m < r.size(); ++m)
    if (!rooted(r) || m == r.root) sources.push_back(m);
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(sources.size()) * static_cast<std::uint32_t>(r.chunks);
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = static_cast<std::uint32_t>(r.chunks), .atom = atom});
  for (int slot = 0; slot < groups->slots(); ++slot) {
    s.add(add_lanes(s, 1, atom), std::make_shared<Share>(groups, slot, r.chunks, sources));
  }
  const bool backwards = r.operation == Operation::reduce_scatter || r.operation == Operation::reduce;
  return backwards ? reversed(std::move(s)) : s;
}

ClosedForm closed_form(const Request& r) {
  const double v = static_cast<double>(r.bytes.count()), n = r.size();
  if (r.operation == Operation::all_reduce) return {v * (1 + 1 / n), 4, "V(1+1/N)/(W/2)"};
  if (rooted(r)) return {v, 2, "V/(W/2)"};
  return {v * (n - 1) / n, 2, "V(N-1)/(N W/2)"};
}

}  // namespace

Algorithm algorithm_nvls() {
  return {"nvls",
          "the switch reduces and multicasts",
          "Klenk et al., ISCA 2020 (in-network reduction on NVSwitch); NVIDIA NCCL 2.17 release notes (NVLS)",
          obstacle,
          schedule,
          closed_form,
          own_chunks};
}

}  // namespace hopsim

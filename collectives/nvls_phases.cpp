#include "collectives/nvls_phases.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hopsim {
namespace {
constexpr int kMostChunks = 1024;
}

SwitchGroups::SwitchGroups(const Request& r)
    : shape_(r.row->shape()), members_(r.local()), seats_(shape_.chips()), groups_(shape_.switches) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> slot_of;  // of a row at a switch
  for (std::uint32_t c = 0; c < shape_.chips(); ++c) {
    const Coordinates at = shape_.at(ChipId{c});
    const int position = r.row->position(at);
    if (position < 0) continue;
    const std::uint32_t node = r.wiring.nvls(at);
    auto& here = groups_[node - shape_.chips()];
    const auto [known, fresh] = slot_of.try_emplace({node, index(r.row->first(at))}, static_cast<int>(here.size()));
    if (fresh) here.emplace_back(static_cast<std::size_t>(members_));
    const int member = position % members_;
    here[static_cast<std::size_t>(known->second)][static_cast<std::size_t>(member)] = Offset::to_node(c);
    seats_[c] = {known->second, member, Offset::to_node(node)};
    slots_ = std::max(slots_, known->second + 1);
  }
}

const std::vector<Offset>& SwitchGroups::group(const Coordinates& at, int slot) const {
  static const std::vector<Offset> none;
  const auto& here = groups_[static_cast<std::size_t>(-1 - at[0])];
  return static_cast<std::size_t>(slot) < here.size() ? here[static_cast<std::size_t>(slot)] : none;
}

int SumUp::ahead_of_sums(const Request& r, const Pieces& p) {
  constexpr int kApart = 4;
  const double piece = static_cast<double>(r.bytes.count()) / p.count() /
                       static_cast<double>(r.wiring.link.bandwidth.bytes_per_second());
  const double delay = (r.wiring.link.latency + r.wiring.overheads.step).seconds();
  const double pieces = kApart + std::ceil(2 * delay / piece);
  return static_cast<int>(std::min(pieces, static_cast<double>(p.count())));
}

int SumUp::length(const Coordinates& at) const {
  if (Shape::is_switch(at)) return groups_->group(at, slot_).empty() ? 0 : pieces_.count();
  const SwitchGroups::Seat& seat = groups_->seat(at);
  if (seat.slot != slot_) return 0;
  return pieces_.count() + (tokens_taken_before(seat.member, pieces_.count()) < pieces_.chunks);
}

// The token of a member's k-th piece is taken `ahead` pieces later.
int SumUp::tokens_taken_before(int member, int post) const {
  const int since_first = post - 1 - (member + ahead_ + 1);
  return since_first < 0 ? 0 : std::min(since_first / pieces_.members + 1, pieces_.chunks);
}

Passage SumUp::passage(const Coordinates& at, int i) const {
  Passage p;
  p.op = Op::reduce;
  if (Shape::is_switch(at)) {
    const auto& group = groups_->group(at, slot_);
    const Offset owner = group[static_cast<std::size_t>(i % pieces_.members)];
    const auto all = static_cast<std::uint32_t>(pieces_.members);
    p.in = {.peer = owner, .chunk = pieces_.chunk(i), .channel = i % window(), .times = all};
    p.out = {.peer = owner, .chunk = pieces_.chunk(i), .channel = channels(), .times = 1};
    p.op = Op::copy;
    return p;
  }
  const SwitchGroups::Seat& seat = groups_->seat(at);
  const int taken = tokens_taken_before(seat.member, i);
  const bool last = i == pieces_.count();
  const int tokens = (last ? pieces_.chunks : tokens_taken_before(seat.member, i + 1)) - taken;
  p.in = {.peer = {}, .chunk = {}, .channel = window(), .times = static_cast<std::uint32_t>(tokens)};
  if (!last) p.out = {.peer = seat.to_switch, .chunk = pieces_.chunk(i), .channel = i % window(), .times = 1};
  return p;
}

int Multicast::length(const Coordinates& at) const {
  if (Shape::is_switch(at))
    return groups_->group(at, slot_).empty() ? 0 : chunks() * pieces_.members * (pieces_.members - 1);
  return groups_->seat(at).slot == slot_ && pieces_.members > 1 && chunks() > 0 ? 1 : 0;
}

Passage Multicast::passage(const Coordinates& at, int i) const {
  const int others = pieces_.members - 1;
  Passage p;
  if (!Shape::is_switch(at)) {
    const auto arrivals = static_cast<std::uint32_t>(others * chunks());
    p.in = {.peer = groups_->seat(at).to_switch, .chunk = {}, .channel = pieces_.members, .times = arrivals};
    return p;
  }
  const auto& group = groups_->group(at, slot_);
  const int g = i / others, owner = g % pieces_.members, other = i % others;
  const Chunk chunk = pieces_.chunk(owner, g / pieces_.members * streams_ + stream_);
  const auto to = static_cast<std::size_t>(other < owner ? other : other + 1);
  if (other == 0)
    p.in = {.peer = group[static_cast<std::size_t>(owner)], .chunk = chunk, .channel = owner, .times = 1};
  p.out = {.peer = group[to], .chunk = chunk, .channel = pieces_.members, .times = 1};
  return p;
}

std::size_t add_lanes(Schedule& s, std::uint32_t n, const AtomSize& atom) {
  const std::size_t first = s.lanes.size();
  for (std::uint32_t lane = 0; lane < n; ++lane)
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = lane});
  return first;
}

std::string nvls_obstacle(std::string_view algorithm, const Request& r) {
  if (r.size() < 2) return std::string(algorithm) + " needs 2 chips or more";
  if (!r.wiring.nvls)
    return std::string(algorithm) + " needs a switch that reduces (NVLS): h100_sxm, h200_sxm, b200, b300, " +
           "gb200_nvl72, gb300_nvl72, or topology: {kind: switch, nvls: true}";
  const bool one_array = r.operation == Operation::broadcast || r.operation == Operation::reduce;
  const std::uint64_t blocks = one_array ? 1 : static_cast<std::uint64_t>(r.local());
  const std::uint64_t most = std::clamp<std::uint64_t>(r.bytes.count() / blocks, 1, kMostChunks);
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of a member's " + std::to_string(r.bytes.count() / blocks) +
           " B; valid: 1 to " + std::to_string(most);
  return {};
}

}  // namespace hopsim

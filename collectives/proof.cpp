#include "collectives/proof.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/contents.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

using Labels = std::vector<std::uint64_t>;

// Never 0: that is a chip's word for "nothing here".
std::uint64_t label(std::uint64_t chip, std::uint64_t atom) {
  std::uint64_t z = (chip << 32 | atom) + 0x9e3779b97f4a7c15u;  // splitmix64
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) | 1;
}

class Interpreter {
 public:
  Interpreter(const Shape& shape, const Schedule& schedule, const std::vector<AtomSize>& sizes, std::uint64_t seed)
      : shape_(shape),
        schedule_(schedule),
        sizes_(sizes),
        random_(seed),
        held_(shape.chips() + shape.switches * schedule.lanes.size()) {}

  std::uint64_t& operator()(std::uint32_t chip, std::uint32_t atom) { return held(chip, 0).labels[atom]; }
  // Whether a chip sent an atom on after it last came; whether a copy of it came at all.
  bool passed_on(std::uint32_t chip, std::uint32_t atom) { return held(chip, 0).sent[atom]; }
  bool got_copy(std::uint32_t chip, std::uint32_t atom) { return held(chip, 0).copied[atom]; }

  void run() {
    std::vector<Place> work;
    for (std::uint32_t c = 0; c < shape_.actors(); ++c)
      for (std::uint32_t l = 0; l < schedule_.lanes.size(); ++l) work.push_back({.chip = c, .lane = l});
    while (!work.empty()) {
      progress_ = false;
      for (std::size_t k = work.size(); k-- > 0;) {
        std::swap(work[k], work[random_() % (k + 1)]);
        if (!advance(work[k])) continue;
        std::swap(work[k], work.back());
        work.pop_back();
      }
      if (!progress_ && !work.empty()) fail_waiting(work[0]);
    }
    for (const auto& [key, box] : boxes_)
      if (!box.empty())
        fail(static_cast<std::uint32_t>(key / channels()),
             "gets chunk " + std::to_string(box.front().chunk.first) + ", which no step takes");
    for (std::size_t k = shape_.chips(); k < held_.size(); ++k)
      for (std::uint32_t a = 0; a < held_[k].labels.size(); ++a)
        if (held_[k].labels[a] != 0 && !held_[k].sent[a])
          fail(shape_.chips() + static_cast<std::uint32_t>((k - shape_.chips()) / schedule_.lanes.size()),
               "keeps chunk " + std::to_string(a) + ", which nobody gets");
  }

  [[noreturn]] void fail(std::uint32_t chip, const std::string& what) const {
    const Coordinates at = shape_.at(ChipId{chip});
    if (Shape::is_switch(at))
      throw ProofFailed("the schedule is wrong: switch " + std::to_string(chip - shape_.chips()) + " " + what);
    std::string name;
    for (int d = 0; d < shape_.dimensions; ++d) name += (d ? "," : "(") + std::to_string(at[d]);
    throw ProofFailed("the schedule is wrong: chip " + name + ") " + what);
  }

 private:
  struct Mail {
    Chunk chunk;
    Op op;
    std::vector<std::uint32_t> atoms;
    Labels data;
  };
  struct Held {
    Labels labels;
    std::vector<bool> sent;    // passed on since it came
    std::vector<bool> copied;  // came as a copy
  };
  struct Place {
    std::uint32_t chip, lane;
    std::uint32_t phase = 0;
    int i = 0;
  };

  [[noreturn]] void fail_waiting(const Place& p) const {
    const Phase& phase = *schedule_.lanes[p.lane].phases[p.phase].phase;
    const Chunk chunk = phase.passage(shape_.at(ChipId{p.chip}), p.i).in.chunk;
    fail(p.chip, "waits for ever for chunk " + std::to_string(chunk.first) + " in lane " + std::to_string(p.lane));
  }

  // As far as the lane can go; true at its end.
  bool advance(Place& place) {
    const Lane& lane = schedule_.lanes[place.lane];
    const Coordinates at = shape_.at(ChipId{place.chip});
    for (; place.phase < lane.phases.size(); ++place.phase, place.i = 0) {
      const Lane::Placed& p = lane.phases[place.phase];
      for (const int n = p.phase->length(at); place.i < n; ++place.i) {
        const Passage passage = p.phase->passage(at, place.i);
        if (passage.in && !take(place, p.first_channel + passage.in.channel, passage.in)) return false;
        if (passage.out) post(place, at, p.first_channel + passage.out.channel, passage, lane.atom);
        progress_ = true;
      }
    }
    return true;
  }

  std::vector<std::uint32_t> atoms_of(std::uint32_t from, const Chunk& c) const {
    std::vector<std::uint32_t> atoms;
    if (schedule_.expand) {
      schedule_.expand(c, atoms);
    } else {
      if (c.count > schedule_.atoms || c.first > schedule_.atoms - c.count)
        fail(from, "sends chunk " + std::to_string(c.first) + ", which does not exist");
      atoms.resize(c.count);
      std::iota(atoms.begin(), atoms.end(), c.first);
    }
    return atoms;
  }

  void post(const Place& place, const Coordinates& at, int channel, const Passage& p, const AtomSize& atom_size) {
    const std::uint32_t from = place.chip;
    Held& mine = held(from, place.lane);
    Mail mail{.chunk = p.out.chunk, .op = p.op, .atoms = atoms_of(from, p.out.chunk), .data = {}};
    if (mail.atoms.size() != p.out.chunk.count)
      fail(from, "sends chunk " + std::to_string(p.out.chunk.first) + " of another size than it says");
    for (const std::uint32_t a : mail.atoms) {
      if (mine.labels[a] == 0) fail(from, "sends chunk " + std::to_string(a) + ", which it does not have");
      if (atom_size < sizes_[a]) fail(from, "sends chunk " + std::to_string(a) + " in too few bytes");
      mail.data.push_back(mine.labels[a]);
      mine.sent[a] = true;
    }
    check_way(from, at, p.out.peer);
    box(index(shape_.peer(at, p.out.peer)), channel).push_back(std::move(mail));
  }

  void check_way(std::uint32_t from, const Coordinates& at, Offset way) const {
    if (way.names_node()) {
      if (way.node() >= shape_.actors())
        fail(from, "sends to node " + std::to_string(way.node()) + ", which is none");
      return;
    }
    if (Shape::is_switch(at)) {
      if (!way.zero()) fail(from, "sends to a neighbour, which a switch has not");
      return;
    }
    for (int d = 0; d < shape_.dimensions; ++d) {
      const int x = at[d] + way[d];
      if (!shape_.wrap[d] && !shape_.twisted(d) && (x < 0 || x >= shape_.size[d]))
        fail(from, "sends over the edge of the fabric");
    }
  }

  bool take(const Place& place, int channel, const End& in) {
    auto& mail = box(place.chip, channel);
    if (mail.size() < in.times) return false;
    for (std::uint32_t k = 0; k < in.times; ++k, mail.pop_front()) apply(place, mail.front(), in.chunk, in.any_order);
    return true;
  }

  void apply(const Place& place, const Mail& m, const Chunk& expected, bool any_order) {
    const std::uint32_t chip = place.chip;
    Held& here = held(chip, place.lane);
    if (expected.count && !any_order && (m.chunk.first != expected.first || m.chunk.count != expected.count))
      fail(chip, "expects chunk " + std::to_string(expected.first) + ", gets chunk " + std::to_string(m.chunk.first));
    for (std::size_t k = 0; k < m.atoms.size(); ++k) {
      std::uint64_t& mine = here.labels[m.atoms[k]];
      here.sent[m.atoms[k]] = false;
      if (m.op == Op::copy) here.copied[m.atoms[k]] = true;
      if (m.op == Op::reduce) {
        mine += m.data[k];
      } else if (mine == m.data[k] && chip < shape_.chips()) {  // a switch has no memory
        fail(chip, "gets chunk " + std::to_string(m.atoms[k]) + ", which it already has");
      } else {
        mine = m.data[k];
      }
    }
  }

  // A chip has one memory. A switch has none: what it holds for a moment, it holds lane by lane.
  Held& held(std::uint32_t actor, std::uint32_t lane) {
    const std::uint32_t n = shape_.chips();
    Held& h = held_[actor < n ? actor : n + std::size_t{actor - n} * schedule_.lanes.size() + lane];
    if (h.labels.empty())
      h = {Labels(schedule_.atoms), std::vector<bool>(schedule_.atoms), std::vector<bool>(schedule_.atoms)};
    return h;
  }
  std::uint64_t channels() const { return static_cast<std::uint64_t>(schedule_.channels); }
  std::deque<Mail>& box(std::uint32_t chip, int channel) {
    return boxes_[chip * channels() + static_cast<std::uint64_t>(channel)];
  }

  const Shape& shape_;
  const Schedule& schedule_;
  const std::vector<AtomSize>& sizes_;  // of each atom
  std::mt19937_64 random_;
  std::vector<Held> held_;  // by chip, then by switch and lane
  std::unordered_map<std::uint64_t, std::deque<Mail>> boxes_;
  bool progress_ = false;
};

// Every chip contributes to every atom.
void prove_sums(Interpreter& chips, const Contents& contents, const Schedule& s) {
  std::unordered_map<std::uint64_t, std::uint64_t> sums;  // by row and atom
  for (const Holder& m : contents.members())
    for (std::uint32_t a = 0; a < s.atoms; ++a) {
      chips(m.chip, a) = label(m.chip, a);
      sums[std::uint64_t{m.row} << 32 | a] += label(m.chip, a);
    }
  chips.run();
  for (const Holder& m : contents.members())
    for (std::uint32_t a = 0; a < s.atoms; ++a) {
      const bool wanted = contents.ends(m, a);
      if (wanted && chips(m.chip, a) != sums[std::uint64_t{m.row} << 32 | a])
        chips.fail(m.chip, "ends with chunk " + std::to_string(a) + " not summed once over every member");
      if (!wanted && chips.got_copy(m.chip, a) && !chips.passed_on(m.chip, a))
        chips.fail(m.chip, "got chunk " + std::to_string(a) + ", which nobody wanted there");
    }
}

// Nobody may get an atom but those who must end with it, or to pass it on.
void prove_moves(Interpreter& chips, const Contents& contents, const Schedule& s) {
  for (const Holder& m : contents.members())
    for (std::uint32_t a = 0; a < s.atoms; ++a)
      if (contents.starts(m, a)) chips(m.chip, a) = label(m.row, a);
  chips.run();
  for (const Holder& m : contents.members())
    for (std::uint32_t a = 0; a < s.atoms; ++a) {
      const bool mine = contents.starts(m, a), wanted = contents.ends(m, a);
      if (wanted && chips(m.chip, a) != label(m.row, a))
        chips.fail(m.chip, "ends without chunk " + std::to_string(a));
      if (!wanted && !mine && chips(m.chip, a) != 0 && !chips.passed_on(m.chip, a))
        chips.fail(m.chip, "got chunk " + std::to_string(a) + ", which nobody wanted there");
    }
}

void refuse_what_does_not_fit(const Shape& shape, const Schedule& s) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28;  // words, 2 GiB
  const std::uint64_t words = std::uint64_t{shape.actors()} * s.atoms;
  if (words > kMost)
    throw InputError("a proof of this would hold " + std::to_string(words >> 17) + " MiB of labels", {},
                     "up to 2048 MiB: fewer chips or chunks, or without --verify");
}

// The parts must name each atom once, and hold the whole array. Returns the bytes of each atom.
std::vector<AtomSize> check_parts(const Request& r, const Schedule& s) {
  std::vector<AtomSize> size(s.atoms);
  std::vector<bool> named(s.atoms);
  const bool array_each = r.operation == Operation::collective_permute || r.operation == Operation::send_recv;
  const std::uint64_t needed = r.bytes.count() * (array_each ? static_cast<std::uint64_t>(r.row->size()) : 1);
  std::uint64_t bytes = 0;
  for (const Part& p : s.parts) {
    const std::uint64_t n = std::uint64_t{p.per_member} * static_cast<std::uint64_t>(owners(r));
    for (std::uint64_t a = p.first; a < p.first + n; ++a) {
      if (a >= s.atoms || named[a])
        throw ProofFailed("the schedule is wrong: its parts name chunk " + std::to_string(a) +
                          (a < s.atoms ? " twice" : ", which does not exist"));
      named[a] = true;
      size[a] = p.atom;
    }
    bytes += p.atom.of(n).count();
  }
  if (bytes < needed)
    throw ProofFailed("the schedule is wrong: its parts hold " + std::to_string(bytes) + " of " +
                      std::to_string(needed) + " B");
  if (const auto none = std::find(named.begin(), named.end(), false); none != named.end())
    throw ProofFailed("the schedule is wrong: no part names chunk " + std::to_string(none - named.begin()));
  return size;
}

}  // namespace

void prove(const Shape& shape, const Request& request, const Schedule& schedule, std::uint64_t seed) {
  refuse_what_does_not_fit(shape, schedule);
  const auto sizes = check_parts(request, schedule);
  Interpreter chips(shape, schedule, sizes, seed);
  const Contents contents(shape, request, schedule);
  if (is_sum(request.operation)) return prove_sums(chips, contents, schedule);
  prove_moves(chips, contents, schedule);
}

}  // namespace hopsim

// Hierarchical: over rails between domains, then within them.
//
// Chip i of every domain gathers the shards of all chips i round a ring of the domains, by its own NIC, and passes
// every block on to the others of its domain as it comes. So all NICs work at once, each on V/n (D-1), and a chip's
// link carries V(L-1)/L. ReduceScatter is the reversal, AllReduce one then the other, chunk by chunk.
//
// Slices of a torus: round the slices first, then along all axes of each at once, as nd_ring does.
#include <algorithm>

#include "collectives/nd_ring.hpp"
#include "collectives/ring_gather.hpp"
#include "collectives/ring_orders.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kSmallestPiece = 64 << 10;  // bytes; below it latency outweighs what more pieces could hide
constexpr std::uint64_t kMostChunks = 16;
constexpr std::uint64_t kMostMessages = 1 << 21;  // of a run, beyond which more pieces cost more than they show

// One chunk of every shard. Channel 0 counts what comes over the rail, channel q what comes from the q-th chip before
// this one in its domain; seen backwards, from the q-th after.
class Rails final : public Phase {
 public:
  Rails(const Request& r, int chunk)
      : row_(r.row), local_(r.local()), domains_(r.domains()), chunks_(r.chunks), chunk_(chunk) {}
  int channels() const override { return local_; }
  int length(const Coordinates& at) const override {
    return row_->position(at) < 0 ? 0 : domains_ * (2 * local_ - 1);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int position = row_->position(at);
    if (i >= domains_ * local_) return from_neighbour(at, position, i - domains_ * local_);
    const int block = i / local_, turn = i % local_;
    return turn == 0 ? on_the_rail(at, position, block) : to_neighbour(at, position, block, turn);
  }

 private:
  // Blocks come round in the order of the domains behind.
  Passage on_the_rail(const Coordinates& at, int position, int block) const {
    Passage p;
    const Chunk chunk = piece(position, block, 0);
    if (block > 0) p.in = {.peer = way(at, position, -1, 0), .chunk = chunk, .channel = 0, .times = 1};
    if (block < domains_ - 1) p.out = {.peer = way(at, position, 1, 0), .chunk = chunk, .channel = 0, .times = 1};
    return p;
  }
  Passage to_neighbour(const Coordinates& at, int position, int block, int turn) const {
    Passage p;
    p.out = {.peer = way(at, position, 0, turn), .chunk = piece(position, block, 0), .channel = turn, .times = 1};
    return p;
  }
  Passage from_neighbour(const Coordinates& at, int position, int i) const {
    const int block = i / (local_ - 1), turn = i % (local_ - 1) + 1;
    Passage p;
    p.in = {.peer = way(at, position, 0, -turn), .chunk = piece(position, block, -turn), .channel = turn, .times = 1};
    return p;
  }

  // The member so many domains and local places on, both counted round.
  int member(int position, int domains, int places) const {
    const int domain = (position / local_ + domains + domains_) % domains_;
    return domain * local_ + (position % local_ + places + local_) % local_;
  }
  Offset way(const Coordinates& at, int position, int domains, int places) const {
    return row_->way(at, member(position, domains, places) - position);
  }
  Chunk piece(int position, int domains_behind, int places) const {
    const int owner = member(position, -domains_behind, places);
    return {static_cast<std::uint32_t>(owner * chunks_ + chunk_), 1};
  }

  RowPtr row_;
  int local_, domains_, chunks_, chunk_;
};

bool over_slices(const Request& r) { return r.wiring.kind == Wiring::Kind::grid && spans_slices(r); }

std::string obstacle(const Request& r) {
  switch (r.operation) {
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::all_reduce:
      break;
    default:
      return "hierarchical does all_gather, reduce_scatter and all_reduce, not " + std::string(name(r.operation));
  }
  if (r.domains() < 2)
    return "hierarchical needs a group with two members or more, listed side by side, in each of several domains "
           "(nodes, racks, slices)";
  return row_obstacle("hierarchical", r);
}

int own_chunks(const Request& r) {
  if (over_slices(r)) return nd_ring_chunks(r);
  const auto n = static_cast<std::uint64_t>(r.size());
  const std::uint64_t most = std::clamp<std::uint64_t>(kMostMessages / (n * n), 1, kMostChunks);
  return static_cast<int>(std::clamp<std::uint64_t>(r.bytes.count() / n / kSmallestPiece, 1, most));
}

Schedule schedule(const Request& r) {
  if (over_slices(r)) return gather_based(r.operation, nd_ring_gather(r), 1);
  Schedule s;
  s.least_advanced_first = true;
  s.atoms = static_cast<std::uint32_t>(r.size()) * static_cast<std::uint32_t>(r.chunks);
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = static_cast<std::uint32_t>(r.chunks), .atom = atom});
  for (int c = 0; c < r.chunks; ++c) {
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(c)});
    s.add(s.lanes.size() - 1, std::make_shared<Rails>(r, c));
  }
  return gather_based(r.operation, std::move(s), 1);
}

// Scaling Book, "How to think about GPUs": each level takes V(D-1)/D over its bandwidth, the slowest binds.
ClosedForm closed_form(const Request& r) {
  const double v = static_cast<double>(r.bytes.count()), local = r.local(), domains = r.domains();
  const bool switched = r.wiring.kind == Wiring::Kind::switched;
  ClosedForm form{switched ? v * (local - 1) / local : v / local, local > 1 ? r.wiring.hops_to_peer() : 0,
                  "V max((L-1)/(L W/2), (D-1)/(D L NIC)) over D domains of L"};
  if (over_slices(r)) {
    form = nd_ring_gather_form(r);
    form.formula = "V max((1-1/L)/(k W), (D-1)/(D L NIC)) over D slices of L";
  }
  form.nic_bytes = v * (domains - 1) / (domains * local);
  form.nic_hops = 2 * (r.domains() - 1);
  form.steps = r.domains() - 1 + (over_slices(r) ? form.hops : r.local() > 1);
  return r.operation == Operation::all_reduce ? twice(form) : form;
}

}  // namespace

Algorithm algorithm_hierarchical() {
  return {"hierarchical",
          "rings of the domains over all rails, blocks handed on within",
          "Scaling Book, \"How to think about GPUs\"; Cho et al., BlueConnect, MLSys 2019",
          obstacle,
          schedule,
          closed_form,
          own_chunks};
}

}  // namespace hopsim

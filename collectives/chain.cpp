#include "collectives/chain.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {
namespace {

constexpr int kMostChunks = 65536;

// From the root `reach` members on, of a row in some order.
struct Pipe {
  RowPtr row;
  int root, sign, reach;
  std::uint32_t share;  // of the array, or of each block
  enum class Last { whole, first_half, second_half } last = Last::whole;

  int distance(const Coordinates& at) const {  // -1: not on it
    const int p = row->position(at), n = row->size();
    if (p < 0) return -1;
    const int ahead = sign * (p - root);
    const int d = row->wraps() ? (ahead % n + n) % n : ahead;
    return d > reach ? -1 : d;
  }
  int member(int distance) const {
    const int n = row->size();
    return ((root + sign * distance) % n + n) % n;
  }
  Offset onwards(const Coordinates& at) const { return row->way(at, sign); }
  Offset back(const Coordinates& at) const { return row->way(at, -sign); }
};

class Broadcast final : public Phase {
 public:
  Broadcast(Pipe pipe, std::uint32_t first, int chunks) : pipe_(std::move(pipe)), first_(first), chunks_(chunks) {}
  int length(const Coordinates& at) const override { return pipe_.distance(at) < 0 ? 0 : chunks_; }
  Passage passage(const Coordinates& at, int i) const override {
    const int d = pipe_.distance(at);
    const Chunk chunk{first_ + static_cast<std::uint32_t>(i), 1};
    Passage p;
    if (d > 0) p.in = {.peer = pipe_.back(at), .chunk = chunk, .channel = 0, .times = 1};
    if (d < pipe_.reach) p.out = {.peer = pipe_.onwards(at), .chunk = chunk, .channel = 0, .times = 1};
    return p;
  }
  int alike(const Coordinates&, int i, int way) const override { return way > 0 ? chunks_ - i : i + 1; }

 private:
  Pipe pipe_;
  std::uint32_t first_;
  int chunks_;
};

// Blocks for the far members first; each chip keeps the last that comes to it.
class Scatter final : public Phase {
 public:
  Scatter(Pipe pipe, std::vector<std::uint32_t> block, std::uint32_t per_block, Chunk piece)
      : pipe_(std::move(pipe)), block_(std::move(block)), per_block_(per_block), piece_(piece) {}
  int length(const Coordinates& at) const override {
    const int d = pipe_.distance(at);
    return d < 0 ? 0 : pipe_.reach - d + (d > 0);
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int d = pipe_.distance(at), target = pipe_.reach - i;
    Passage p;
    if (d > 0) p.in = {.peer = pipe_.back(at), .chunk = chunk(target), .channel = 0, .times = 1};
    if (target > d) p.out = {.peer = pipe_.onwards(at), .chunk = chunk(target), .channel = 0, .times = 1};
    return p;
  }

 private:
  Chunk chunk(int distance) const {
    const std::uint32_t first = block_[static_cast<std::size_t>(pipe_.member(distance))] * per_block_ + piece_.first;
    if (pipe_.last == Pipe::Last::whole || distance < pipe_.reach) return {first, piece_.count};
    const std::uint32_t half = piece_.count / 2;
    return {pipe_.last == Pipe::Last::first_half ? first : first + half, half};
  }

  Pipe pipe_;
  std::vector<std::uint32_t> block_;  // of a member of the pipe's row
  std::uint32_t per_block_;
  Chunk piece_;
};

bool scatters(Operation o) { return o == Operation::gather || o == Operation::scatter; }

std::vector<Pipe> to_both_ends(const Request& r) {
  std::vector<Pipe> pipes;
  if (r.root < r.row->size() - 1) pipes.push_back({r.row, r.root, 1, r.row->size() - 1 - r.root, 0});
  if (r.root > 0) pipes.push_back({r.row, r.root, -1, r.root, 0});
  return pipes;
}

std::vector<Pipe> pipes_of(const Request& r, Chain chain) {
  const int n = r.row->size();
  if (chain == Chain::ends || !r.row->wraps()) return to_both_ends(r);
  std::vector<Pipe> pipes;
  if (chain == Chain::both_ways) {
    if (!scatters(r.operation)) return {{r.row, r.root, 1, n - 1, 0}, {r.row, r.root, -1, n - 1, 1}};
    using enum Pipe::Last;
    const bool even = n % 2 == 0;
    return {{r.row, r.root, 1, n / 2, 0, even ? first_half : whole},
            {r.row, r.root, -1, n / 2, 0, even ? second_half : whole}};
  }
  if (r.wiring.rings.empty()) return {{r.row, r.root, 1, n - 1, 0}};
  for (const std::vector<int>& order : r.wiring.rings) {
    const auto root = std::find(order.begin(), order.end(), r.root) - order.begin();
    pipes.push_back(
        {row_in_order(r.row, order), static_cast<int>(root), 1, n - 1, static_cast<std::uint32_t>(pipes.size())});
  }
  return pipes;
}

std::uint32_t shares_of(const std::vector<Pipe>& pipes) {
  std::uint32_t shares = 1;
  for (const Pipe& p : pipes) shares = std::max(shares, p.share + 1);
  return shares;
}

Schedule broadcast(const Request& r, const std::vector<Pipe>& pipes) {
  const auto chunks = static_cast<std::uint32_t>(r.chunks);
  Schedule s;
  s.atoms = shares_of(pipes) * chunks;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = s.atoms, .atom = atom});
  for (std::size_t l = 0; l < pipes.size(); ++l) {
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(l)});
    s.add(l, std::make_shared<Broadcast>(pipes[l], pipes[l].share * chunks, r.chunks));
  }
  return s;
}

Schedule scatter(const Request& r, const std::vector<Pipe>& pipes) {
  const auto n = static_cast<std::uint32_t>(r.row->size()), chunks = static_cast<std::uint32_t>(r.chunks);
  const std::uint32_t halves = pipes[0].last == Pipe::Last::whole ? 1 : 2;
  const std::uint32_t per_block = shares_of(pipes) * halves * chunks;
  Schedule s;
  s.atoms = n * per_block;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = per_block, .atom = atom});
  for (const Pipe& pipe : pipes) {
    std::vector<std::uint32_t> block;
    for (int p = 0; p < r.row->size(); ++p)
      block.push_back(static_cast<std::uint32_t>(r.row->position(pipe.row->at(p))));
    for (std::uint32_t c = 0; c < chunks; ++c) {
      s.lanes.push_back(
          {.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(&pipe - &pipes[0])});
      s.add(s.lanes.size() - 1,
            std::make_shared<Scatter>(pipe, block, per_block, Chunk{(pipe.share * chunks + c) * halves, halves}));
    }
  }
  return s;
}

// Hops from the root to the end of a pipe: over links, and over NICs up to a switch and down again.
void count_hops(ClosedForm& f, const Pipe& pipe, const Request& r) {
  const auto original = [&](int d) { return r.row->position(pipe.row->at(pipe.member(d))); };
  int hops = 0, across = 0;
  for (int d = 0; d < pipe.reach; ++d)
    if (original(d) / r.local() == original(d + 1) / r.local())
      hops += r.wiring.kind == Wiring::Kind::grid ? pipe.onwards(pipe.row->at(pipe.member(d))).hops()
                                                  : r.wiring.hops_to_peer();
    else
      across += 2;
  f.hops = std::max(f.hops, hops);
  f.nic_hops = std::max(f.nic_hops, across);
}

}  // namespace

std::string chain_obstacle(std::string_view algorithm, const Request& r) {
  const std::uint64_t block =
      scatters(r.operation) ? r.bytes.count() / static_cast<std::uint64_t>(r.row->size()) : r.bytes.count();
  const auto most = std::clamp<std::uint64_t>(block, 1, scatters(r.operation) ? 1024 : kMostChunks);
  if (static_cast<std::uint64_t>(r.chunks) > most)
    return std::to_string(r.chunks) + " chunks of " + std::to_string(block) + " B are too many for " +
           std::string(algorithm) + "; valid: 1 to " + std::to_string(most);
  return {};
}

Schedule chain_schedule(const Request& r, Chain chain) {
  const auto pipes = pipes_of(r, chain);
  if (pipes.empty()) {  // a row of one
    Schedule s;
    s.atoms = 1;
    s.parts.push_back({.first = 0, .per_member = 1, .atom = AtomSize(r.bytes)});
    return s;
  }
  return turned(r.operation, scatters(r.operation) ? scatter(r, pipes) : broadcast(r, pipes));
}

// The root's port sends each share once, and the last piece then goes on hop by hop; the blocks of a scatter follow
// one another, the farthest first.
ClosedForm chain_form(const Request& r, Chain chain) {
  const auto pipes = pipes_of(r, chain);
  const double v = static_cast<double>(r.bytes.count()) / shares_of(pipes), n = r.row->size();
  ClosedForm f;
  for (const Pipe& p : pipes) {
    const double halved = p.last == Pipe::Last::whole ? 0 : 0.5;
    const double bytes = scatters(r.operation) ? v / n * (p.reach - halved) : v * (1 + (p.reach - 1.0) / r.chunks);
    f.link_bytes = std::max(f.link_bytes, bytes);
    count_hops(f, p, r);
  }
  if (f.nic_hops > 0) f.nic_bytes = f.link_bytes;
  // Over a switch all rings of a chip share its one link.
  if (r.wiring.kind == Wiring::Kind::switched) f.link_bytes *= shares_of(pipes);
  f.formula = scatters(r.operation) ? "V(N-1)/N over the root's links" : "V over the root's links, filling the chain";
  return f;
}

int chain_chunks(const Request& r, Chain chain) {
  if (r.operation != Operation::broadcast && r.operation != Operation::reduce) return 1;
  const auto pipes = pipes_of(r, chain);
  int stages = 1;
  for (const Pipe& p : pipes) stages = std::max(stages, p.reach);
  return pipeline_chunks(r.wiring, Bytes(r.bytes.count() / shares_of(pipes)), stages, kMostChunks);
}

}  // namespace hopsim

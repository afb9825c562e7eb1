// NVLS-tree: the switch of every domain reduces, two trees over the domains do the rest, rail by rail.
//
// The sum of a domain comes to the owner of a piece (nvls_phases.hpp); owners of one rank in all domains form a tree,
// up which sums are added and down which the result comes, and every domain's switch multicasts it. Two trees share
// the pieces, each domain being a leaf of one of them (Sanders, Speck, Traff 2009), so of L chips a domain each NIC
// carries at most 2S/L; and S/L where there are but two domains, which exchange halves. Measured over that at 1 GiB,
// 8 GPUs a node: 1.00 on 4 nodes, 1.03 on 8, 1.12 on 32: ups and downs queue at the same NICs.
#include <algorithm>

#include "collectives/nvls_phases.hpp"
#include "collectives/tree.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kSmallestPiece = 16 << 10;  // bytes; below it latency outweighs what more pieces could hide
constexpr std::uint64_t kMostChunks = 256;
constexpr std::uint64_t kMostMessages = 1 << 21;  // of a run, beyond which more pieces cost more than they show

int number_among_children(const Tree& tree, int below) {
  const auto& siblings = tree.children[static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(below)])];
  return static_cast<int>(std::find(siblings.begin(), siblings.end(), below) - siblings.begin());
}

// What an owner does with its pieces, which go by the two trees in turn: piece k by tree k % 2. Every part has a lane
// of its own, or a piece that waits for one tree's children would keep back another of the other tree. Their channels
// follow one another: SumUp, Sums, TreeUp of either tree, TreeDown of either, Multicast of
// either.
class Owner : public Phase {
 public:
  Owner(const Request& r, SwitchGroupsPtr groups, int slot, Pieces pieces)
      : pieces_(pieces), groups_(std::move(groups)), row_(r.row), slot_(slot) {}

  static constexpr int kSumsChannels = 1, kUpChannels = 3, kDownChannels = 1;

 protected:
  bool takes_part(const Coordinates& at) const { return !Shape::is_switch(at) && seat(at).slot == slot_; }
  const SwitchGroups::Seat& seat(const Coordinates& at) const { return groups_->seat(at); }
  Chunk chunk(const Coordinates& at, int k) const { return pieces_.chunk(seat(at).member, k); }
  int domain(const Coordinates& at) const { return row_->position(at) / pieces_.members; }
  Offset to_domain(const Coordinates& at, int d) const { return row_->way(at, (d - domain(at)) * pieces_.members); }
  static End token(int channel) { return {.peer = {}, .chunk = {}, .channel = channel, .times = 1}; }

  Pieces pieces_;

 private:
  SwitchGroupsPtr groups_;
  RowPtr row_;
  int slot_;
};

// Takes the domain's sums; for each a token goes back to SumUp, and another to the piece's tree.
class Sums final : public Owner {
 public:
  using Owner::Owner;
  int channels() const override { return kSumsChannels; }
  int length(const Coordinates& at) const override { return takes_part(at) ? 2 * pieces_.chunks : 0; }
  Passage passage(const Coordinates& at, int i) const override {
    const int k = i / 2;
    Passage p;
    if (i % 2 == 0) p.in = {.peer = seat(at).to_switch, .chunk = chunk(at, k), .channel = 0, .times = 1};
    p.out = token(i % 2 == 0 ? SumUp::kToken : kSumsChannels + k % 2 * kUpChannels);
    return p;
  }
};

class OnTree : public Owner {
 public:
  OnTree(const Request& r, SwitchGroupsPtr groups, int slot, Pieces pieces, int tree)
      : Owner(r, std::move(groups), slot, pieces),
        number_(tree),
        tree_(double_binary(r.domains())[static_cast<std::size_t>(tree)]) {}
  int length(const Coordinates& at) const override {
    return takes_part(at) ? (pieces_.chunks + 1 - number_) / 2 * passages(children(at)) : 0;
  }
  Passage passage(const Coordinates& at, int i) const override {
    const int each = passages(children(at));
    return of_piece(at, 2 * (i / each) + number_, i % each);
  }

 protected:
  virtual int passages(int children) const = 0;
  virtual Passage of_piece(const Coordinates& at, int k, int step) const = 0;
  int children(const Coordinates& at) const { return static_cast<int>(children_of(at).size()); }
  bool root(const Coordinates& at) const { return parent(at) < 0; }
  int number_as_child(const Coordinates& at) const { return number_among_children(tree_, domain(at)); }
  Offset to_parent(const Coordinates& at) const { return to_domain(at, parent(at)); }
  Offset to_child(const Coordinates& at, int child) const {
    return to_domain(at, children_of(at)[static_cast<std::size_t>(child)]);
  }

  int number_;  // of the tree

 private:
  int parent(const Coordinates& at) const { return tree_.parent[static_cast<std::size_t>(domain(at))]; }
  const std::vector<int>& children_of(const Coordinates& at) const {
    return tree_.children[static_cast<std::size_t>(domain(at))];
  }

  Tree tree_;  // over the domains
};

// Once the sum is there (a token), adds the children's (a channel for each), and sends it on to the parent. The root
// tells its TreeDown.
class TreeUp final : public OnTree {
 public:
  using OnTree::OnTree;
  int channels() const override { return kUpChannels; }

 private:
  int passages(int children) const override { return 2 + children; }
  Passage of_piece(const Coordinates& at, int k, int step) const override {
    Passage p;
    p.op = Op::reduce;
    if (step == 0) {
      p.in = token(0);
    } else if (step <= children(at)) {
      p.in = {.peer = to_child(at, step - 1), .chunk = chunk(at, k), .channel = step, .times = 1};
    } else if (root(at)) {
      p.out = token((2 - number_) * kUpChannels + number_ * kDownChannels);
    } else {
      p.out = {.peer = to_parent(at), .chunk = chunk(at, k), .channel = number_as_child(at) + 1, .times = 1};
    }
    return p;
  }
};

// Takes the result from the parent (the root has it, by a token), hands it up to the switch and to the children.
class TreeDown final : public OnTree {
 public:
  using OnTree::OnTree;
  int channels() const override { return kDownChannels; }

 private:
  int passages(int children) const override { return 1 + children; }
  Passage of_piece(const Coordinates& at, int k, int step) const override {
    Passage p;
    if (step > 0) {
      p.out = {.peer = to_child(at, step - 1), .chunk = chunk(at, k), .channel = 0, .times = 1};
      return p;
    }
    p.in = token(0);
    if (!root(at)) p.in = {.peer = to_parent(at), .chunk = chunk(at, k), .channel = 0, .times = 1};
    p.out = {.peer = seat(at).to_switch,
             .chunk = chunk(at, k),
             .channel = (2 - number_) * kDownChannels + number_ * (pieces_.members + 1) + seat(at).member,
             .times = 1};
    return p;
  }
};

std::string obstacle(const Request& r) {
  if (r.operation != Operation::all_reduce) return "nvls_tree does all_reduce, not " + std::string(name(r.operation));
  if (std::string why = nvls_obstacle("nvls_tree", r); !why.empty()) return why;
  if (r.domains() < 2)
    return "nvls_tree works over several domains; these " + std::to_string(r.size()) +
           " chips are in one; valid: nvls";
  if (r.local() < 2)
    return "nvls_tree needs two members or more in each domain; here it has one; valid: ring, hierarchical";
  return {};
}

int own_chunks(const Request& r) {
  const auto n = static_cast<std::uint64_t>(r.size()), local = static_cast<std::uint64_t>(r.local());
  const std::uint64_t most = std::clamp<std::uint64_t>(kMostMessages / (2 * n * local), 2, kMostChunks);
  return static_cast<int>(std::clamp<std::uint64_t>(r.bytes.count() / local / kSmallestPiece, 1, most));
}

Schedule schedule(const Request& r) {
  const auto groups = std::make_shared<const SwitchGroups>(r);
  const Pieces pieces{.members = r.local(), .chunks = r.chunks, .per_piece = static_cast<std::uint32_t>(r.domains())};
  const int ahead = SumUp::ahead_of_sums(r, pieces);
  Schedule s;
  s.atoms = static_cast<std::uint32_t>(pieces.count()) * pieces.per_piece;
  const AtomSize atom(r.bytes, s.atoms);
  s.parts.push_back({.first = 0, .per_member = static_cast<std::uint32_t>(r.chunks), .atom = atom});
  for (int slot = 0; slot < groups->slots(); ++slot) {
    const std::size_t lane = add_lanes(s, 8, atom);
    s.add(lane, std::make_shared<SumUp>(groups, slot, pieces, ahead));  // each addresses channels of those after it
    s.add(lane + 1, std::make_shared<Sums>(r, groups, slot, pieces));
    for (int t = 0; t < 2; ++t)
      s.add(lane + 2 + static_cast<std::size_t>(t), std::make_shared<TreeUp>(r, groups, slot, pieces, t));
    for (int t = 0; t < 2; ++t)
      s.add(lane + 4 + static_cast<std::size_t>(t), std::make_shared<TreeDown>(r, groups, slot, pieces, t));
    for (int t = 0; t < 2; ++t)
      s.add(lane + 6 + static_cast<std::size_t>(t), std::make_shared<Multicast>(groups, slot, pieces, t, 2));
  }
  return s;
}

ClosedForm closed_form(const Request& r) {
  const double v = static_cast<double>(r.bytes.count()), local = r.local();
  const std::vector<Tree> trees = double_binary(r.domains());
  int most = 0, depth = 0;  // messages of a NIC for a piece of either tree
  for (const Tree& tree : trees) depth = std::max(depth, tree.depth());
  for (std::size_t d = 0; d < static_cast<std::size_t>(r.domains()); ++d) {
    int messages = 0;
    for (const Tree& tree : trees) messages += static_cast<int>(tree.children[d].size()) + (tree.parent[d] >= 0);
    most = std::max(most, messages);
  }
  ClosedForm form{v * (1 + 1 / local), 4, "V max((1+1/L)/(W/2), 2/(L NIC)) over domains of L; of two, 1/(L NIC)"};
  form.nic_bytes = v / local * most / 2;
  form.nic_hops = 2 * 2 * depth;  // up and down again, each to a switch of the network and back
  form.steps = 4 + 2 * depth;
  return form;
}

}  // namespace

Algorithm algorithm_nvls_tree() {
  return {"nvls_tree",
          "switches reduce and multicast, two trees join the domains",
          "NVIDIA NCCL 2.18 release notes (NVLSTree); Sanders, Speck, Traff, Parallel Computing 35 (2009)",
          obstacle,
          schedule,
          closed_form,
          own_chunks};
}

}  // namespace hopsim

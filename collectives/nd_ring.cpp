// Over several axes of a torus or mesh: one part of the array per rotation of the axes (xyz, yzx, zxy), sized so that
// all links are loaded alike, each part in two directions and k chunks; a lane goes round one axis after another. An
// AllGather goes through a part's axes from last to first, so that what it holds stays one range of atoms.
//
// Of the messages ready for a link the one of the least advanced phase goes first: first in, first out loses 7 to 46
// %. Over 2V/3W (AllReduce, three axes), measured at 8 chunks: 1.005 on 16x20x28, 1.002 on 4x8x16.
#include "collectives/nd_ring.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

constexpr int kMostChunks = 8;
constexpr std::uint64_t kSmallestAtom = 2048;  // bytes; below it latency outweighs what more chunks could hide

// Along an axis without wraparound: what comes from either side goes on, in turn.
class LineGather final : public Phase {
 public:
  LineGather(RowPtr row, RingGather::Atoms atoms)
      : row_(std::move(row)),
        forwards_(row_, 1, row_->size() - 1, atoms),
        backwards_(row_, -1, row_->size() - 1, atoms) {}
  int channels() const override { return 2; }
  int length(const Coordinates& at) const override { return row_->position(at) < 0 ? 0 : row_->size() + 1; }
  Passage passage(const Coordinates& at, int i) const override {
    const int from_left = row_->position(at), from_right = row_->size() - 1 - from_left;
    const int both = std::min(from_left, from_right) + 1;  // stops that have a passage either way
    const bool backwards = i < 2 * both ? i % 2 == 1 : from_right > from_left;
    Passage p = (backwards ? backwards_ : forwards_).passage(at, i < 2 * both ? i / 2 : i - both);
    p.in.channel = p.out.channel = backwards;
    return p;
  }

 private:
  RowPtr row_;
  RingGather forwards_, backwards_;
};

// All slices, at the same place in each: a ring over the data-centre network.
class AcrossSlices final : public Row {
 public:
  explicit AcrossSlices(const Shape& shape) : Row(shape, {0}) {}
  int size() const override { return shape().size[0]; }
  bool wraps() const override { return true; }
  bool straight() const override { return false; }
  Coordinates at(int position) const override { return {static_cast<std::int16_t>(position)}; }
  Offset way(const Coordinates& at, int distance) const override {
    const int n = size();
    return along(0, ((at[0] + distance) % n + n) % n - at[0]);
  }
  ChipId first(const Coordinates& at) const override {
    Coordinates x = at;
    x[0] = 0;
    return shape().chip(x);
  }

 private:
  int place(const Coordinates& at) const override { return at[0]; }
};

// The dimensions within a slice.
std::vector<int> axes_of(const Request& r) {
  std::vector<int> axes = r.row->dimensions();
  if (spans_slices(r)) axes.erase(axes.begin());
  return axes;
}

std::vector<int> sizes_of(const Request& r) {
  std::vector<int> sizes;
  for (const int d : axes_of(r)) sizes.push_back(r.row->shape().size[static_cast<std::size_t>(d)]);
  return sizes;
}

// Time an axis takes for the bytes it carries, in units of a wrapped one.
double slowness(const Request& r, std::size_t axis) {
  return r.row->shape().wrap[static_cast<std::size_t>(axes_of(r)[axis])] ? 1 : 2;
}

// Shares of the parts, part p beginning at axis p, such that all axes take the same time; and that time, in units of
// V/W. An axis of a chips moves (1 - 1/a) of what it gathers, and of that there is less the later it comes in its
// part.
struct Balance {
  std::vector<double> share;
  double time = 0;
};
Balance balance(const Request& request) {
  const auto sizes = sizes_of(request);
  const std::size_t n = sizes.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 1));  // load[axis][part], then the right side
  for (std::size_t p = 0; p < n; ++p) {
    double left = 1;
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t a = (p + j) % n;
      m[a][p] = left * (1 - 1.0 / sizes[a]) * slowness(request, a);
      left /= sizes[a];
    }
  }
  for (std::size_t i = 0; i < n; ++i)  // Gauss-Jordan; the diagonal dominates
    for (std::size_t r = 0; r < n; ++r)
      if (r != i) {
        const double f = m[r][i] / m[i][i];
        for (std::size_t c = i; c <= n; ++c) m[r][c] -= f * m[i][c];
      }
  Balance b;
  double sum = 0;
  for (std::size_t p = 0; p < n; ++p) sum += b.share.emplace_back(std::max(0.0, m[p][n] / m[p][p]));
  for (double& s : b.share) s /= sum;
  b.time = 1 / sum;
  return b;
}

std::string obstacle(const Request& r) {
  if (r.row->dimensions().size() < 2) return "nd_ring needs an axis over two dimensions or more";
  if (r.wiring.kind != Wiring::Kind::grid) return "nd_ring goes round the dimensions of a torus or mesh";
  if (r.domains() > 1) return "nd_ring stays within a slice; valid: hierarchical";
  if (r.book) return "schedule: book is for one axis; valid: schedule: optimal";
  if (r.operation == Operation::all_to_all)
    return "nd_ring does all_gather, reduce_scatter and all_reduce, not all_to_all; valid: nd_all_to_all";
  return row_obstacle("nd_ring", r);
}

}  // namespace

int nd_ring_chunks(const Request& r) {
  const auto pieces = 2 * r.row->dimensions().size() * static_cast<std::size_t>(r.row->size());
  return static_cast<int>(std::clamp<std::uint64_t>(r.bytes.count() / pieces / kSmallestAtom, 1, kMostChunks));
}

namespace {

class Builder {
 public:
  explicit Builder(const Request& r) : request_(r), axes_(axes_of(r)), sizes_(sizes_of(r)) {}

  Schedule gather() {
    schedule_.least_advanced_first = true;
    const Balance parts = balance(request_);
    for (std::size_t p = 0; p < sizes_.size(); ++p)
      for (int chunk = 0; chunk < request_.chunks; ++chunk)
        for (const int sign : {1, -1}) add_lane(p, sign, parts.share[p]);
    return std::move(schedule_);
  }

 private:
  void add_lane(std::size_t part, int sign, double share) {
    const auto members = static_cast<std::uint32_t>(request_.row->size());
    const AtomSize atom(
        Bytes(static_cast<std::uint64_t>(std::ceil(static_cast<double>(request_.bytes.count()) * share))),
        2u * static_cast<std::uint64_t>(request_.chunks) * members);
    const std::size_t lane = schedule_.lanes.size();
    const std::size_t n = sizes_.size();
    schedule_.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(lane)});

    Part owned{.first = schedule_.atoms, .per_member = 1, .atom = atom};
    std::uint32_t stride = 1;
    if (spans_slices(request_)) {
      owned.stride[0] = stride;
      stride *= static_cast<std::uint32_t>(request_.domains());
    }
    for (std::size_t j = n; j-- > 0;) {
      const std::size_t a = (part + j) % n;
      owned.stride[dimension(a)] = stride;
      stride *= static_cast<std::uint32_t>(sizes_[a]);
    }
    RingGather::Atoms atoms{.per_shard = 0, .first = schedule_.atoms, .count = 1, .outer = owned.stride};
    if (spans_slices(request_)) {
      atoms.per_shard = std::exchange(atoms.outer[0], 0);
      const RowPtr slices = std::make_shared<AcrossSlices>(request_.row->shape());
      schedule_.add(lane, std::make_shared<RingGather>(slices, sign, slices->size() - 1, atoms));
    }
    for (std::size_t j = n; j-- > 0;) {  // what is gathered becomes part of the block
      const std::size_t a = (part + j) % n;
      atoms.per_shard = std::exchange(atoms.outer[dimension(a)], 0);
      atoms.count = atoms.per_shard;
      schedule_.add(lane, phase(a, sign, atoms));
    }
    schedule_.parts.push_back(owned);
    schedule_.atoms += members;
  }

  std::size_t dimension(std::size_t axis) const { return static_cast<std::size_t>(axes_[axis]); }

  PhasePtr phase(std::size_t axis, int sign, const RingGather::Atoms& atoms) const {
    RowPtr row = row_along(request_.row->shape(), axes_[axis]);
    if (row->wraps()) return std::make_shared<RingGather>(row, sign, row->size() - 1, atoms);
    return std::make_shared<LineGather>(row, atoms);
  }

  const Request& request_;
  std::vector<int> axes_, sizes_;
  Schedule schedule_;
};

}  // namespace

bool spans_slices(const Request& r) {
  return r.domains() > 1 && r.row->dimensions().size() > 1 && r.row->dimensions().front() == 0;
}

Schedule nd_ring_gather(const Request& r) { return Builder(r).gather(); }

ClosedForm nd_ring_gather_form(const Request& r) {
  int hops = 0;
  for (const int n : sizes_of(r)) hops += n - 1;
  return {static_cast<double>(r.bytes.count()) * balance(r).time / 2, hops, "V(1-1/N)/(k W)"};
}

namespace {

// Every lane ends where its AllGather begins, so nothing has to wait for other lanes in between.
Schedule schedule(const Request& r) { return gather_based(r.operation, nd_ring_gather(r), 1); }

// Scaling Book ch. 3: V(1 - 1/N) over the links of all k axes, V(1-1/N)/(kW) where all wrap; d - 1 hops along an
// axis.
ClosedForm closed_form(const Request& r) {
  ClosedForm form = nd_ring_gather_form(r);
  if (r.operation != Operation::all_reduce) return form;
  form.link_bytes *= 2;
  form.hops *= 2;
  form.formula = "2" + form.formula;
  return form;
}

}  // namespace

Algorithm algorithm_nd_ring() {
  return {"nd_ring",
          "parts of the array round all axes at once",
          "Scaling Book ch. 3; Google's TPU v4 paper (Jouppi et al., ISCA 2023)",
          obstacle,
          schedule,
          closed_form,
          nd_ring_chunks,
          [](const Request&) { return true; }};
}

}  // namespace hopsim

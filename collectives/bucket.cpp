// Bucket: 2D parts of the array, each round all D axes one after another, one way round a ring. The parts begin with
// different axes and change axis together, so that no two ever share a link: 2D(d_max - 1) steps of an AllReduce,
// however unequal the axes.
//
// Unlike nd_ring its parts are of one size and wait for one another: the algorithm Swing is measured against.
#include <algorithm>

#include "collectives/ring_gather.hpp"

namespace hopsim {
namespace {

constexpr int kMostChunks = 8;  // all lanes of a chip wait for one another

// Two chips side by side as a ring: their one link is the way on and the way round.
class Pair final : public Row {
 public:
  explicit Pair(RowPtr of) : Row(of->shape(), of->dimensions()), of_(std::move(of)) {}
  int size() const override { return 2; }
  bool wraps() const override { return true; }
  bool straight() const override { return true; }
  Coordinates at(int position) const override { return of_->at(position); }
  Offset way(const Coordinates& at, int distance) const override {
    return distance % 2 ? of_->way(at, place(at) ? -1 : 1) : Offset{};
  }
  ChipId first(const Coordinates& at) const override { return of_->first(at); }

 private:
  int place(const Coordinates& at) const override { return of_->position(at); }
  RowPtr of_;
};

std::vector<std::size_t> axes_of(const Row& row) {
  std::vector<std::size_t> axes;
  for (const int d : row.dimensions())
    if (row.shape().size[static_cast<std::size_t>(d)] > 1) axes.push_back(static_cast<std::size_t>(d));
  return axes;
}

std::string obstacle(const Request& r) {
  const Shape& shape = r.row->shape();
  if (r.operation == Operation::all_to_all)
    return "bucket does all_gather, reduce_scatter and all_reduce, not all_to_all";
  if (r.wiring.kind != Wiring::Kind::grid || r.row->dimensions().empty())
    return "bucket needs an axis over dimensions of a torus";
  for (const std::size_t d : axes_of(*r.row))
    if (!shape.wrap[d] && shape.size[d] > 2)
      return "bucket needs dimensions that wrap around; one of " + std::to_string(shape.size[d]) +
             " does not; valid: tori of any size, or dimensions of 2";
  if (r.chunks > kMostChunks) return "bucket takes 1 to " + std::to_string(kMostChunks) + " chunks; valid: nd_ring";
  return row_obstacle("bucket", r);
}

RowPtr ring_along(const Shape& shape, std::size_t dimension) {
  RowPtr row = row_along(shape, static_cast<int>(dimension));
  return row->wraps() ? row : std::make_shared<Pair>(row);
}

// What a part's lane gathers along each of its axes, from the last to the first, so that it stays one range of atoms.
std::vector<RingGather::Atoms> atoms_of(const Shape& shape, const std::vector<std::size_t>& axes, std::size_t part,
                                        Part& owned) {
  std::uint32_t stride = 1;
  for (std::size_t j = axes.size(); j-- > 0;) {
    const std::size_t d = axes[(part + j) % axes.size()];
    owned.stride[d] = stride;
    stride *= static_cast<std::uint32_t>(shape.size[d]);
  }
  RingGather::Atoms atoms{.per_shard = 0, .first = owned.first, .count = 1, .outer = owned.stride};
  std::vector<RingGather::Atoms> stages;
  for (std::size_t j = axes.size(); j-- > 0;) {
    atoms.per_shard = std::exchange(atoms.outer[axes[(part + j) % axes.size()]], 0);
    atoms.count = atoms.per_shard;
    stages.push_back(atoms);
  }
  return stages;
}

Schedule gather(const Request& r) {
  const Shape& shape = r.row->shape();
  const auto axes = axes_of(*r.row);
  const auto members = static_cast<std::uint32_t>(r.row->size());
  const auto lanes = axes.size() * 2 * static_cast<std::size_t>(r.chunks);
  const AtomSize atom(r.bytes, lanes * members);
  Schedule s;
  std::vector<std::vector<RingGather::Atoms>> stages;
  for (std::size_t l = 0; l < lanes; ++l) {
    Part owned{.first = s.atoms, .per_member = 1, .atom = atom};
    stages.push_back(atoms_of(shape, axes, l / 2 % axes.size(), owned));
    s.parts.push_back(owned);
    s.lanes.push_back({.phases = {}, .atom = atom, .sender_channel = static_cast<std::uint32_t>(l)});
    s.atoms += members;
  }
  for (std::size_t stage = 0; stage < axes.size(); ++stage) {
    for (std::size_t l = 0; stage > 0 && l < lanes; ++l)
      s.add(l, join_phase(static_cast<int>(l), static_cast<int>(lanes)));
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t d = axes[(l / 2 % axes.size() + axes.size() - 1 - stage) % axes.size()];
      s.add(l,
            std::make_shared<RingGather>(ring_along(shape, d), l % 2 ? -1 : 1, shape.size[d] - 1, stages[l][stage]));
    }
  }
  return s;
}

Schedule schedule(const Request& r) {
  Schedule s = gather(r);
  const int lanes = static_cast<int>(s.lanes.size());
  return gather_based(r.operation, std::move(s), lanes);
}

// De Sensi et al., section 2: a stage takes as long as the axis that has most to do: of what a part of V/(2D) gathers
// in all, all later stages hold the d-th part at most. 2D(d_max - 1) steps of an AllReduce.
ClosedForm closed_form(const Request& r) {
  const auto axes = axes_of(*r.row);
  const double v = static_cast<double>(r.bytes.count());
  const std::size_t n = axes.size();
  const int times = r.operation == Operation::all_reduce ? 2 : 1;
  ClosedForm f{.formula = times == 2 ? "2V(1-1/N)/(D W), unequal axes waiting for the longest"
                                     : "V(1-1/N)/(D W), unequal axes waiting for the longest"};
  int longest = 1;
  std::vector<double> left(n, 1);  // of each part, before its stage
  for (std::size_t stage = 0; stage < n; ++stage) {
    double busiest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const int a = r.row->shape().size[axes[(p + stage) % n]];
      const double shared = a == 2 ? 2 : 1;  // both directions over one link
      busiest = std::max(busiest, shared * left[p] * (1 - 1.0 / a));
      left[p] /= a;
      longest = std::max(longest, a);
    }
    f.link_bytes += times * busiest * v / (2.0 * static_cast<double>(n));
  }
  f.hops = times * static_cast<int>(n) * (longest - 1);
  f.steps = f.hops;
  return f;
}

}  // namespace

Algorithm algorithm_bucket() {
  return {"bucket",
          "parts of the array round all axes, changing axis together",
          "De Sensi et al., Swing, NSDI 2024, section 2; Jain and Sabharwal, Optimal bucket algorithms, ICS 2010",
          obstacle,
          schedule,
          closed_form};
}

}  // namespace hopsim

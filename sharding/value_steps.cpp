#include "sharding/value_steps.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace hopsim {
namespace {

using Axes = std::vector<std::string>;

bool contains(const Axes& axes, const std::string& axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::set<std::string> set_of(const Axes& axes) { return {axes.begin(), axes.end()}; }

// `axes` in the order in which `order` names them.
Axes ordered(const Axes& axes, const Axes& order) {
  Axes result;
  std::copy_if(order.begin(), order.end(), std::back_inserter(result), [&](auto& a) { return contains(axes, a); });
  return result;
}

std::optional<std::vector<Blocks::Change>> changes_of(const ResolvedCollective& c, const BlockShape& from,
                                                      const BlockShape& to) {
  using enum CollectiveKind;
  std::vector<Blocks::Change> changes;
  Axes off, on, reduced;
  for (std::size_t i = 0; i < c.input.dimensions.size(); ++i) {
    const Axes &in = c.input.dimensions[i].axes, &out = c.output.dimensions[i].axes;
    const auto [in_rest, out_rest] = std::mismatch(in.begin(), in.end(), out.begin(), out.end());
    const Axes taken(in_rest, in.end()), put(out_rest, out.end());
    off.insert(off.end(), taken.begin(), taken.end());
    on.insert(on.end(), put.begin(), put.end());
    changes.push_back(
        {c.kind == all_gather ? ordered(taken, c.axes) : taken, ordered(put, c.axes), from.local[i], to.local[i]});
  }
  for (const std::string& axis : c.input.unreduced)
    if (!contains(c.output.unreduced, axis)) reduced.push_back(axis);

  const std::set<std::string> axes = set_of(c.axes), none;
  const bool gathers = c.kind == all_gather || c.kind == all_to_all;
  const bool splits = c.kind == reduce_scatter || c.kind == all_to_all || c.kind == slice;
  const bool adds = c.kind == reduce_scatter || c.kind == all_reduce;
  const bool as_it_says = set_of(off) == (gathers ? axes : none) && set_of(on) == (splits ? axes : none) &&
                          set_of(reduced) == (adds ? axes : none) &&
                          c.input.unreduced.size() == c.output.unreduced.size() + reduced.size();
  if (!as_it_says) return std::nullopt;
  return changes;
}

}  // namespace

std::optional<std::vector<BlockId>> collected(Blocks& blocks, const std::vector<BlockId>& held,
                                              const ResolvedCollective& c, const BlockShape& from,
                                              const BlockShape& to) {
  const std::optional<std::vector<Blocks::Change>> changes = changes_of(c, from, to);
  if (!changes) return std::nullopt;
  std::vector<BlockId> now = held;
  const bool sums = c.kind == CollectiveKind::all_reduce || c.kind == CollectiveKind::reduce_scatter;
  if (sums) now = blocks.sums(now, c.axes);
  if (c.kind != CollectiveKind::all_reduce) now = blocks.moved(now, *changes);
  return now;
}

Block multiplied(const Block& lhs, const Block& rhs, const Lengths& output, const Contraction& c) {
  Block block;
  Odometer count(output);
  do {
    const std::uint64_t* a = lhs.data() + c.first_lhs(count.at());
    const std::uint64_t* b = rhs.data() + c.first_rhs(count.at());
    std::uint64_t sum = 0;
    for (const auto& [i, j] : c.sum()) sum += a[i] * b[j];
    block.push_back(sum);
  } while (count.next());
  return block;
}

}  // namespace hopsim

#include "sharding/value_blocks.hpp"

namespace hopsim {
namespace {

// splitmix64's output function.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t Blocks::random(std::uint64_t a, std::uint64_t b) const { return mixed(mixed(mixed(seed_) ^ a) + b); }

std::vector<std::uint32_t> Blocks::coordinates(std::uint64_t chip) const {
  std::vector<std::uint32_t> at(mesh_.axes().size());
  for (std::size_t i = at.size(); i-- > 0;) {
    at[i] = static_cast<std::uint32_t>(chip % mesh_.axes()[i].second);
    chip /= mesh_.axes()[i].second;
  }
  return at;
}

std::uint64_t Blocks::position(std::uint64_t chip, const std::vector<std::string>& axes) const {
  std::uint64_t number = 0;
  for (const std::string& axis : axes) {
    std::uint64_t rest = chip;
    for (std::size_t i = mesh_.axes().size() - 1; i > mesh_.position(axis); --i) rest /= mesh_.axes()[i].second;
    number = number * mesh_.size(axis) + rest % mesh_.size(axis);
  }
  return number;
}

std::vector<std::uint64_t> Blocks::group(std::uint64_t chip, const std::vector<std::string>& axes) const {
  std::vector<std::uint64_t> chips{chip};
  for (const std::string& axis : axes) {
    std::uint64_t stride = 1;
    for (std::size_t i = mesh_.position(axis) + 1; i < mesh_.axes().size(); ++i) stride *= mesh_.axes()[i].second;
    std::vector<std::uint64_t> longer;
    for (std::uint64_t c : chips)
      for (std::uint32_t k = 0; k < mesh_.size(axis); ++k) longer.push_back(c + k * stride);
    chips = std::move(longer);
  }
  return chips;
}

std::vector<std::uint32_t> Blocks::group_blocks(const std::vector<BlockId>& held,
                                                const std::vector<std::string>& axes,
                                                std::vector<std::vector<BlockId>>& lists) const {
  std::map<std::vector<BlockId>, std::uint32_t> known;
  std::vector<std::uint32_t> of(held.size());
  for (std::uint64_t chip = 0; chip < held.size(); ++chip) {
    if (position(chip, axes) != 0) continue;  // the first of a group does it for all
    const std::vector<std::uint64_t> members = group(chip, axes);
    std::vector<BlockId> blocks;
    for (std::uint64_t c : members) blocks.push_back(held[c]);
    const auto [list, added] = known.emplace(std::move(blocks), static_cast<std::uint32_t>(lists.size()));
    if (added) lists.push_back(list->first);
    for (std::uint64_t c : members) of[c] = list->second;
  }
  return of;
}

std::vector<BlockId> Blocks::sums(const std::vector<BlockId>& held, const std::vector<std::string>& axes) {
  std::vector<std::vector<BlockId>> lists;
  const std::vector<std::uint32_t> of = group_blocks(held, axes, lists);
  std::vector<BlockId> sum;
  for (const std::vector<BlockId>& list : lists) {
    Block total(pool_[list.front()].size(), 0);
    for (BlockId id : list)
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += pool_[id][i];
    sum.push_back(add(std::move(total)));
  }
  std::vector<BlockId> result;
  for (std::uint32_t list : of) result.push_back(sum[list]);
  return result;
}

std::vector<BlockId> Blocks::moved(const std::vector<BlockId>& held, const std::vector<Change>& changes) {
  std::vector<std::string> off;
  for (const Change& c : changes) off.insert(off.end(), c.off.begin(), c.off.end());
  std::vector<std::vector<BlockId>> lists;
  const std::vector<std::uint32_t> of = group_blocks(held, off, lists);
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, BlockId> made;
  std::vector<BlockId> result;
  for (std::uint64_t chip = 0; chip < held.size(); ++chip) {
    std::vector<std::uint64_t> parts;  // which one of each dimension is the chip's
    for (const Change& c : changes) parts.push_back(position(chip, c.on));
    const auto [known, added] = made.try_emplace({of[chip], parts}, BlockId{});
    if (added) known->second = add(picked(lists[of[chip]], parts, changes));
    result.push_back(known->second);
  }
  return result;
}

Block Blocks::picked(const std::vector<BlockId>& group, const std::vector<std::uint64_t>& parts,
                     const std::vector<Change>& changes) {
  std::vector<std::uint64_t> shape, ways;
  for (const Change& c : changes) {
    shape.push_back(c.to);
    ways.push_back(mesh_.ways(c.off));
  }
  Block block;
  Odometer count(shape);
  do {
    std::uint64_t holder = 0, index = 0;
    bool held = true;
    for (std::size_t d = 0; d < changes.size(); ++d) {
      const std::uint64_t at = parts[d] * changes[d].to + count.at()[d];
      held = held && at / changes[d].from < ways[d];
      holder = holder * ways[d] + at / changes[d].from;
      index = index * changes[d].from + at % changes[d].from;
    }
    block.push_back(held ? pool_[group[holder]][index] : garbage());
  } while (count.next());
  return block;
}

}  // namespace hopsim

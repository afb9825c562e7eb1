#include "collectives/demand.hpp"

namespace hopsim {

Groups groups_of(const Fabric& f, const Row& row) {
  Groups by_first(f.chips());
  for (std::uint32_t c = 0; c < f.chips(); ++c) {
    const Coordinates at = f.shape.at(ChipId{c});
    const int p = row.position(at);
    if (p < 0) continue;
    auto& group = by_first[index(row.first(at))];
    group.resize(static_cast<std::size_t>(row.size()));
    group[static_cast<std::size_t>(p)] = ChipId{c};
  }
  std::erase_if(by_first, [](const auto& g) { return g.empty(); });
  return by_first;
}

double Need::into(int k, bool root) const {
  if (k == 0 || k == static_cast<int>(n)) return 0;
  switch (operation) {
    case Operation::all_gather:
      return bytes * (n - k) / n;  // the shards of the others
    case Operation::reduce_scatter:
      return bytes * k / n;  // their part of the sums of mine
    case Operation::all_reduce:
      return bytes;
    case Operation::all_to_all:
      return bytes * k * (n - k) / (n * n);
    case Operation::broadcast:
      return root ? 0 : bytes;
    case Operation::reduce:
      return root ? bytes : 0;
    case Operation::gather:
      return root ? bytes * (n - k) / n : 0;
    case Operation::scatter:
      return root ? 0 : bytes * k / n;
    case Operation::collective_permute:
    case Operation::send_recv:
      break;
  }
  return 0;
}

void Tally::add(Member m) {
  int& k = members_[m.group];
  const bool before = root_[m.group], after = before || m.root;
  into_ += need_.into(k + 1, after) - need_.into(k, before);
  out_ += need_.out_of(k + 1, after) - need_.out_of(k, before);
  root_[m.group] = after;
  ++k;
}

void Tally::forget(const std::vector<Member>& members) {
  for (const Member& m : members) {
    members_[m.group] = 0;
    root_[m.group] = false;
  }
  into_ = out_ = 0;
}

}  // namespace hopsim

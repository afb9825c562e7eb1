#include "collectives/contents.hpp"

#include <algorithm>

namespace hopsim {
namespace {

std::vector<Holder> members_of(const Shape& shape, const Row& row) {
  std::vector<Holder> members;
  for (std::uint32_t c = 0; c < shape.chips(); ++c) {
    const Coordinates at = shape.at(ChipId{c});
    if (const int p = row.position(at); p >= 0) members.push_back({c, index(row.first(at)), p});
  }
  return members;
}

}  // namespace

int owners(const Request& r) {
  return r.operation == Operation::broadcast || r.operation == Operation::reduce ? 1 : r.row->size();
}

Contents::Contents(const Shape& shape, const Request& request, const Schedule& s)
    : request_(request), parts_(s.parts), members_(members_of(shape, *request.row)), part_of_(s.atoms) {
  const auto n = static_cast<std::uint32_t>(request.row->size());
  for (std::uint32_t p = 0; p < s.parts.size(); ++p)
    std::fill_n(part_of_.begin() + s.parts[p].first,
                s.parts[p].per_member * static_cast<std::uint32_t>(owners(request)), p);
  for (const Holder& m : members_)
    for (const Part& p : s.parts) numbers_[m.chip].push_back(p.member(shape.at(ChipId{m.chip}), m.position));
  if (request.operation == Operation::all_to_all) per_block_ = s.atoms / n / n;
  source_.assign(n, -1);
  for (const auto& [from, to] : request.pairs) source_[static_cast<std::size_t>(to)] = from;
}

int Contents::target(std::uint32_t atom) const {
  return static_cast<int>(atom / per_block_ % static_cast<std::uint32_t>(request_.row->size()));
}

bool Contents::starts(const Holder& m, std::uint32_t atom) const {
  if (is_sum(request_.operation)) return true;
  if (request_.operation == Operation::broadcast || request_.operation == Operation::scatter)
    return m.position == request_.root;
  return owns(m, atom);
}

bool Contents::ends(const Holder& m, std::uint32_t atom) const {
  switch (request_.operation) {
    case Operation::all_gather:
    case Operation::all_reduce:
    case Operation::broadcast:
      return true;
    case Operation::reduce_scatter:
    case Operation::scatter:
      return owns(m, atom);
    case Operation::reduce:
    case Operation::gather:
      return m.position == request_.root;
    case Operation::all_to_all:
      return target(atom) == m.position;
    case Operation::collective_permute:
    case Operation::send_recv:
      return static_cast<int>(atom / parts_[0].per_member) == source_[static_cast<std::size_t>(m.position)];
  }
  return false;
}

}  // namespace hopsim

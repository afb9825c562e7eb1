#include "sim/path_records.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hopsim {
PathRecords::PathRecords(const Fabric& fabric, const Program& program, Time launch, std::vector<Hop> hops,
                         std::vector<Span> computes, const std::vector<Span>& tasks)
    : fabric_(fabric), hops_(std::move(hops)), computes_(std::move(computes)) {
  put_in_order();
  fill_tasks(program, launch, tasks);
}

// Sorted within each node only, and near to order beforehand.
template <class Wanted, class Node, class When>
PathRecords::Index PathRecords::in_order(Wanted wanted, Node node, When when) const {
  Index index;
  index.first.assign(std::size_t{fabric_.nodes} + 1, 0);
  const auto count = static_cast<std::uint32_t>(hops_.size());
  for (std::uint32_t i = 0; i < count; ++i)
    if (wanted(i)) ++index.first[node(i) + 1];
  for (std::size_t n = 0; n < fabric_.nodes; ++n) index.first[n + 1] += index.first[n];
  index.places.resize(index.first.back());
  std::vector<std::uint32_t> next = index.first;
  for (std::uint32_t i = 0; i < count; ++i)
    if (wanted(i)) index.places[next[node(i)]++] = i;
  std::vector<std::pair<Time, std::uint32_t>> of_node;
  for (std::size_t n = 0; n < fabric_.nodes; ++n) {
    of_node.clear();
    for (std::uint32_t k = index.first[n]; k < index.first[n + 1]; ++k)
      of_node.emplace_back(when(index.places[k]), index.places[k]);
    std::sort(of_node.begin(), of_node.end());
    for (std::size_t k = 0; k < of_node.size(); ++k) index.places[index.first[n] + k] = of_node[k].second;
  }
  return index;
}

template <class When>
std::span<const std::uint32_t> PathRecords::found(const Index& index, std::uint32_t node, Time t, When when) {
  const std::span of_node(index.places.data() + index.first[node], index.first[node + 1] - index.first[node]);
  const auto first =
      std::partition_point(of_node.begin(), of_node.end(), [&](std::uint32_t i) { return when(i) < t; });
  const auto past = std::partition_point(first, of_node.end(), [&](std::uint32_t i) { return when(i) <= t; });
  return {first, past};
}

void PathRecords::put_in_order() {
  std::sort(computes_.begin(), computes_.end(), [](const Span& a, const Span& b) {
    return std::tie(a.chip, a.end, a.task, a.start) < std::tie(b.chip, b.end, b.task, b.start);
  });
  arrivals_ =
      in_order([this](std::uint32_t i) { return hops_[i].last; }, [this](std::uint32_t i) { return link(i).to; },
               [this](std::uint32_t i) { return delivered(i); });
  departures_ =
      in_order([this](std::uint32_t i) { return hops_[i].before == PathRecorder::kNone; },
               [this](std::uint32_t i) { return link(i).from; }, [this](std::uint32_t i) { return left(i); });
}

void PathRecords::fill_tasks(const Program& program, Time launch, const std::vector<Span>& tasks) {
  starts_.assign(program.size() * fabric_.actors(), Time::max());
  ends_.assign(starts_.size(), Time{});
  const auto event = [this](std::uint32_t task, std::uint32_t node, Time t) {
    Time& end = ends_[place(task, node)];
    end = std::max(end, t);
  };
  for (const std::uint32_t i : arrivals_.places) event(hops_[i].task, link(i).to, delivered(i));
  for (const std::uint32_t i : departures_.places) event(hops_[i].task, link(i).from, left(i));
  for (const Span& c : computes_) event(c.task, c.chip, c.end);
  for (const Span& t : tasks) {
    starts_[place(t.task, t.chip)] = t.start;
    ends_[place(t.task, t.chip)] = t.end;
  }
  for (std::uint32_t t = 0; t < program.size(); ++t)
    for (std::uint32_t node = 0; node < fabric_.actors(); ++node) {
      Time& start = starts_[place(t, node)];
      if (start != Time::max()) continue;
      start = Time{};
      for (const std::uint32_t before : program[t].after) start = std::max(start, ends_[place(before, node)]);
      event(t, node, collective_of(program[t]) != nullptr ? start + launch : start);
    }
}

std::span<const std::uint32_t> PathRecords::arrivals(std::uint32_t node, Time t) const {
  return found(arrivals_, node, t, [this](std::uint32_t i) { return delivered(i); });
}

std::span<const std::uint32_t> PathRecords::departures(std::uint32_t node, Time t) const {
  return found(departures_, node, t, [this](std::uint32_t i) { return left(i); });
}

std::span<const PathRecords::Span> PathRecords::computations(std::uint32_t chip, Time t) const {
  const auto [first, past] = std::equal_range(
      computes_.begin(), computes_.end(), Span{{}, t, chip, 0},
      [](const Span& a, const Span& b) { return std::tie(a.chip, a.end) < std::tie(b.chip, b.end); });
  return {first, past};
}

}  // namespace hopsim

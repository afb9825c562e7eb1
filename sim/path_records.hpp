// What a PathRecorder recorded, in the orders in which the critical path asks for it. Look-ups are O(log n).
#pragma once

#include <span>
#include <vector>

#include "sim/critical_path.hpp"

namespace hopsim {

class PathRecords {
 public:
  using Hop = PathRecorder::Hop;
  using Span = PathRecorder::Span;

  PathRecords(const Fabric&, const Program&, Time launch, std::vector<Hop>, std::vector<Span> computes,
              const std::vector<Span>& tasks);

  const Hop& hop(std::uint32_t i) const { return hops_[i]; }
  Time delivered(std::uint32_t i) const { return hops_[i].end + link(i).latency; }
  Time left(std::uint32_t i) const { return hops_[i].start + hops_[i].busy; }  // of a first hop: out of the chip
  const Link& link(std::uint32_t i) const { return fabric_.links[hops_[i].link]; }

  // Last hops of messages that came to a node at t, in order of recording; first hops of those that left one at t.
  std::span<const std::uint32_t> arrivals(std::uint32_t node, Time t) const;
  std::span<const std::uint32_t> departures(std::uint32_t node, Time t) const;
  // Computations of a chip that ended at t: their first, and how many.
  std::span<const Span> computations(std::uint32_t chip, Time t) const;
  std::uint32_t number(const Span& computation) const {
    return static_cast<std::uint32_t>(&computation - computes_.data());
  }
  // Of a task on a node. Where it was not recorded (of switches, and chips that take no part): reckoned from the
  // tasks before it and from its messages.
  Time start(std::uint32_t task, std::uint32_t node) const { return starts_[place(task, node)]; }
  Time end(std::uint32_t task, std::uint32_t node) const { return ends_[place(task, node)]; }

 private:
  std::size_t place(std::uint32_t task, std::uint32_t node) const {
    return std::size_t{task} * fabric_.actors() + node;
  }
  // Hops in order of nodes and times.
  struct Index {
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> first;  // of each node
  };
  template <class Wanted, class Node, class When>
  Index in_order(Wanted, Node, When) const;
  template <class When>
  static std::span<const std::uint32_t> found(const Index&, std::uint32_t node, Time, When);

  void put_in_order();
  void fill_tasks(const Program&, Time launch, const std::vector<Span>& tasks);

  const Fabric& fabric_;
  std::vector<Hop> hops_;       // by message and hop
  std::vector<Span> computes_;  // by chip and end
  Index arrivals_, departures_;
  std::vector<Time> starts_, ends_;
};

}  // namespace hopsim

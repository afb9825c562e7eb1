// What the bounds of bounds.hpp ask of a fabric. Two answer: a frozen fabric by looking at its links (bounds.cpp), a
// plain box by formula (box_bounds.cpp). The bounds made of the answers are one piece of code.
#pragma once

#include <cstddef>

#include "collectives/cuts.hpp"

namespace hopsim {

// Bytes/s, one way, over all links of some chips that lead out of them.
struct Rates {
  double into = 0, from = 0;
};
// The least of them: at the root's position of any group, and at all others.
struct Poorest {
  Rates root, others;
};
// The quickest from a chip of the first group.
struct QuickestWay {
  Time latency;
  Rates start;  // of the chip that it leaves
};

// A request on its fabric.
class BoundFacts {
 public:
  virtual ~BoundFacts() = default;
  virtual double groups() const = 0;                // that run at once
  virtual bool switches_add() const = 0;            // which spares messages
  virtual Poorest chips() const = 0;                // each by itself
  virtual Rates chip(int position) const = 0;       // the poorest of all groups
  virtual Poorest columns() const = 0;              // the chips at one position of all groups together
  virtual double cuts(const Need&) const = 0;       // seconds, of the worst
  virtual double byte_hops(const Need&) const = 0;  // seconds, of an AllToAll: of all links together
  virtual double chips_links() const = 0;           // bytes/s, of all that leave chips
  virtual Time shortest_link() const = 0;
  virtual QuickestWay way(int from, int to) const = 0;
  virtual QuickestWay farthest(int from, bool towards) const = 0;  // to (or from) the member that is farthest
  virtual std::size_t ways_tried() const = 0;                      // of pairs, where all are too much work
};

Time lower_bound(const BoundFacts&, const Request&);

// Whether every byte already is where it is wanted.
bool nothing_moves(const Request&);

}  // namespace hopsim

// An algorithm: how an operation is carried out over rows of chips, and what that should cost by the book.
//
// One file an algorithm, each defining algorithm_NAME(); the list in CMakeLists.txt makes the registry.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/operation.hpp"
#include "collectives/row.hpp"
#include "collectives/wiring.hpp"
#include "sim/schedule.hpp"

namespace hopsim {

struct Request {
  Operation operation = Operation::all_gather;
  RowPtr row;
  Bytes bytes;     // V, see operation.hpp
  int chunks = 1;  // of each shard, forwarded as they arrive; see own_chunks()
  // On an even ring both ways the book sends the antipodal shard whole, V/W in all; halving it takes V(n-1)/(nW).
  // Elsewhere the book and the optimum agree.
  bool book = false;
  std::vector<std::pair<int, int>> pairs{};  // collective_permute, send_recv: positions, from and to
  int root = 0;                              // a position; of broadcast, reduce, gather and scatter
  int paths =
      0;  // collective_permute, send_recv: over at most so many link-disjoint shortest paths; 0: all there are
  Wiring wiring{};

  int size() const { return row->size(); }
  // Members of a row that share a domain, and the domains a row touches.
  int local() const { return wiring.local > 0 ? wiring.local : size(); }
  int domains() const { return size() / local(); }
};

// What the algorithm should take by formula: bytes over the busiest link, or NIC if that takes longer (or one after
// the other), plus hops times latency.
struct ClosedForm {
  double link_bytes = 0;         // over one link, one way
  int hops = 0;                  // over links, that follow one another
  std::string formula;           // for people; W is the bandwidth of both directions together, as in the book
  double nic_bytes = 0;          // over one chip's NIC, one way
  int nic_hops = 0;              // over links between domains
  int steps = 0;                 // messages that follow one another, each after its overheads; 0: as many as hops
  bool links_then_nics = false;  // at no time are both in use

  double transfer_seconds(const Wiring&) const;
  double latency_seconds(const Wiring&) const;
  double seconds(const Wiring& w) const { return transfer_seconds(w) + latency_seconds(w); }
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // paper or chapter
  // Why it cannot do this, or empty. The first thing that stands in the way, with what would be valid.
  std::string (*obstacle)(const Request&);
  Schedule (*schedule)(const Request&);
  ClosedForm (*closed_form)(const Request&);
  int (*own_chunks)(const Request&) = nullptr;  // where the user names no number; none: 1
  // Whether every chip does the same, seen from where it is, so that a folded fabric takes the same time; none: no.
  bool (*folds)(const Request&) = nullptr;
};

std::span<const Algorithm> algorithms();  // in the order of the list
std::vector<const Algorithm*> able_algorithms(const Request&);

// The cost model of `auto`: the closed form, plus the launch, plus the step and chunk overhead of every message that
// follows another. It ranks algorithms; what they take the simulation says.
struct Cost {
  const Algorithm* algorithm = nullptr;
  Time time;
};
Time modelled_cost(const Algorithm&, const Request&);
struct Choice {
  const Algorithm* algorithm = nullptr;
  int chunks = 1;
  std::vector<Cost> costs;  // cheapest first; empty where the choice was by name or rule
};
// The algorithm of this name, able to do the request. "auto" or empty: on a torus by rule, elsewhere, and for rooted
// operations, the cheapest by the cost model. With `own_chunks` the number is the algorithm's own. Throws InputError.
Choice choose(std::string_view name, const Request&, bool own_chunks);
const Algorithm& choose_algorithm(std::string_view name, const Request&);

}  // namespace hopsim

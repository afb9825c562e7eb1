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
};

// What the algorithm should take by formula: bytes over the links a row has one way, plus hops times latency.
struct ClosedForm {
  double link_bytes = 0;  // over one link, one way
  int hops = 0;           // that follow one another
  std::string formula;    // for people; W is the bandwidth of both directions together, as in the book
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
};

std::span<const Algorithm> algorithms();  // in the order of the list
// The algorithm of this name, able to do the request; "auto" or empty picks the default. Throws InputError.
const Algorithm& choose_algorithm(std::string_view name, const Request&);

}  // namespace hopsim

// What of a run a trace shows: how finely, of which chips, of which stretch of simulated time.
//
//   steps     steps of the program, computations (those of one step that follow at once upon another, such as the
//             chunks of a collective matmul, as one), exposed communication, the critical path, the fabric's two
//             curves
//   messages  also every chunk's computation, a slice a message on the port it leaves by, from its entering the first
//   link to its delivery; its
//             receipt; the curves of every chip
//   hops      in place of that a slice on every link that a message passes
//
// Of chips that are not shown nothing is, and of a message between one that is and one that is not, the part of the
// former: slices on its links, its receipt. A link that leaves a switch is shown for messages from or to a shown
// chip. The critical path and the fabric's curves are of all chips.
//
// A window is half-open. Slices that touch it are cut at its edges; curves begin at its first instant with what they
// are there, and fall to zero at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/ids.hpp"
#include "sim/quantities.hpp"
#include "tools/perfetto/span.hpp"

namespace hopsim::perfetto {

enum class Detail : std::uint8_t { steps, messages, hops };

struct Window {
  Time begin, end = Time::max();

  bool whole() const { return begin == Time{} && end == Time::max(); }
  bool has(Time t) const { return begin <= t && t < end; }
  bool touches(Time from, Time to) const { return begin < end && from < end && (from >= begin || to > begin); }
  Time cut(Time t) const { return t < begin ? begin : t > end ? end : t; }
  // Of it what is not behind this instant; of no length where all is.
  Window up_to(Time last) const {
    return last == Time::max() ? *this : Window{begin, std::max(begin, std::min(end, last + Time::picoseconds(1)))};
  }
  Span cut(Time from, Time to) const { return span(cut(from), cut(to)); }
};

struct TraceScope {
  Detail detail = Detail::hops;
  Window window{};
  std::vector<bool> chips{};  // by number; empty: all
  // Slices and instants, from which on messages and computations are left out: an estimate was far off.
  std::uint64_t most = ~std::uint64_t{0};

  bool whole() const { return chips.empty() && window.whole(); }
  bool shows(ChipId chip) const { return chips.empty() || (index(chip) < chips.size() && chips[index(chip)]); }
};

}  // namespace hopsim::perfetto

// The tracks of a trace and their order in the Perfetto UI:
//
//     fabric 4x4
//       link utilisation   counters: the share of all links that is busy, and what all chips have in flight
//       bytes in flight
//       critical path      what each part of the makespan waited for, if it was asked for
//       chip 05 (1,1)
//         steps            the program's other steps on this chip, from start to end
//         compute          its busy compute unit
//         collectives      collectives; those that run side by side continue in "collectives (2)", ...
//         exposed communication   while the chip computes nothing
//         link utilisation counters: the share of the chip's outgoing links that is busy, and what it has in flight
//         bytes in flight
//         links out        (or "messages out", at detail `messages`: by the first link of their way)
//           x+             what each link carries
//           x-
//         received
//           from (1,0) x+  an instant per message delivered, for flow arrows to point forward in time
//       switch 2
//         link utilisation
//         links out ...
//
// Plain tracks below one root, not Perfetto processes: v55 and older sort processes by how many slices they hold, and
// the children of a process by their text, so chips and links would come in any order; below a plain parent, ranks
// hold. It also spares each chip a made-up pid. In SQL a chip is the grandparent of its links' tracks and the parent
// of the others (join on track.parent_id); zero-padded numbers keep the order under ORDER BY name, too.
//
// A track is declared when first used: a trace holds nothing of chips that did nothing. Memory: a few words a link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/fabric.hpp"
#include "tools/perfetto/encoder.hpp"
#include "tools/perfetto/span.hpp"
#include "tools/perfetto/trace_scope.hpp"

namespace hopsim::perfetto {

enum class Curve { link_utilisation, bytes_in_flight };

class TrackTree {
 public:
  // Declares tracks into `out`, ahead of the events that use them. Both outlive the tree.
  TrackTree(const Fabric&, Encoder& out, Detail);

  // The track for one more slice: slices of a Perfetto track may not overlap (their ends would be swapped silently),
  // so a slice that does gets another track beside it. Slices that abut share a track, provided they are written in
  // the order of these calls.
  std::uint64_t steps(ChipId, Span);
  std::uint64_t compute(ChipId, Span);
  std::uint64_t collectives(ChipId, Span);
  std::uint64_t exposed(ChipId, Span);
  std::uint64_t critical_path(Span);
  std::uint64_t link(LinkId, Span);

  std::uint64_t received(LinkId);  // for instants

  bool has(std::uint32_t node) const { return nodes_[node].group != 0; }

  // A new track for the samples of a node, or of the whole fabric, that are means over so many ns (1: exact).
  std::uint64_t counter(std::optional<std::uint32_t> node, Curve, std::uint64_t stretch);

 private:
  struct Slot {
    std::uint64_t track = 0, busy_until = 0;
  };
  struct Slots {  // mostly there is one at most: not one look-up further away
    Slot first;
    std::vector<Slot> others;
  };
  struct Node {
    std::uint64_t group = 0, links_out = 0, received = 0;  // 0: not declared yet
    Slots steps, compute, collectives, exposed;
  };
  struct LinkTracks {
    Slots out;
    std::uint64_t received = 0;
  };

  template <class Declare>
  std::uint64_t claim(Slots&, Span, Declare);
  std::uint64_t declare(std::uint64_t parent, std::int32_t rank, const std::string& name,
                        const std::string& description = {}, std::optional<Curve> = {});
  std::uint64_t root();
  std::uint64_t group(std::uint32_t node);
  std::uint64_t links_out(std::uint32_t node);
  std::uint64_t received_by(std::uint32_t node);
  std::string node_name(std::uint32_t node) const;
  std::string described(const Link&) const;

  const Fabric& fabric_;
  Encoder& out_;
  const Detail detail_;
  std::vector<Node> nodes_;
  std::vector<LinkTracks> links_;
  Slots critical_path_;
  std::uint64_t declared_ = 0;  // uuids count from 1: small ones are short on the wire
  std::uint64_t root_ = 0;
};

}  // namespace hopsim::perfetto

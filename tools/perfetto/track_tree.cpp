#include "tools/perfetto/track_tree.hpp"

#include <fmt/format.h>

#include "tools/perfetto/fields.hpp"

namespace hopsim::perfetto {

namespace {

// Ranks among the children of a chip; side-by-side copies of a track come right after it.
constexpr std::int32_t kBeside = 100;
constexpr std::int32_t kSteps = 0, kCompute = 100 * kBeside, kCollectives = 200 * kBeside, kExposed = 300 * kBeside,
                       kUtilisation = 400 * kBeside, kInFlight = 401 * kBeside, kLinksOut = 500 * kBeside,
                       kReceived = 501 * kBeside;
// Among the children of the root: its counters, the critical path, then the nodes.
constexpr std::int32_t kUtilisationOfAll = 0, kInFlightOfAll = 1, kCriticalPath = 2, kFirstNode = 100;

constexpr const char* kAboutTime =
    "Times are simulated. Perfetto counts nanoseconds, to which begins and ends are rounded down; the exact "
    "picoseconds are the arguments start_ps and end_ps.";

std::string fabric_name(const Fabric& fabric) {
  std::string name = "fabric ";
  for (int d = 0; d < fabric.shape.dimensions; ++d) name += fmt::format("{}{}", d ? "x" : "", fabric.shape.size[d]);
  return name;
}

std::string beside(const std::string& name, std::size_t slot) {
  return slot == 0 ? name : fmt::format("{} ({})", name, slot + 1);
}

std::int32_t rank(std::int32_t first, std::size_t slot) { return first + static_cast<std::int32_t>(slot); }

const char* title(Curve curve) { return curve == Curve::link_utilisation ? "link utilisation" : "bytes in flight"; }

void encode_unit(Encoder& out, Curve curve) {
  out.message(track::kCounter, [&] {
    if (curve == Curve::link_utilisation)
      out.string(counter::kUnitName, "%");
    else
      out.varint(counter::kUnit, counter::kBytes);
  });
}

std::string numbered(std::uint32_t number, std::uint32_t of) {
  return fmt::format("{:0{}}", number, fmt::formatted_size("{}", of - 1));
}

}  // namespace

TrackTree::TrackTree(const Fabric& fabric, Encoder& out, Detail detail)
    : fabric_(fabric), out_(out), detail_(detail), nodes_(fabric.nodes), links_(fabric.links.size()) {}

template <class Declare>
std::uint64_t TrackTree::claim(Slots& slots, Span span, Declare declare_slot) {
  if (slots.first.track == 0) slots.first.track = declare_slot(0);
  if (slots.first.busy_until <= span.begin) {
    slots.first.busy_until = span.end;
    return slots.first.track;
  }
  for (Slot& slot : slots.others) {
    if (slot.busy_until > span.begin) continue;
    slot.busy_until = span.end;
    return slot.track;
  }
  slots.others.push_back({declare_slot(slots.others.size() + 1), span.end});
  return slots.others.back().track;
}

std::uint64_t TrackTree::steps(ChipId chip, Span span) {
  return claim(nodes_[index(chip)].steps, span, [&](std::size_t slot) {
    return declare(group(index(chip)), rank(kSteps, slot), beside("steps", slot));
  });
}

std::uint64_t TrackTree::compute(ChipId chip, Span span) {
  return claim(nodes_[index(chip)].compute, span, [&](std::size_t slot) {
    return declare(group(index(chip)), rank(kCompute, slot), beside("compute", slot));
  });
}

std::uint64_t TrackTree::collectives(ChipId chip, Span span) {
  return claim(nodes_[index(chip)].collectives, span, [&](std::size_t slot) {
    return declare(group(index(chip)), rank(kCollectives, slot), beside("collectives", slot));
  });
}

std::uint64_t TrackTree::exposed(ChipId chip, Span span) {
  return claim(nodes_[index(chip)].exposed, span, [&](std::size_t slot) {
    return declare(group(index(chip)), rank(kExposed, slot), beside("exposed communication", slot));
  });
}

std::uint64_t TrackTree::critical_path(Span span) {
  return claim(critical_path_, span, [&](std::size_t slot) {
    return declare(root(), rank(kCriticalPath, slot), beside("critical path", slot),
                   "what each part of the makespan waited for");
  });
}

std::uint64_t TrackTree::link(LinkId id, Span span) {
  return claim(links_[index(id)].out, span, [&](std::size_t slot) {
    const Link& l = fabric_.links[index(id)];
    // Links of one node in the order of their numbers, which on a grid is x+, x-, y+, ...
    const std::uint32_t position = fabric_.grid() ? index(id) / fabric_.chips() : index(id);
    return declare(links_out(l.from), rank(static_cast<std::int32_t>(position) * kBeside, slot),
                   beside(fabric_.port_name(id), slot), described(l));
  });
}

std::uint64_t TrackTree::received(LinkId id) {
  LinkTracks& tracks = links_[index(id)];
  if (tracks.received == 0) {
    const std::uint32_t position = fabric_.grid() ? index(id) / fabric_.chips() : index(id);
    tracks.received = declare(received_by(fabric_.links[index(id)].to), static_cast<std::int32_t>(position) * kBeside,
                              "from " + fabric_.link_name(id));
  }
  return tracks.received;
}

std::uint64_t TrackTree::counter(std::optional<std::uint32_t> node, Curve curve, std::uint64_t stretch) {
  const bool utilisation = curve == Curve::link_utilisation;
  std::string about = utilisation ? "the busy share of links" : "messages between posting and delivery";
  if (node) about += utilisation ? " that leave here" : " that come from here";
  if (stretch > 1) about += fmt::format("; each value is the mean over {} ns", stretch);
  if (node) return declare(group(*node), utilisation ? kUtilisation : kInFlight, title(curve), about, curve);
  return declare(root(), utilisation ? kUtilisationOfAll : kInFlightOfAll, title(curve), about, curve);
}

std::uint64_t TrackTree::root() {
  if (root_ == 0) root_ = declare(0, 0, fabric_name(fabric_), kAboutTime);
  return root_;
}

std::uint64_t TrackTree::group(std::uint32_t node) {
  std::uint64_t& track = nodes_[node].group;
  if (track == 0) track = declare(root(), kFirstNode + static_cast<std::int32_t>(node), node_name(node));
  return track;
}

std::uint64_t TrackTree::links_out(std::uint32_t node) {
  std::uint64_t& track = nodes_[node].links_out;
  if (track == 0) track = declare(group(node), kLinksOut, detail_ == Detail::messages ? "messages out" : "links out");
  return track;
}

std::uint64_t TrackTree::received_by(std::uint32_t node) {
  std::uint64_t& track = nodes_[node].received;
  if (track == 0) track = declare(group(node), kReceived, "received");
  return track;
}

std::uint64_t TrackTree::declare(std::uint64_t parent, std::int32_t rank, const std::string& name,
                                 const std::string& description, std::optional<Curve> curve) {
  const std::uint64_t uuid = ++declared_;
  out_.message(kTracePacket, [&] {
    out_.varint(packet::kSequence, 1);
    out_.message(packet::kTrackDescriptor, [&] {
      out_.varint(track::kUuid, uuid);
      out_.string(track::kName, name);
      if (parent != 0) out_.varint(track::kParent, parent);
      if (curve) encode_unit(out_, *curve);
      out_.varint(track::kChildOrdering, track::kExplicitOrder);
      out_.varint(track::kRank, static_cast<std::uint64_t>(rank));
      if (!description.empty()) out_.string(track::kDescription, description);
      out_.varint(track::kSiblingMerge, track::kNeverMerge);  // the UI would merge tracks of one name
    });
  });
  return uuid;
}

std::string TrackTree::node_name(std::uint32_t node) const {
  const std::uint32_t chips = fabric_.chips();
  if (node >= chips) return "switch " + numbered(node - chips, fabric_.nodes - chips);
  return "chip " + numbered(node, chips) + " " + fabric_.chip_name(ChipId(node));
}

std::string TrackTree::described(const Link& l) const {
  return fmt::format("to {}; {:g} GB/s one way, latency {:g} us", node_name(l.to),
                     static_cast<double>(l.bandwidth.bytes_per_second()) * 1e-9, l.latency.seconds() * 1e6);
}

}  // namespace hopsim::perfetto

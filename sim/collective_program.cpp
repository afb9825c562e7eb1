// The device programs of a collective: one a lane, which takes chunks in and sends them on.
#include "sim/device_program.hpp"

// Frames come from an arena and go with it, so promises' delete does nothing; g++ 12 takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace hopsim {
namespace {

// The dimension a route begins with: of those longer than 1 the `by`-th after `order`.
std::uint8_t rotated(const Shape& shape, std::uint32_t order, std::uint32_t by) {
  std::uint32_t d = order;
  for (;;) {
    while (shape.size[d % kMaxDimensions] == 1) ++d;
    if (by-- == 0) return static_cast<std::uint8_t>(d % kMaxDimensions);
    ++d;
  }
}

}  // namespace

// What lives across a wait lives in the coroutine's frame, and frames are what a big run touches most: this is a
// plain function to keep the rest out of it.
Machine::Stretch Machine::prepare(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  const TaskRun& run = *chip.run;
  const Fabric& fabric = chip.machine->fabric_;
  const Lane& l = run.schedule->lanes[lane];
  const Lane::Placed& placed = l.phases[phase];
  const Passage p = placed.phase->passage(chip.at, i);
  Stretch s;
  s.wait = run.channel(chip.id, placed.first_channel + p.in.channel);
  s.arrivals = p.in.times * fabric.routes;
  s.end = i + placed.phase->alike(chip.at, i, 1);
  if (!p.out) return s;
  const ChipId to = fabric.shape.peer(chip.at, p.out.peer);
  const bool polite = run.schedule->least_advanced_first;
  const auto passage = static_cast<std::uint32_t>(i);
  s.message = {.from = chip.id,
               .to = to,
               .offset = p.out.peer,
               .bytes = l.atom.of(p.out.chunk.count),
               .arrived = run.channel(to, placed.first_channel + p.out.channel),
               .sent = l.paced ? run.sent(chip.id, lane) : kNoCounter,
               .position = polite ? Position::least_advanced(run.task, lane, phase, passage)
                                  : Position::fifo(run.task, lane, phase, passage),
               .channel = l.sender_channel,
               .order = p.order,
               .polite = polite};
  s.split = fabric.routes > 1;
  if (!s.split) s.hops = take_route(fabric, s.message, 0);
  return s;
}

MessageLabel Machine::label(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  MessageLabel label{.task = chip.run->task,
                     .lane = lane,
                     .phase = phase,
                     .passage = static_cast<std::uint32_t>(i),
                     .op = Op::copy,
                     .chunk = {}};
  const Passage p = chip.run->schedule->lanes[lane].phases[phase].phase->passage(chip.at, i);
  label.op = p.op;
  label.chunk = p.out.chunk;
  return label;
}

// The last one that sends something; none: no such phase.
Machine::PassageId Machine::last_sent(const Chip& chip, std::uint32_t lane) {
  const Lane& l = chip.run->schedule->lanes[lane];
  for (auto phase = static_cast<std::uint32_t>(l.phases.size()); phase-- > 0;)
    for (int i = l.phases[phase].phase->length(chip.at); i-- > 0;)
      if (l.phases[phase].phase->passage(chip.at, i).out) return {phase, i};
  return {};
}

// Where an offset is no whole way, the tables of the fabric know one. Returns its hops; 0: a token to the chip
// itself.
std::uint32_t Machine::take_route(const Fabric& fabric, Message& m, std::uint32_t route) {
  if (m.from == m.to && m.offset.zero()) return 0;
  const bool ported = fabric.grid() || fabric.ported;
  if (ported && route > 0) m.order = rotated(fabric.shape, m.order, route);
  if (!fabric.grid() && (!ported || m.offset.names_node() || !fabric.whole_way(m.from, m.offset, m.order))) {
    m.offset = Offset::to_node(index(m.to));
    m.order = static_cast<std::uint8_t>(route % fabric.tables);
  }
  return fabric.hops(m.from, m.to, m.offset, m.order);
}

inline void Machine::post(const Chip& chip, const Stretch& s, std::uint32_t lane, std::uint32_t phase, int i) {
  if (s.split) return post_split(chip, s, lane, phase, i);
  send(chip, s.message, s.hops, lane, phase, i);
}

inline void Machine::send(const Chip& chip, const Message& m, std::uint32_t hops, std::uint32_t lane,
                          std::uint32_t phase, int i) {
  Machine& machine = *chip.machine;
  if (hops > 0) {  // tokens are no messages
    TaskRun& run = *chip.run;
    ++run.messages;
    run.hops += hops;
    run.bytes += m.bytes;
  }
  static constexpr MessageLabel kNone;
  machine.recorder_ ? machine.engine_.send(m, label(chip, lane, phase, i)) : machine.engine_.send(m, kNone);
}

// In as many messages as the fabric splits each into.
void Machine::post_split(const Chip& chip, const Stretch& s, std::uint32_t lane, std::uint32_t phase, int i) {
  const Fabric& fabric = chip.machine->fabric_;
  for (std::uint32_t route = 0; route < fabric.routes; ++route) {
    Message m = s.message;
    m.bytes = Bytes((m.bytes.count() + fabric.routes - 1) / fabric.routes);
    const std::uint32_t hops = take_route(fabric, m, route);
    send(chip, m, hops, lane, phase, i);
  }
}

// A lane ends when all it takes has come and the last it sends has left the chip, as a DMA's buffer is busy until
// then.
Machine::DeviceProgram Machine::run_lane(Chip chip, std::uint32_t lane) {
  const bool paced = chip.run->schedule->lanes[lane].paced;
  bool first = true;
  const PassageId last = last_sent(chip, lane);
  for (std::uint32_t phase = 0; phase < chip.run->schedule->lanes[lane].phases.size(); ++phase)
    for (int i = 0, n = chip.run->schedule->lanes[lane].phases[phase].phase->length(chip.at); i < n;)
      for (Stretch s = prepare(chip, lane, phase, i); i < s.end; ++i, s.advance()) {
        if (s.arrivals) {
          co_await Take(chip, s.wait, s.arrivals);
          if (chip.feeds(Feed::from_arrivals)) multiply_arrival(chip, lane, phase, i);
        }
        if (s.message.arrived == kNoCounter) continue;
        if (paced && !first) co_await Take(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
        if (chip.feeds(Feed::to_departures)) co_await Take(chip, chip.run->made(chip.id, lane), 1);
        first = false;
        if (last == PassageId{phase, i}) s.message.sent = chip.run->sent(chip.id, lane);
        post(chip, s, lane, phase, i);
      }
  if (!first) co_await Take(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
  chip.machine->lane_finished(chip);
}

Machine::DeviceProgram Machine::after_launch(Chip chip) {
  Machine& m = *chip.machine;
  m.engine_.count_after(m.overheads_.launch, chip.run->timer(chip.id));
  Take launched(chip, chip.run->timer(chip.id), 1);
  co_await launched;
  auto& chips = chip.machine->launched_[chip.run->task];
  if (chips.empty()) chip.machine->launched_tasks_.push_back(chip.run->task);
  chips.push_back(chip.id);
}

}  // namespace hopsim

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
  const Lane& l = run.schedule->lanes[lane];
  const Lane::Placed& placed = l.phases[phase];
  const Passage p = placed.phase->passage(chip.at, i);
  Stretch s;
  s.wait = run.channel(chip.id, placed.first_channel + p.in.channel);
  s.arrivals = p.in.times * chip.machine->fabric_.routes;
  s.end = i + placed.phase->alike(chip.at, i, 1);
  if (!p.out) return s;
  const ChipId to = chip.machine->fabric_.shape.peer(chip.at, p.out.peer);
  s.message = {.from = chip.id,
               .to = to,
               .offset = p.out.peer,
               .bytes = l.atom.of(p.out.chunk.count),
               .arrived = run.channel(to, placed.first_channel + p.out.channel),
               .sent = kNoCounter,
               .position = {},
               .channel = l.sender_channel,
               .order = p.order,
               .polite = run.schedule->least_advanced_first};
  return s;
}

MessageLabel Machine::label(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  MessageLabel label{.task = chip.run->task,
                     .lane = lane,
                     .phase = phase,
                     .passage = static_cast<std::uint32_t>(i),
                     .op = Op::copy,
                     .chunk = {}};
  if (chip.machine->recorder_) {
    const Passage p = chip.run->schedule->lanes[lane].phases[phase].phase->passage(chip.at, i);
    label.op = p.op;
    label.chunk = p.out.chunk;
  }
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

// In as many messages as the fabric splits it into.
void Machine::post(const Chip& chip, Message& m, std::uint32_t lane, std::uint32_t phase, int i) {
  Machine& machine = *chip.machine;
  const Fabric& fabric = machine.fabric_;
  TaskRun& run = *chip.run;
  const auto passage = static_cast<std::uint32_t>(i);
  m.position = m.polite ? Position::least_advanced(run.task, lane, phase, passage)
                        : Position::fifo(run.task, lane, phase, passage);
  const std::uint8_t order = m.order;
  const Offset offset = m.offset;
  const Bytes whole = m.bytes;
  if (fabric.routes > 1) m.bytes = Bytes((whole.count() + fabric.routes - 1) / fabric.routes);
  for (std::uint32_t route = 0; route < fabric.routes; ++route) {
    m.offset = offset;
    if (fabric.routes > 1 && (fabric.grid() || fabric.ported)) m.order = rotated(fabric.shape, order, route);
    if (m.from != m.to || !m.offset.zero()) {  // tokens to oneself are none
      if (!fabric.grid() && (!fabric.ported || offset.names_node() || !fabric.whole_way(m.from, offset, m.order))) {
        m.offset = Offset::to_node(index(m.to));
        m.order = static_cast<std::uint8_t>(route % fabric.tables);
      }
      ++run.messages;
      run.hops += fabric.hops(m.from, m.to, m.offset, m.order);
      run.bytes += m.bytes;
    }
    machine.engine_.send(m, label(chip, lane, phase, i));
  }
  m.bytes = whole;
  m.offset = offset;
  m.order = order;
}

// A lane ends when all it takes has come and the last it sends has left the chip, as a DMA's buffer is busy until
// then.
Machine::DeviceProgram Machine::run_lane(Chip chip, std::uint32_t lane) {
  bool first = true;
  const PassageId last = last_sent(chip, lane);
  for (std::uint32_t phase = 0; phase < chip.run->schedule->lanes[lane].phases.size(); ++phase)
    for (int i = 0, n = chip.run->schedule->lanes[lane].phases[phase].phase->length(chip.at); i < n;)
      for (Stretch s = prepare(chip, lane, phase, i); i < s.end; ++i) {
        if (s.arrivals) {
          Take arrival(chip, s.wait, s.arrivals);
          co_await arrival;
          if (chip.feeds(Feed::from_arrivals)) multiply_arrival(chip, lane, phase, i);
        }
        const bool paced = chip.run->schedule->lanes[lane].paced;
        if (paced && !first && s.message.arrived != kNoCounter) {
          Take left(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
          co_await left;
        }
        if (s.message.arrived == kNoCounter) continue;
        if (chip.feeds(Feed::to_departures)) {
          Take made(chip, chip.run->made(chip.id, lane), 1);
          co_await made;
        }
        first = false;
        s.message.sent = paced || last == PassageId{phase, i} ? chip.run->sent(chip.id, lane) : kNoCounter;
        post(chip, s.message, lane, phase, i);
      }
  if (!first) {
    Take left(chip, chip.run->sent(chip.id, lane), chip.machine->fabric_.routes);
    co_await left;
  }
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

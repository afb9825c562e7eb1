// The device programs of products: by themselves, and fed by a collective or feeding one.
#include "sim/device_program.hpp"

// Frames come from an arena and go with it, so promises' delete does nothing; g++ 12 takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace hopsim {
namespace {

Time scaled_up(Time whole, Uint128 part, Uint128 all) {
  return Time::picoseconds(static_cast<std::uint64_t>((Uint128{whole.ps()} * part + (all - 1)) / all));
}

// What a chip has of an AllGather before it begins, and of a ReduceScatter when it ends.
Bytes own_bytes(const Schedule& schedule) {
  Bytes sum;
  for (const Part& p : schedule.parts) sum += p.atom.of(p.per_member);
  return sum;
}

}  // namespace

Time ChunkedProduct::of_chunk(std::uint64_t part, std::uint64_t all, ChipId chip) const {
  const Time busy = std::max(scaled_up(flops, part, all), later(scaled_up(memory, part, all), again));
  if (!speeds) return busy;
  const Ratio& speed = (*speeds)[index(chip)];
  return scaled_up(busy, speed.denominator, speed.numerator);
}

Machine::DeviceProgram Machine::run_compute(Chip chip, Time busy) {
  const std::uint32_t task = chip.run->task;
  chip.machine->engine_.compute(chip.id, busy, Position::fifo(task, 0, 0, 0), chip.run->timer(chip.id), task);
  Take done(chip, chip.run->timer(chip.id), 1);
  co_await done;
  chip.machine->finish(chip.run->task, chip.id);
}

Machine::DeviceProgram Machine::run_host_load(Chip chip, Time time) {
  chip.machine->engine_.count_after(time, chip.run->timer(chip.id));
  Take done(chip, chip.run->timer(chip.id), 1);
  co_await done;
  chip.machine->finish(chip.run->task, chip.id);
}

// ---- Products that a collective feeds, or that feed one

void Machine::multiply(const Chip& chip, Bytes part, Time overhead, Position position, CounterId done) {
  const CollectiveMatmulTask& p = *chip.run->product;
  const Time busy = p.bytes > Bytes{} ? p.product.of_chunk(part.count(), p.bytes.count(), chip.id) : Time{};
  chip.machine->engine_.compute(chip.id, later(busy, overhead), position, done, chip.run->task);
}

void Machine::multiply_arrival(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  const Lane& l = chip.run->schedule->lanes[lane];
  const Bytes part = l.atom.of(l.phases[phase].phase->passage(chip.at, i).in.chunk.count);
  multiply(chip, part, chip.machine->overheads_.loop,
           Position::fifo(chip.run->task, lane, phase, static_cast<std::uint32_t>(i)), chip.run->multiplied(chip.id));
}

// Passages of all lanes by which chunks come in.
std::uint32_t Machine::arrivals(const Chip& chip) {
  std::uint32_t n = 0;
  for (const Lane& lane : chip.run->schedule->lanes)
    for (const Lane::Placed& p : lane.phases)
      for (int i = 0, end = p.phase->length(chip.at); i < end; ++i) n += p.phase->passage(chip.at, i).in ? 1 : 0;
  return n;
}

Machine::DeviceProgram Machine::multiply_arrivals(Chip chip) {
  multiply(chip, own_bytes(*chip.run->schedule), Time{}, Position::fifo(chip.run->task, 0, 0, 0),
           chip.run->multiplied(chip.id));
  Take all(chip, chip.run->multiplied(chip.id), 1 + arrivals(chip));
  co_await all;
  chip.machine->product_finished(chip);
}

// The chunk that passage i of a lane sends, if there is such a passage and it sends one.
std::optional<Bytes> Machine::departure(const Chip& chip, std::uint32_t lane, std::uint32_t phase, int i) {
  const Lane& l = chip.run->schedule->lanes[lane];
  if (phase >= l.phases.size() || i >= l.phases[phase].phase->length(chip.at)) return std::nullopt;
  const Passage p = l.phases[phase].phase->passage(chip.at, i);
  return p.out ? std::optional(l.atom.of(p.out.chunk.count)) : std::nullopt;
}

// Passage by passage, all lanes of a chip in turn, as they are going to send.
Machine::DeviceProgram Machine::multiply_departures(Chip chip) {
  for (std::uint32_t phase = 0; phase < chip.run->phases(); ++phase)
    for (int i = 0, n = chip.run->longest(phase, chip.at); i < n; ++i)
      for (std::uint32_t lane = 0; lane < chip.run->lanes(); ++lane) {
        const std::optional<Bytes> part = departure(chip, lane, phase, i);
        if (!part) continue;
        multiply(chip, *part, chip.machine->overheads_.loop, Position::fifo(chip.run->task, 0, 0, 0),
                 chip.run->multiplied(chip.id));
        Take done(chip, chip.run->multiplied(chip.id), 1);
        co_await done;
        chip.machine->count_one(chip.run->made(chip.id, lane));
      }
  multiply(chip, own_bytes(*chip.run->schedule), Time{}, Position::fifo(chip.run->task, 0, 0, 0),
           chip.run->multiplied(chip.id));
  Take done(chip, chip.run->multiplied(chip.id), 1);
  co_await done;
  chip.machine->product_finished(chip);
}

}  // namespace hopsim

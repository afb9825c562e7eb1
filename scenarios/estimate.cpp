#include "scenarios/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/available_memory.hpp"
#include "scenarios/passage_hops.hpp"
#include "scenarios/trial_runs.hpp"
#include "sim/event_engine.hpp"
#include "sim/machine.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr double kMostPassages = 300'000;  // looked at for one run: some milliseconds
constexpr double kFewestChips = 5;         // looked at, of those that differ

// ---- memory, in bytes

// A coroutine frame of Machine::run_lane, as g++ 12 -O3 lays it out (what its operator new is asked for).
constexpr double kFrame = 240;
// Of a message in flight: its Flight and what the event queue holds for it (16 bytes, 8 more in a group).
constexpr double kInFlight = static_cast<double>(EventEngine::kFlightBytes) + 24;
// Vectors that grow by doubling have both the old and the new memory while they move.
constexpr double kGrowth = 1.5;
// Of a chip: two vectors of stretches, each with a first allocation; and a stretch or two for every task.
constexpr double kActivity = 2 * (sizeof(StepStretches) + 32), kStretches = 2 * sizeof(StepStretches::Stretch);
// Of a chip that begins a task: ready, launched, counted in one instant.
constexpr double kReady = 24;

// ---- time, in seconds: a release build on one core of 2 GHz or so

constexpr double kPerMessage = 30e-9, kPerHop = 55e-9, kPerTask = 150e-9;

// ---- what schedules send

// Of one chip in one schedule, or of several.
struct Load {
  double passages = 0;  // looked at
  double messages = 0, hops = 0;
  double in_flight = 0;  // at most, at once

  void add(const Load& other) {
    passages += other.passages;
    messages += other.messages;
    hops += other.hops;
    in_flight += other.in_flight;
  }
};

// How messages become hops on a machine.
struct Ways {
  std::uint32_t routes = 1;         // each message is split over so many
  const Fabric* network = nullptr;  // where offsets are no ways, or not always
  LinkModel link{};

  // Of a hop, in messages of so many bytes.
  double latency_of(Bytes bytes) const {
    return link.latency.seconds() / std::max(1e-12, link.bandwidth.duration(bytes).seconds());
  }
  // Over all routes.
  double hops(ChipId from, const Coordinates& at, const Passage& p) const {
    double sum = 0;
    for (std::uint32_t route = 0; route < routes; ++route)
      sum += network ? hops_of(*network, from, at, p, route) : p.out.peer.hops();
    return sum;
  }
};

Ways ways_of(const MachineModel& machine, bool folded) {
  if (folded || machine.graph->is_box()) return {.link = machine.link};
  const Fabric& fabric = machine.fabric();
  return {.routes = fabric.routes, .network = fabric.grid() ? nullptr : &fabric, .link = machine.link};
}

// Of a paced lane: the one on its first link, and what is on its way behind it. A port puts in a message in the time
// that links take for one over all its hops, so that a latency's worth of messages is on the way, and a few wait at
// every hop (measured: one or two); at most some three quarters of all, where blocks are small.
double underway(double sent, double hops, double latency) {  // latency: of a hop, in messages
  return 1 + std::min(sent * (1 - sent / hops) * 3 / 4, latency + 2 * hops / sent);
}

// A lane that is not paced has in flight what it posts without waiting.
Load load_of(const Schedule& schedule, ChipId chip, const Coordinates& at, const Ways& ways) {
  Load load;
  for (const Lane& lane : schedule.lanes) {
    double sent = 0, hops = 0, unasked = 0, most_unasked = 0;
    Bytes largest;
    for (const Lane::Placed& placed : lane.phases)
      for (int i = 0, n = placed.phase->length(at); i < n;) {
        const Passage p = placed.phase->passage(at, i);
        const int alike = std::clamp(placed.phase->alike(at, i, 1), 1, n - i);
        i += alike;
        ++load.passages;
        if (p.in) unasked = 0;
        if (!p.out || p.out.peer.zero()) continue;
        sent += alike;
        hops += alike * ways.hops(chip, at, p);
        largest = std::max(largest, lane.atom.of(p.out.chunk.count));
        unasked = p.in ? 1 : unasked + alike;  // an arrival, a message
        most_unasked = std::max(most_unasked, unasked);
      }
    if (sent == 0) continue;
    load.messages += sent * ways.routes;
    load.hops += hops;
    load.in_flight +=
        ways.routes *
        std::min(sent, lane.paced ? underway(sent, hops / ways.routes, ways.latency_of(largest)) : most_unasked);
  }
  return load;
}

struct Survey {
  Load load;
  bool exact = true;
};

// Over all chips of `simulated`, from those that may differ; of these a part, spread over the box, if they are many.
Survey survey(const Schedule& schedule, const Shape& simulated, bool alike, const Ways& ways, double passages) {
  const Shape box = alike ? simulated.fold() : simulated;
  const double actors = box.actors();
  Survey s;
  const auto look = [&](std::uint32_t actor) {
    s.load.add(load_of(schedule, ChipId{actor}, box.at(ChipId{actor}), ways));
  };
  look(0);
  const double most = std::max(kFewestChips, passages / std::max(1.0, s.load.passages));
  s.exact = actors <= most;
  const double looked = s.exact ? actors : std::floor(most);
  constexpr double kGolden = 0.6180339887498949;  // multiples of it spread evenly, however many there are
  for (double k = 1; k < looked; ++k)
    look(static_cast<std::uint32_t>(s.exact ? k : std::floor((k * kGolden - std::floor(k * kGolden)) * actors)));
  const double copies = simulated.actors() / looked;
  for (double* sum : {&s.load.messages, &s.load.hops, &s.load.in_flight}) *sum *= copies;
  return s;
}

// ---- what tasks take

// Memory of tasks that may be at work at once: those as far from the program's begin as one another, and the next.
class TaskMemory {
 public:
  explicit TaskMemory(const Program& program) : depth_(program.size()) {
    for (std::size_t t = 0; t < program.size(); ++t)
      for (const std::uint32_t before : program[t].after) depth_[t] = std::max(depth_[t], depth_[before] + 1);
    by_depth_.resize(program.size() + 1);
  }
  void add(std::size_t task, double bytes) { by_depth_[depth_[task]] += bytes; }
  double peak() const {
    double most = 0;
    for (std::size_t d = 0; d + 1 < by_depth_.size(); ++d) most = std::max(most, by_depth_[d] + by_depth_[d + 1]);
    return most;
  }

 private:
  std::vector<std::size_t> depth_;
  std::vector<double> by_depth_;
};

double bytes_of(const Task& task, double in_flight, double actors, const Overheads& overheads) {
  const CollectiveTask* const collective = collective_of(task);
  const double lanes = collective ? static_cast<double>(collective->schedule->lanes.size()) : 0;
  const double channels = collective ? collective->schedule->channels : 0;
  const bool product = std::holds_alternative<CollectiveMatmulTask>(task.work);
  const double programs = std::max(1.0, lanes) + product + (overheads.launch > Time{} && collective);
  const double counters = channels + lanes + 1 + (product ? lanes + 1 : 0);
  return actors * (programs * kFrame + counters * kGrowth * Machine::kCounterBytes + kReady) +
         in_flight * kGrowth * kInFlight;
}

// Channels that chunk overheads add up on.
double sender_channels(const Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Lane& lane : schedule.lanes) most = std::max(most, lane.sender_channel + 1);
  return most;
}

// Sums over a program; every schedule is surveyed once.
class Sums {
 public:
  Sums(const MachineModel& machine, const Plan& plan, bool folded)
      : machine_(machine),
        plan_(plan),
        shape_(folded ? machine.shape.fold() : machine.shape),
        ways_(ways_of(machine, folded)),
        memory_(plan.program) {
    for (const Task& task : plan.program)
      if (const CollectiveTask* c = collective_of(task)) surveys_[c->schedule.get()];
    for (std::size_t t = 0; t < plan.program.size(); ++t) add(t);
  }

  Estimate estimate() const {
    const double actors = shape_.actors(), tasks = static_cast<double>(plan_.program.size());
    const double links = 2.0 * shape_.dimensions * shape_.chips();
    const double resources = (ways_.network ? static_cast<double>(ways_.network->links.size()) : links) +
                             shape_.chips() * (1 + (machine_.overheads.chunk > Time{} ? channels_ : 0));
    const double bytes = memory_.peak() + actors * tasks * (Machine::kPerChipBytes + kStretches) +
                         actors * kActivity + resources * (EventEngine::kResourceBytes + sizeof(Time));
    const double seconds = sums_.messages * kPerMessage + sums_.hops * kPerHop + actors * tasks * kPerTask;
    return {.chips = shape_.chips(),
            .messages = whole(sums_.messages),
            .hops = whole(sums_.hops),
            .bytes = whole(bytes),
            .fabric_bytes = whole(machine_.graph->is_box() ? links * MachineGraph::kLinkBytes : 0),
            .seconds = seconds,
            .exact = exact_};
  }

 private:
  static std::uint64_t whole(double v) { return static_cast<std::uint64_t>(std::llround(std::min(v, 9e18))); }

  void add(std::size_t t) {
    double in_flight = 0;
    if (const CollectiveTask* const c = collective_of(plan_.program[t])) {
      const Survey& s = of(*c->schedule, plan_.steps[t]);
      in_flight = s.load.in_flight;
      sums_.add(s.load);
      exact_ = exact_ && s.exact;
      channels_ = std::max(channels_, sender_channels(*c->schedule));
    }
    memory_.add(t, bytes_of(plan_.program[t], in_flight, shape_.actors(), machine_.overheads));
  }

  const Survey& of(const Schedule& schedule, const PlannedStep& step) {
    std::optional<Survey>& s = surveys_[&schedule];
    if (!s)
      s = survey(schedule, shape_, ways_.network == nullptr && same_on_all_chips(step), ways_,
                 kMostPassages / static_cast<double>(surveys_.size()));
    return *s;
  }

  const MachineModel& machine_;
  const Plan& plan_;
  const Shape shape_;  // simulated
  const Ways ways_;
  TaskMemory memory_;
  std::map<const Schedule*, std::optional<Survey>> surveys_;
  Load sums_;
  double channels_ = 0;
  bool exact_ = true;
};

}  // namespace

Estimate estimate(const MachineModel& machine, const Plan& plan, bool folded) {
  return Sums(machine, plan, folded).estimate();
}

std::string amount(std::uint64_t n, const char* of) {
  constexpr std::pair<double, const char*> kWords[] = {{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}};
  const auto v = static_cast<double>(n);
  std::string number = std::to_string(n);
  for (const auto& [size, word] : kWords)
    if (v >= size) {
      number = fmt::format("{:.3g}{}", v / size, word);
      break;
    }
  return fmt::format("{} {}{}", number, of, n == 1 ? "" : "s");
}

std::string about_time(double seconds) {
  if (seconds < 1) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 72 * 3600 ? fmt::format("{:.0f} h", seconds / 3600) : fmt::format("{:.0f} days", seconds / 86400);
}

std::string describe(const Estimate& e) {
  return fmt::format("{}, {}, about {} and {}", amount(e.messages, "message"), amount(e.hops, "hop"),
                     about_time(e.seconds), about_bytes(e.bytes + e.fabric_bytes));
}

}  // namespace hopsim

// A program on both engines: each pair of runs in a process of its own, as SimGrid's engine starts once a process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <tuple>
#include <type_traits>

#include "sim/simgrid_engine.hpp"
#include "tests/sim/phases.hpp"
#include "tests/support/runs.hpp"

namespace hopsim::testing {

// What `run` returns, run in a process of its own: SimGrid starts once in each, and never in this one.
template <class Run>
auto in_child(Run run) {
  using Result = decltype(run());
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    int status = 1;
    try {
      const Result result = run();
      status = write(ends[1], &result, sizeof result) == ssize_t{sizeof result} ? 0 : 1;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "in the child: %s\n", e.what());
    }
    _exit(status);
  }
  close(ends[1]);
  Result result{};
  const bool whole = read(ends[0], &result, sizeof result) == ssize_t{sizeof result};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error("the child failed");
  return result;
}

// The name of the exception that `run` throws in a process of its own.
template <class Run>
std::string thrown_in_child(Run run) {
  const int which = in_child([&] {
    try {
      run();
      return 0;
    } catch (const Deadlock&) {
      return 1;
    } catch (const std::overflow_error&) {
      return 2;
    } catch (const std::logic_error&) {
      return 3;
    }
  });
  return std::array{"nothing", "Deadlock", "overflow_error", "logic_error"}[static_cast<std::size_t>(which)];
}

inline std::vector<std::tuple<std::uint32_t, Time, Time, Time, Time, std::uint64_t, std::uint32_t>> sorted(
    const std::vector<HopRecord>& hops) {
  std::vector<std::tuple<std::uint32_t, Time, Time, Time, Time, std::uint64_t, std::uint32_t>> all;
  for (const HopRecord& h : hops)
    all.emplace_back(index(h.link), h.posted, h.start, h.end, h.delivered, h.bytes.count(), h.passage);
  std::sort(all.begin(), all.end());
  return all;
}

struct Notes final : Recorder {
  void hop(const HopRecord& h) override { hops.push_back(h); }
  void compute(ChipId c, std::uint32_t task, Time start, Time end) override {
    busy.emplace_back(index(c), task, start, end);
  }
  void task(ChipId c, std::uint32_t task, Time start, Time end) override {
    tasks.emplace_back(index(c), task, start, end);
  }
  std::vector<HopRecord> hops;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, Time, Time>> busy, tasks;
};

// One program on both engines, and whether all else they tell of it is alike.
struct Both {
  Time event, simgrid;
  bool same_totals, same_busy, same_records, same_activity;

  double difference() const { return simgrid.seconds() / event.seconds() - 1; }
  bool all_alike() const { return same_totals && same_busy && same_records && same_activity; }
};

template <class E>
struct Told {
  Told(const Fabric& fabric, const Program& program, const Overheads& overheads)
      : activity(fabric.chips()),
        engine(fabric, overheads, &notes, &activity),
        machine(fabric, engine, overheads, &notes) {
    machine.run(program);
    for (const TaskTotals& t : machine.totals()) end = std::max(end, t.end);
    std::sort(notes.busy.begin(), notes.busy.end());
    std::sort(notes.tasks.begin(), notes.tasks.end());
  }
  Notes notes;
  Activity activity;
  E engine;
  Machine machine;
  Time end;
};

inline bool alike(const std::vector<StepStretches>& a, const std::vector<StepStretches>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StepStretches& x, const StepStretches& y) {
    return x.all().total() == y.all().total();
  });
}

inline Both on_both(const Fabric& fabric, const Program& program, const Overheads& overheads = {}) {
  return in_child([&] {
    const Told<EventEngine> e(fabric, program, overheads);
    const Told<SimgridEngine> s(fabric, program, overheads);
    const EngineTotals a = e.engine.totals(), b = s.engine.totals();
    return Both{.event = e.end,
                .simgrid = s.end,
                .same_totals = a.messages == b.messages && a.link_hops == b.link_hops &&
                               a.link_bytes == b.link_bytes && a.fingerprint == b.fingerprint,
                .same_busy = e.engine.link_busy() == s.engine.link_busy(),
                .same_records = sorted(e.notes.hops) == sorted(s.notes.hops) && e.notes.busy == s.notes.busy &&
                                e.notes.tasks == s.notes.tasks,
                .same_activity = alike(e.activity.communication, s.activity.communication) &&
                                 alike(e.activity.compute, s.activity.compute)};
  });
}

inline Request request(Operation op, const Shape& shape, Bytes bytes, int chunks = 1, int dimension = 0) {
  return {.operation = op, .row = row_along(shape, dimension), .bytes = bytes, .chunks = chunks};
}

inline Program one(std::shared_ptr<const Schedule> schedule) {
  return {{.work = CollectiveTask{std::move(schedule)}, .after = {}}};
}

// Posts to an engine at chosen times and notes when counters rise.

// Posts to an engine at chosen times and notes when counters rise.
class Posts final : public CounterSink {
 public:
  explicit Posts(Engine& e) : engine(e) {}
  CounterId at(Time when, std::function<void(CounterId)> post) {
    const CounterId timer = fresh(), result = fresh();
    due_[timer] = [post = std::move(post), result] { post(result); };
    engine.count_after(when, timer);
    return result;
  }
  CounterId send(Time when, const Fabric& fabric, std::uint32_t from, Offset way, Bytes bytes, Message m = {}) {
    return at(when, [=, this, &fabric](CounterId arrived) mutable {
      m.from = ChipId{from};
      m.offset = way;
      m.to = fabric.shape.peer(fabric.shape.at(m.from), way);
      m.bytes = bytes;
      m.arrived = arrived;
      engine.send(m, {});
    });
  }
  CounterId compute(Time when, std::uint32_t chip, Time busy, std::uint32_t lane = 0) {
    return at(when, [=, this](CounterId done) {
      engine.compute(ChipId{chip}, busy, Position::fifo(0, lane, 0, 0), done, 0);
    });
  }
  CounterId fresh() { return CounterId{next_++}; }
  Time risen(CounterId c) const { return risen_.at(c); }
  void count(std::span<const CounterId> counters) override {
    for (const CounterId c : counters) {
      risen_[c] = engine.now();
      if (due_.contains(c)) due_[c]();
    }
  }
  Engine& engine;

 private:
  std::uint32_t next_ = 0;
  std::map<CounterId, Time> risen_;
  std::map<CounterId, std::function<void()>> due_;
};

// 1 GB/s: a byte takes a nanosecond.
inline Fabric byte_a_nanosecond(const Shape& shape) { return freeze(grid(shape, {1_GBps, 500_ns})); }

}  // namespace hopsim::testing

#include "scenarios/engine_run.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "scenarios/own_process.hpp"
#include "sim/event_engine.hpp"

namespace hopsim {
namespace {

std::unique_ptr<Engine> make_engine(const Fabric& fabric, const Overheads& overheads, const EngineChoice& choice,
                                    Recorder* recorder, Activity& activity) {
  if (choice.make) return choice.make(fabric, overheads, recorder, &activity);
  return std::make_unique<EventEngine>(fabric, overheads, recorder, &activity);
}

std::uint64_t peak_rss() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

EngineRun run_here(const Fabric& fabric, const Overheads& overheads, const Program& program,
                   const RunOptions& options, Activity& activity) {
  PathRecorder path(fabric, options.recorder);
  Recorder* const recorder = options.critical_path ? &path : options.recorder;
  const auto engine = make_engine(fabric, overheads, options.engine, recorder, activity);
  Machine chips(fabric, *engine, overheads, recorder);
  const auto begin = std::chrono::steady_clock::now();
  EngineRun run;
  run.stop = chips.run(program, options.control);
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.tasks = chips.totals();
  run.now = engine->now();
  run.totals = engine->totals();
  run.link_busy = engine->link_busy();
  run.path_overflowed = path.overflowed();
  if (options.critical_path && !run.path_overflowed && run.stop == Stop::none)
    run.critical_path = path.path(program, overheads);
  run.peak_rss_bytes = peak_rss();
  return run;
}

// All but the peak of memory, which is the process's.
template <class Run, class Visit>
void each_member(Run& run, Visit visit) {
  visit(run.tasks);
  visit(run.stop);
  visit(run.now);
  visit(run.totals);
  visit(run.link_busy);
  visit(run.critical_path);
  visit(run.path_overflowed);
  visit(run.wall_seconds);
}

void pack(Packer& to, const EngineRun& run, const Activity& activity) {
  each_member(run, [&](const auto& member) { to.put(member); });
  for (const auto* chips : {&activity.communication, &activity.compute})
    for (const StepStretches& chip : *chips) to.put(chip.stretches());
}

EngineRun unpack(Unpacker from, Activity& activity) {
  EngineRun run;
  each_member(run, [&](auto& member) { from.get(member); });
  std::vector<StepStretches::Stretch> stretches;
  for (auto* chips : {&activity.communication, &activity.compute})
    for (StepStretches& chip : *chips) {
      from.get(stretches);
      for (const StepStretches::Stretch& s : stretches) chip.add(s.task, s.start, s.end);
    }
  return run;
}

// How far a run is, in memory that a forked process shares with this one.
class SharedProgress {
 public:
  SharedProgress()
      : memory_(::mmap(nullptr, sizeof(RunProgress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    progress_ = new (memory_) RunProgress;
  }
  ~SharedProgress() { ::munmap(memory_, sizeof(RunProgress)); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  RunProgress* get() { return progress_; }
  void copy_to(RunProgress& to) const {
    to.hops.store(progress_->hops.load());
    to.picoseconds.store(progress_->picoseconds.load());
  }

 private:
  void* const memory_;
  RunProgress* progress_;
};

EngineRun run_apart(const Fabric& fabric, const Overheads& overheads, const Program& program,
                    const RunOptions& options, Activity& activity) {
  SharedProgress shared;
  RunOptions theirs = options;
  std::function<void()> meanwhile;
  if (RunProgress* const ours = options.control.progress) {
    theirs.control.progress = shared.get();
    meanwhile = [&shared, ours] { shared.copy_to(*ours); };
  }
  const auto work = [&](Packer& to) { pack(to, run_here(fabric, overheads, program, theirs, activity), activity); };
  ForkedResult forked = in_own_process(work, meanwhile);
  EngineRun run = unpack(std::move(forked.result), activity);
  run.peak_rss_bytes = std::max(peak_rss(), forked.peak_rss_bytes);
  return run;
}

}  // namespace

EngineRun run_engine(const Fabric& fabric, const Overheads& overheads, const Program& program,
                     const RunOptions& options, Activity& activity) {
  if (!options.engine.one_a_process || options.recorder)
    return run_here(fabric, overheads, program, options, activity);
  try {
    return run_apart(fabric, overheads, program, options, activity);
  } catch (const ProcessDied& e) {
    throw EngineDied("the process that simulates on engine " + options.engine.name + ' ' + e.what());
  }
}

}  // namespace hopsim

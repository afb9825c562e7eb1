// What `hopsim run`, `collective` and `sweep` give every run: what the flags say, who is told how far it is, and a
// line for one that will take long.
#pragma once

#include <string>

#include "scenarios/simulate.hpp"
#include "tools/flags.hpp"
#include "tools/progress.hpp"
#include "tools/streams.hpp"

namespace hopsim {

constexpr double kLongRun = 30;        // seconds, from which on a run is announced
constexpr double kLongOnSimgrid = 60;  // and warned of, on SimGrid

// `what` names the run. Recorder, activity and critical path are the caller's to add; progress and streams outlive
// the run.
RunOptions run_options(const CommonFlags&, Progress&, const Streams&, std::string what);
// One of several runs that go on at once. Safe to call from several threads.
RunOptions run_options(const CommonFlags&, Progress::Run&, const Streams&, std::string what);

// Of a cross-check, for what runs on SimGrid.
RunOptions check_options(const CommonFlags&, Progress&, const Streams&, std::string what);

}  // namespace hopsim

// A sweep as a file and the flags say it, and one point of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/sweep.hpp"
#include "scenarios/sweep_json.hpp"
#include "tools/progress.hpp"
#include "tools/streams.hpp"
#include "tools/sweep/journal.hpp"
#include "tools/sweep/memory_shares.hpp"
#include "tools/sweep/points.hpp"
#include "tools/sweep/record.hpp"
#include "tools/sweep/report.hpp"
#include "tools/sweep_command.hpp"

namespace hopsim {

// Throws what Sweep does, and InputError for a flag that sets what the sweep varies.
// `meanwhile`: every now and then, while `where` goes through a grid.
Sweep make_sweep(Document, const SweepArguments&, const std::function<void()>& meanwhile = {});

// Of the same file and flags.
SweepJournal::Identity identity_of(Document, const SweepArguments&);

// Runs points. Safe to call from several threads.
class PointRunner {
 public:
  // `text`: of each point in --json. `memory`: bytes that points which run at once share. All arguments outlive this.
  PointRunner(const Sweep&, const SweepArguments&, const Metric&, std::uint64_t memory, bool text, Progress&,
              const Streams&);

  FinishedPoint operator()(std::size_t point);  // throws nothing

 private:
  FinishedPoint run(std::size_t point);

  const Sweep& sweep_;
  const SweepArguments& arguments_;
  const Metric& metric_;
  MemoryShares memory_;
  const bool text_;
  Progress& progress_;
  const Streams& streams_;
  const SweepJson json_;
  const PointNames names_;
  const std::vector<std::string> late_sets_;
};

}  // namespace hopsim

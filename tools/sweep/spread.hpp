// Who runs which point of a sweep: hands them out, in their order, to whoever has room: the threads of this process,
// and those of the other ranks where mpirun started several.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sweep/jobs.hpp"
#include "tools/sweep/ranks.hpp"
#include "tools/sweep/record.hpp"

namespace hopsim {

// What rank 0 tells the others of the sweep.
struct SweepSetup {
  std::string name, text;  // of the scenario
};

// Rank 0, to all others, for as long as it lives: then they end, whatever ended the sweep.
class Leader {
 public:
  explicit Leader(Ranks* ranks) : ranks_(ranks) {}  // null: there are none
  ~Leader();
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  void set_up(const SweepSetup&);
  Ranks* ranks() const { return ranks_; }

 private:
  Ranks* ranks_;
};

// What another rank does: waits for the sweep, makes its jobs, and runs points until rank 0 has ended.
void follow(Ranks&, const std::function<std::unique_ptr<SweepJobs>(const SweepSetup&)>& make_jobs);

class SweepSpread {
 public:
  using Finished = std::function<void(std::string_view record, const DecodedPoint&)>;

  SweepSpread(std::size_t points, SweepJobs&, const Leader&);

  // `is_done`: need not be run. `finished`, for each, in any order; `meanwhile`, every now and then. Points that lack
  // memory run once more, alone, when all others have. Throws what the first point threw that threw anything, and
  // what the functions throw, when points that are running have ended.
  void run(const std::function<bool(std::size_t)>& is_done, const Finished& finished,
           const std::function<void()>& meanwhile);

 private:
  std::optional<std::size_t> next();
  void hand_out();
  void receive();
  void absorb(std::string_view record);
  void run_again();
  void rethrow() const;

  const std::size_t points_;
  SweepJobs& jobs_;
  Ranks* const ranks_;
  const std::chrono::microseconds wait_;
  std::function<bool(std::size_t)> is_done_;
  Finished finished_;
  std::function<void()> meanwhile_;

  std::size_t next_ = 0;
  std::vector<std::size_t> room_;  // by rank: points it asked for
  std::size_t elsewhere_ = 0;      // points at other ranks
  std::vector<std::size_t> again_;
  bool alone_;
  std::optional<FinishedPoint> thrown_;  // by the first point of those that did
};

}  // namespace hopsim

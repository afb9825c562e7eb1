// The Timeline of a report (tools/report/README.md): when some of a run's chips computed, communicated and used their
// links, coarse enough for a page.
//
// At most kMostChips chips, kMostOfLane stretches a lane and kMostStretches in all (some 35 bytes each in the page):
// gaps are closed, from the makespan / kAcross on, until there are no more.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/machine.hpp"
#include "scenarios/results.hpp"
#include "sim/activity.hpp"
#include "tools/report/stretches.hpp"

namespace hopsim {

struct DrawnChip {
  ChipId chip{};
  std::string why;  // "first", "last to end, on the busiest link"; empty: nothing in particular
};

class TimelineData {
 public:
  static constexpr std::uint32_t kMostChips = 16;
  static constexpr std::size_t kMostLinks = 16;  // of a chip, the busiest
  static constexpr std::uint64_t kAcross = 2000;
  static constexpr std::size_t kMostOfLane = 2000, kMostStretches = 60'000;

  TimelineData(const Fabric&, const RunResult&, const Activity&, const LinkStretches&);  // outlive it

  nlohmann::ordered_json json();           // once
  std::vector<std::string> notes() const;  // after json(): what is left out, but for chips

 private:
  struct Lane {
    std::size_t chip = 0;  // index of chips_
    std::string name;
    std::vector<DrawnStretch> stretches;
  };

  void add(std::size_t chip, std::string name, std::vector<DrawnStretch>);
  void add_chip(std::size_t chip);
  void add_links(std::size_t chip);
  Time fit();
  bool fits() const;
  std::vector<std::string> lane_names() const;
  nlohmann::ordered_json columns(const std::vector<std::string>& lane_names) const;

  const Fabric& fabric_;
  const RunResult& result_;
  const Activity& activity_;
  const LinkStretches& links_;
  std::vector<DrawnChip> chips_;
  std::vector<Lane> lanes_;
  std::size_t links_left_out_ = 0;
};

// In order of their numbers: all, or the first, the one that ends last, that communicates longest without computing,
// that the busiest link leaves, that the critical path spends the most time on, and others evenly among the rest. Of
// equals the lowest number; where all chips are equal, that says nothing and is left out.
std::vector<DrawnChip> drawn_chips(const Fabric&, const RunResult&, const Activity&, std::uint32_t most);

}  // namespace hopsim

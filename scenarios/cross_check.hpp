// One plan on both engines, step by step: how far they are apart, and how far they may be.
//
// What a step may differ by follows from the ways of its messages (link_meetings.hpp), not from its name. Where every
// message crosses one link, or meets no other after its first, both models say the same: 0.1 %, for rounding. Where
// messages meet on later links, SimGrid's share them side by side where the event engine's take turns: 10 %; or, for
// a kind that is named, up to what was found of it on small fabrics (tests/scenarios/engines_test.cpp).
// A step also begins on each chip when the steps before it end, so what messages that met may have put these apart
// by, up to the last barrier, is added; and what runs at once and meets may end as late as the longest of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/link_meetings.hpp"
#include "scenarios/plan.hpp"
#include "scenarios/simulate.hpp"

namespace hopsim {

constexpr double kSameModel = 1e-3;     // of a step's time: where the models say the same
constexpr double kMeetingModel = 0.10;  // where messages meet

// A reason for larger differences, known and understood.
struct DifferenceKind {
  std::string_view name, why;
  double most;  // of a step's time
};

enum class Verdict : std::uint8_t { agrees, explained, disagrees };

struct CrossStep {
  Contact contact = Contact::none;
  const DifferenceKind* kind = nullptr;  // of the differences its messages may come to; null: of none
  Time event, simgrid;
  double allowed_s = 0;    // by how much they may differ
  double explained_s = 0;  // and for its kind's reason, or as another step goes first
  bool beside = false;     // its messages meet those of a step that runs at once

  double difference() const;  // of SimGrid's time, as a share of the event engine's; 0 where both are 0
  Verdict verdict() const;
};

struct CrossCheck {
  std::vector<CrossStep> steps;  // one a step of the plan
  CrossStep whole;               // makespans

  bool agrees() const;  // or is explained
};

// `simgrid`: how to run there. `ran`: the run that was asked for; if it was SimGrid's it is not done again. Takes the
// time of SimGrid's run: the event engine's, unfolded, is short beside it. Throws what simulate() throws. REQUIRES:
// no limits.
CrossCheck cross_check(const MachineModel&, const Plan&, const RunOptions& simgrid, const RunResult& ran);

}  // namespace hopsim

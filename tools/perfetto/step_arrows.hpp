// Flow arrows between the steps of a program: on every chip, from a step to those that waited for it there. A step a
// chip takes no part in is passed over: what came before it leads to what comes after it.
//
// Arrows that follow one another share a flow id, as far as they form one line: that is half the ids.
// Memory: an id for each arrow that has begun and not ended. Time: some ns an arrow, more where many steps are passed
// over or wait for many.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/fabric.hpp"

namespace hopsim::perfetto {

class StepArrows {
 public:
  using TakesPart = std::function<bool(const Coordinates&)>;  // empty: all chips
  struct Step {
    std::vector<std::uint32_t> after;
    TakesPart takes_part;
  };
  StepArrows(std::vector<Step>, const Fabric&);  // which outlives it

  // Flow ids of a step that is being written; no message has such. On a chip steps come in an order in which each is
  // behind those it waited for.
  struct Ends {
    std::uint64_t arrows = 0;                // that end here
    std::vector<std::uint64_t> last, flows;  // ids that end here; that begin here or go on
  };
  // `leads_on`: what comes after it may be written, too. Valid until the next call.
  const Ends& written(std::uint32_t task, ChipId, bool leads_on);

 private:
  struct Begun {
    std::uint32_t to = 0;
    std::uint64_t id = 0;
  };
  void end(std::vector<Begun>&, std::uint32_t task);
  const std::vector<std::uint32_t>& waiting(std::uint32_t task, const Coordinates& at);

  const Fabric& fabric_;
  std::vector<std::vector<std::uint32_t>> after_;  // by task: those that wait for it
  std::vector<TakesPart> takes_part_;
  std::vector<std::vector<Begun>> begun_;  // by chip
  std::uint64_t ids_ = 0;
  Ends ends_;
  std::vector<std::uint32_t> waiting_, passed_;
};

}  // namespace hopsim::perfetto

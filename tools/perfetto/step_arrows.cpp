#include "tools/perfetto/step_arrows.hpp"

#include <algorithm>
#include <utility>

namespace hopsim::perfetto {

namespace {

constexpr std::uint64_t kOfSteps = std::uint64_t{1} << 63;  // messages count from 0

void add(std::vector<std::uint32_t>& to, std::uint32_t task) {
  if (std::find(to.begin(), to.end(), task) == to.end()) to.push_back(task);
}

}  // namespace

StepArrows::StepArrows(std::vector<Step> steps, const Fabric& fabric)
    : fabric_(fabric), after_(steps.size()), begun_(fabric.chips()) {
  for (std::uint32_t task = 0; task < steps.size(); ++task) {
    for (const std::uint32_t before : steps[task].after) after_[before].push_back(task);
    takes_part_.push_back(std::move(steps[task].takes_part));
  }
}

const StepArrows::Ends& StepArrows::written(std::uint32_t task, ChipId chip, bool leads_on) {
  ends_.arrows = 0;
  ends_.last.clear();
  ends_.flows.clear();
  if (task >= after_.size() || index(chip) >= begun_.size()) return ends_;
  std::vector<Begun>& begun = begun_[index(chip)];
  end(begun, task);
  if (!leads_on) return ends_;
  for (const std::uint32_t next : waiting(task, fabric_.shape.at(chip))) {
    std::uint64_t id = kOfSteps | ids_;
    if (ends_.flows.empty() && !ends_.last.empty()) {
      id = ends_.last.back();
      ends_.last.pop_back();
    } else {
      ++ids_;
    }
    ends_.flows.push_back(id);
    begun.push_back({next, id});
  }
  return ends_;
}

void StepArrows::end(std::vector<Begun>& begun, std::uint32_t task) {
  for (const Begun& b : begun)
    if (b.to == task) ends_.last.push_back(b.id);
  ends_.arrows = ends_.last.size();
  if (ends_.arrows > 0) std::erase_if(begun, [&](const Begun& b) { return b.to == task; });
}

const std::vector<std::uint32_t>& StepArrows::waiting(std::uint32_t task, const Coordinates& at) {
  waiting_.clear();
  passed_.assign(1, task);
  for (std::size_t i = 0; i < passed_.size(); ++i)
    for (const std::uint32_t next : after_[passed_[i]])
      add(!takes_part_[next] || takes_part_[next](at) ? waiting_ : passed_, next);
  return waiting_;
}

}  // namespace hopsim::perfetto

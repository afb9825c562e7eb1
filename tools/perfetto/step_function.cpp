#include "tools/perfetto/step_function.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hopsim::perfetto {

namespace {

constexpr int kRecent = 8;  // changes among which the place of a new one is looked for first

}  // namespace

void StepFunction::change(std::uint64_t time, double by) {
  if (by == 0) return;
  if (changes_.size() + 2 > 2 * capacity_) make_room();
  const std::uint64_t at = time >> level_;
  const std::uint64_t beyond = time - (at << level_);
  if (beyond == 0) return put(at, by);
  const double later = by * (static_cast<double>(beyond) / static_cast<double>(stretch()));
  put(at, by - later);
  put(at + 1, later);
}

void StepFunction::add(const StepFunction& other) {
  while (level_ < other.level_) coarsen();
  for (const Change& c : other.changes_) change(c.at << other.level_, c.by);
}

void StepFunction::put(std::uint64_t at, double by) {
  auto place = changes_.end();
  for (int i = 0; i < kRecent && place != changes_.begin() && std::prev(place)->at >= at; ++i) --place;
  if (place != changes_.begin() && std::prev(place)->at >= at)
    place = std::lower_bound(changes_.begin(), place, at, [](const Change& c, std::uint64_t t) { return c.at < t; });
  if (place != changes_.end() && place->at == at)
    place->by += by;
  else
    changes_.insert(place, {at, by});
}

void StepFunction::make_room() {
  std::erase_if(changes_, [](const Change& c) { return c.by == 0; });
  while (changes_.size() > capacity_) coarsen();
}

void StepFunction::coarsen() {
  std::vector<Change> coarser;
  coarser.reserve(changes_.size());
  const auto append = [&](std::uint64_t at, double by) {
    if (coarser.empty() || coarser.back().at != at) coarser.push_back({at, 0});
    coarser.back().by += by;
  };
  for (const Change& c : changes_) {
    append(c.at / 2, c.at % 2 == 0 ? c.by : c.by / 2);
    if (c.at % 2 != 0) append(c.at / 2 + 1, c.by / 2);
  }
  changes_ = std::move(coarser);
  ++level_;
}

}  // namespace hopsim::perfetto

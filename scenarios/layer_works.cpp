#include "scenarios/layer_works.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "scenarios/step_options.hpp"

namespace hopsim {
namespace {

std::string key_of(const LayerStep& first, const LayerStep& second) { return line(first) + "; " + line(second); }

// Of two steps that follow one another.
std::optional<OverlappedPair> pair_of(const LayerStep& first, const LayerStep& second) {
  if (first.layer != second.layer || first.pass != second.pass || first.behind || second.behind) return std::nullopt;
  const bool gathers = std::holds_alternative<ResolvedCollective>(first.work);
  const auto* collective = std::get_if<ResolvedCollective>(gathers ? &first.work : &second.work);
  const auto* product = std::get_if<LocalProduct>(gathers ? &second.work : &first.work);
  if (collective == nullptr || product == nullptr) return std::nullopt;
  OverlappedPair pair{*product, *collective};
  if (pair.gathers() != gathers || !can_overlap(pair)) return std::nullopt;
  return pair;
}

void sort_and_join(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

LayerWorks::LayerWorks(const StepPlanner& planner, const StepOptions& options)
    : planner_(planner), alone_(collective_options(options)), paired_(alone_), matmuls_(planner) {
  if (overlap_of(options) != Overlap::none) alone_.chunks.reset();
}

LayerWorks::Pairs LayerWorks::pairs(const Layer& layer) {
  Pairs all;
  for (std::size_t i = 0; i + 1 < layer.steps.size(); ++i)
    if (pair_of(layer.steps[i], layer.steps[i + 1])) all.insert(key_of(layer.steps[i], layer.steps[i + 1]));
  return all;
}

LayerWorks::Pairs LayerWorks::faster_pairs(const Layer& layer) {
  Pairs chosen;
  Time least = matmuls_.time(works(layer, chosen));
  bool any = false;
  std::exception_ptr obstacle;
  for (const std::string& pair : pairs(layer)) try {
      Pairs more = chosen;
      more.insert(pair);
      const Time taken = matmuls_.time(works(layer, more));
      any = true;
      if (taken >= least) continue;
      least = taken;
      chosen = std::move(more);
    } catch (const InputError&) {
      obstacle = std::current_exception();  // the algorithm or the chunks are not for this pair
    }
  if (obstacle && !any && paired_.chunks) std::rethrow_exception(obstacle);
  return chosen;
}

std::vector<PlannedWork> LayerWorks::works(const Layer& layer, const Pairs& overlapped) {
  std::vector<PlannedWork> works;
  Ends ends;
  const std::vector<LayerStep>& steps = layer.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i + 1 < steps.size() && overlapped.contains(key_of(steps[i], steps[i + 1]))) {
      add_pair(steps, i++, works, ends);
      continue;
    }
    std::vector<std::uint32_t> after;
    for (const std::uint32_t a : steps[i].after) after.insert(after.end(), ends[a].begin(), ends[a].end());
    sort_and_join(after);
    if (auto work = work_of(steps[i], layer.spec)) {
      work->after = std::move(after);
      ends.push_back({static_cast<std::uint32_t>(works.size())});
      works.push_back(std::move(*work));
    } else {
      ends.push_back(std::move(after));
    }
  }
  return works;
}

void LayerWorks::add_pair(const std::vector<LayerStep>& steps, std::size_t first, std::vector<PlannedWork>& works,
                          Ends& ends) {
  std::vector<std::uint32_t> before;
  for (const std::size_t step : {first, first + 1})
    for (const std::uint32_t a : steps[step].after)
      if (a < first) before.insert(before.end(), ends[a].begin(), ends[a].end());
  sort_and_join(before);
  const auto begin = static_cast<std::uint32_t>(works.size());
  const OverlappedPair pair = *pair_of(steps[first], steps[first + 1]);
  for (PlannedWork work : overlapped(pair, key_of(steps[first], steps[first + 1]))) {
    for (std::uint32_t& a : work.after) a += begin;
    if (work.after.empty()) work.after = before;
    if (steps[first].again) work.step.seconds_at_peak = 0;
    works.push_back(std::move(work));
  }
  const auto last = static_cast<std::uint32_t>(works.size() - 1);
  // In chunks, products and sums take turns, a sum last.
  ends.push_back({last > begin ? last - 1 : last});
  ends.push_back({last});
}

const std::vector<PlannedWork>& LayerWorks::overlapped(const OverlappedPair& pair, const std::string& key) {
  auto known = overlapped_.find(key);
  if (known == overlapped_.end()) known = overlapped_.emplace(key, matmuls_.overlapped(pair, paired_)).first;
  return known->second;
}

std::optional<PlannedWork> LayerWorks::work_of(const LayerStep& step, const LayerSpec& spec) {
  PlannedWork work;
  if (const auto* c = std::get_if<ResolvedCollective>(&step.work)) {
    if (!moves_data(*c)) return std::nullopt;
    work = collective(*c);
  } else if (const auto* e = std::get_if<LayerElementwise>(&step.work)) {
    if (e->bytes == Bytes{}) return std::nullopt;
    work = elementwise(*e, spec.dtype);
  } else {
    auto task = planner_.product(std::get<LocalProduct>(step.work));
    work = {std::move(task.step), std::move(task.task)};
    if (step.again) work.step.seconds_at_peak = 0;
  }
  work.step.text = line(step);
  return work;
}

PlannedWork LayerWorks::collective(const ResolvedCollective& r) {
  const auto key = std::make_tuple(r.kind, r.axes, r.bytes);
  auto known = collectives_.find(key);
  if (known == collectives_.end()) {
    auto planned = planner_.collective(r, planned_options(alone_, planner_.request(r)));
    known = collectives_.emplace(key, std::move(planned)).first;
  }
  PlannedWork work{known->second.step, known->second.task};
  work.step.local_shape = layout(r.output, {}, planner_.machine().mesh).local_shape;
  work.step.output = sharding_text(r.output);
  return work;
}

PlannedWork LayerWorks::elementwise(const LayerElementwise& e, DType dtype) const {
  auto task = planner_.compute(Flops{}, planner_.compute_cost(Flops{}, e.bytes, dtype), dtype);
  task.step.kind = "elementwise";
  task.step.local_shape = layout(e.output, {}, planner_.machine().mesh, dtype).local_shape;
  task.step.output = sharding_text(e.output);
  return {std::move(task.step), std::move(task.task)};
}

}  // namespace hopsim

#include "scenarios/product_plan.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/strategy_costs.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

bool of_kind(const Strategy& s, PlanKind kind) {
  switch (kind) {
    case PlanKind::gather:
      return s.plain && !s.partial && s.as_asked;
    case PlanKind::partial:
      return s.plain && s.partial && s.as_asked;
    case PlanKind::automatic:
      break;
  }
  return true;
}

// Operands are gathered, not the output.
bool ends_with_product(const Strategy& s) {
  return s.steps.empty() || std::holds_alternative<LocalProduct>(s.steps.back());
}

bool as_asked(const CostedStrategy& s) { return s.strategy.as_asked; }

std::optional<Bytes> memory_of(const MachineModel& machine, const PlanOptions& options) {
  if (options.memory) return options.memory;
  const Bytes capacity = machine.chip.hbm_capacity.value;
  return capacity == Bytes{} ? std::nullopt : std::optional(capacity);
}

class Chooser {
 public:
  Chooser(const PlanOptions& options, std::optional<Bytes> memory, StrategyCosts& costs)
      : options_(options), memory_(memory), costs_(costs) {}

  StrategyPlan choose(Strategies all) {
    plan_.considered = all.considered;
    std::erase_if(all.list, [&](const Strategy& s) { return !of_kind(s, options_.kind); });
    if (options_.kind == PlanKind::gather && std::any_of(all.list.begin(), all.list.end(), ends_with_product))
      std::erase_if(all.list, [](const Strategy& s) { return !ends_with_product(s); });
    if (all.list.empty())
      throw InputError(options_.kind == PlanKind::gather ? "no way gathers operands only, without partial sums"
                                                         : "no way leaves partial sums",
                       {}, options_.kind == PlanKind::gather ? "plan: auto, partial" : "plan: auto, gather");
    for (const Strategy& s : all.list)
      if (s.estimate < StrategyCosts::kImpossible) add(s);
    if (std::none_of(plan_.strategies.begin(), plan_.strategies.end(), as_asked))
      costs_.by_formula(*std::max_element(all.list.begin(), all.list.end(), [](const auto& a, const auto& b) {
        return a.as_asked < b.as_asked;
      }));  // throws what stands in the way
    std::stable_sort(plan_.strategies.begin(), plan_.strategies.end(), before);
    pick();
    return std::move(plan_);
  }

 private:
  // What cannot beat the best so far is listed only if it is one of the book's ways.
  void add(const Strategy& s) {
    if (!options_.free_operands && !seen_.insert(signature(s)).second && !s.plain) return;
    if (!s.plain && best_ <= costs_.lower_bound(s)) return;
    CostedStrategy costed = costs_.by_formula(s);
    costs_.simulate(costed);
    costed.fits = !memory_ || s.bytes_per_chip <= *memory_;
    if (costed.fits && s.as_asked) best_ = std::min(best_, costed.time);
    plan_.strategies.push_back(std::move(costed));
  }

  // What cannot matter is which dimension or which way round: the same moves, of as many bytes over the same axes,
  // with the same work and memory.
  using Signature = std::tuple<bool, std::uint64_t, std::vector<std::tuple<int, std::vector<std::string>, double>>>;
  static Signature signature(const Strategy& s) {
    Signature signature{s.as_asked, s.bytes_per_chip.count(), {}};
    for (const StrategyStep& step : s.steps) {
      if (const auto* p = std::get_if<LocalProduct>(&step)) {
        std::get<2>(signature).emplace_back(-1, std::vector<std::string>{}, p->flops.value());
        continue;
      }
      const auto& c = std::get<ResolvedCollective>(step);
      std::vector<std::string> axes = c.axes;
      std::sort(axes.begin(), axes.end());
      if (moves_data(c))
        std::get<2>(signature).emplace_back(static_cast<int>(c.kind), std::move(axes),
                                            static_cast<double>(c.bytes.count()));
    }
    return signature;
  }

  static bool before(const CostedStrategy& x, const CostedStrategy& y) {
    const auto key = [](const CostedStrategy& s) {
      return std::tuple(!s.strategy.as_asked, s.time, s.strategy.steps.size(), !s.strategy.plain);
    };
    return key(x) < key(y);
  }

  void pick() {
    const auto& list = plan_.strategies;
    const auto good = [](const CostedStrategy& s) { return s.fits && s.strategy.as_asked; };
    const auto found = std::find_if(list.begin(), list.end(), good);
    plan_.chosen_fits = found != list.end();
    if (plan_.chosen_fits) {
      plan_.chosen = static_cast<std::size_t>(found - list.begin());
    } else if (options_.must_fit) {
      const auto least = std::min_element(list.begin(), list.end(), [](const auto& x, const auto& y) {
        return std::pair(!x.strategy.as_asked, x.strategy.bytes_per_chip) <
               std::pair(!y.strategy.as_asked, y.strategy.bytes_per_chip);
      });
      throw InputError(
          "no way of doing it fits a chip's memory", format_bytes(*memory_),
          "at least " + format_bytes(least->strategy.bytes_per_chip) + " (" + least->strategy.name + ")");
    }
  }

  const PlanOptions& options_;
  const std::optional<Bytes> memory_;
  StrategyCosts& costs_;
  Time best_ = Time::max();
  std::set<Signature> seen_;
  StrategyPlan plan_;
};

}  // namespace

StrategyPlan plan_product(const MachineModel& machine, const Product& product, const PlanOptions& options) {
  StrategyCosts costs(machine, options.collectives);
  const std::optional<Bytes> memory = memory_of(machine, options);
  const auto strategies = options.free_operands ? layout_strategies : product_strategies;
  return Chooser(options, memory, costs).choose(strategies(product, machine.mesh, costs, {.memory = memory}));
}

StrategyPlan plan_resharding(const MachineModel& machine, const ArrayRef& from, const ArrayRef& to,
                             const PlanOptions& options) {
  StrategyCosts costs(machine, options.collectives);
  PlanOptions any = options;
  any.kind = PlanKind::automatic;
  return Chooser(any, memory_of(machine, options), costs)
      .choose(resharding_strategies(from, to, machine.mesh, costs));
}

}  // namespace hopsim

#include "sharding/planner.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "sharding/block_product.hpp"
#include "sharding/sharding_graph.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

using Axes = Sharding::Axes;

// Those with more than one chip, and any that the arrays use.
Axes useful_axes(const Mesh& mesh, const std::vector<const ArrayRef*>& arrays) {
  Axes axes;
  for (std::size_t a = 0; a < mesh.axes().size(); ++a) {
    const std::string& name = mesh.axes()[a].first;
    const auto uses = [&](const ArrayRef* array) {
      const auto on = [&](const Dimension& d) { return std::count(d.axes.begin(), d.axes.end(), name) > 0; };
      return std::any_of(array->dimensions.begin(), array->dimensions.end(), on) ||
             std::count(array->unreduced.begin(), array->unreduced.end(), name) > 0;
    };
    if (mesh.axes()[a].second > 1 || std::any_of(arrays.begin(), arrays.end(), uses))
      axes.push_back(static_cast<std::uint8_t>(a));
  }
  return axes;
}

class ProductPlanner {
 public:
  ProductPlanner(const Product& product, const Mesh& mesh, const StepCosts& costs, const Shortlist& shortlist)
      : product_(product),
        mesh_(mesh),
        costs_(costs),
        shortlist_(shortlist),
        axes_(useful_axes(mesh, {&product.lhs, &product.rhs, &product.output})),
        lhs_(product.lhs, axes_, false, mesh, costs),
        rhs_(product.rhs, axes_, false, mesh, costs),
        output_(with_sharding(product.output, closed(product.output), mesh), axes_, true, mesh, costs),
        multiplication_(product, mesh),
        targets_(targets()),
        quick_end_(output_.to(targets_, Preference::time)),
        plain_end_(output_.to(targets_, Preference::moves)) {}

  Strategies from_operands() {
    const std::size_t a = lhs_.index(sharding_of(product_.lhs, mesh_)),
                      b = rhs_.index(sharding_of(product_.rhs, mesh_));
    const auto quick_a = lhs_.from(a, Preference::time), quick_b = rhs_.from(b, Preference::time);
    const auto plain_a = lhs_.from(a, Preference::moves), plain_b = rhs_.from(b, Preference::moves);
    each_pair([&](std::size_t l, std::size_t r, std::size_t out) {
      consider(Ways{&quick_a, &quick_b, &quick_end_}, l, r, out, false);
      const auto& lhs = lhs_.shardings();
      const auto& rhs = rhs_.shardings();
      if (multiplication_.plain(lhs[a], lhs[l], rhs[b], true) && multiplication_.plain(rhs[b], rhs[r], lhs[a], false))
        consider(Ways{&plain_a, &plain_b, &plain_end_}, l, r, out, true);
    });
    return shortlisted();
  }

  // Which of a dimension's axes is the outer one changes no cost, so one order of each is enough.
  Strategies from_anywhere() {
    each_pair([&](std::size_t l, std::size_t r, std::size_t out) {
      if (in_order(product_.lhs, lhs_.shardings()[l]) && in_order(product_.rhs, rhs_.shardings()[r]))
        consider(Ways{nullptr, nullptr, &quick_end_}, l, r, out, false);
    });
    return shortlisted();
  }

 private:
  struct Ways {  // to the operands' shardings, from the output's; none: it is so already
    const ShardingGraph::Ways *lhs, *rhs, *output;
  };
  struct Candidate {
    Ways ways;
    std::size_t lhs, rhs, output;
    bool plain;
    Time estimate;
    std::uint32_t moves;
  };

  Sharding closed(const ArrayRef& a) const {
    ArrayRef whole = a;
    for (Dimension& d : whole.dimensions) d.open = false;
    return sharding_of(whole, mesh_);
  }

  // Of each dimension that of the mesh, or that of the wanted output.
  bool in_order(const ArrayRef& operand, const Sharding& s) const {
    for (std::size_t d = 0; d < s.dimensions.size(); ++d) {
      if (std::is_sorted(s.dimensions[d].begin(), s.dimensions[d].end())) continue;
      const ArrayRef now = with_sharding(operand, s, mesh_);
      const auto wanted = [&](const Dimension& out) {
        return out.name == now.dimensions[d].name && out.axes == now.dimensions[d].axes;
      };
      if (std::none_of(product_.output.dimensions.begin(), product_.output.dimensions.end(), wanted)) return false;
    }
    return true;
  }

  // The output as wanted: any sharding of its open dimensions.
  std::vector<std::size_t> targets() const {
    const Sharding wanted = closed(product_.output);
    std::vector<std::size_t> targets;
    for (std::size_t i = 0; i < output_.shardings().size(); ++i) {
      const Sharding& s = output_.shardings()[i];
      bool fits = s.unreduced == wanted.unreduced;
      for (std::size_t d = 0; d < s.dimensions.size(); ++d)
        fits = fits && (product_.output.dimensions[d].open || s.dimensions[d] == wanted.dimensions[d]);
      if (fits) targets.push_back(i);
    }
    return targets;
  }

  void each_pair(const std::function<void(std::size_t, std::size_t, std::size_t)>& take) const {
    for (std::size_t l = 0; l < lhs_.shardings().size(); ++l)
      for (std::size_t r = 0; r < rhs_.shardings().size(); ++r)
        if (const auto out = multiplication_.output(lhs_.shardings()[l], rhs_.shardings()[r]))
          take(l, r, output_.index(*out));
  }

  void consider(const Ways& ways, std::size_t l, std::size_t r, std::size_t out, bool plain) {
    Candidate c{
        ways, l, r, out, plain, costs_.product(multiplication_.work(lhs_.shardings()[l], rhs_.shardings()[r])), 0};
    const std::pair<const ShardingGraph::Ways*, std::size_t> parts[] = {
        {ways.lhs, l}, {ways.rhs, r}, {ways.output, out}};
    for (const auto& [way, sharding] : parts) {
      if (way == nullptr) continue;
      if (!way->cost(sharding).reachable) return;
      c.estimate = later(c.estimate, way->cost(sharding).time);
      c.moves += way->cost(sharding).moves;
    }
    candidates_.push_back(c);
  }

  LocalProduct product_of(std::size_t l, std::size_t r, std::size_t out) const {
    LocalProduct p = multiplication_.work(lhs_.shardings()[l], rhs_.shardings()[r]);
    p.lhs = with_sharding(product_.lhs, lhs_.shardings()[l], mesh_);
    p.rhs = with_sharding(product_.rhs, rhs_.shardings()[r], mesh_);
    p.output = with_sharding(product_.output, output_.shardings()[out], mesh_);
    return p;
  }

  Strategy strategy(const Candidate& c) const {
    Strategy s;
    const auto append = [&](const ShardingGraph::Ways* ways, std::size_t sharding) {
      if (ways == nullptr) return;
      for (StrategyStep& step : ways->steps(sharding)) s.steps.push_back(std::move(step));
    };
    append(c.ways.lhs, c.lhs);
    append(c.ways.rhs, c.rhs);
    s.steps.emplace_back(product_of(c.lhs, c.rhs, c.output));
    s.output = std::get<LocalProduct>(s.steps.back()).output;
    s.partial = !s.output.unreduced.empty();
    append(c.ways.output, c.output);
    s.plain = c.plain;
    s.estimate = c.estimate;
    complete(s, c);
    return s;
  }

  void complete(Strategy& s, const Candidate& c) const {
    if (const auto* last = std::get_if<ResolvedCollective>(&s.steps.back())) s.output = last->output;
    s.name = name_of(s);
    ArrayRef lhs = product_.lhs, rhs = product_.rhs;
    if (c.ways.lhs == nullptr) {
      lhs = with_sharding(lhs, lhs_.shardings()[c.lhs], mesh_);
      rhs = with_sharding(rhs, rhs_.shardings()[c.rhs], mesh_);
      s.name = sharding_text(lhs) + " * " + sharding_text(rhs) + (s.steps.size() > 1 ? ", " + s.name : "");
    }
    s.bytes_per_chip = held_bytes(s, {lhs, rhs}, mesh_);
  }

  // A plain strategy that adds up partial sums, ended otherwise: by `kind` over all of them.
  void add_otherwise(const Candidate& c, CollectiveKind kind, std::optional<std::size_t> dimension) {
    const Sharding& sums = output_.shardings()[c.output];
    Candidate open = c;
    open.ways.output = nullptr;
    Strategy s = strategy(open);
    const StrategyStep last = output_.step(sums, kind, sums.unreduced, dimension);
    const auto& collective = std::get<ResolvedCollective>(last);
    s.estimate = costs_.product(std::get<LocalProduct>(s.steps.back()));
    for (const auto& [way, sharding] : {std::pair{c.ways.lhs, c.lhs}, std::pair{c.ways.rhs, c.rhs}})
      s.estimate = later(s.estimate, way->cost(sharding).time);
    if (collective.group > 1) s.estimate = later(s.estimate, costs_.collective(collective));
    s.steps.push_back(last);
    const std::size_t end = output_.index(sharding_of(collective.output, mesh_));
    s.as_asked = std::find(targets_.begin(), targets_.end(), end) != targets_.end();
    complete(s, c);
    add(std::move(s));
  }

  void add_plain(const Candidate& c) {
    add(strategy(c));
    const Sharding& sums = output_.shardings()[c.output];
    if (sums.unreduced.empty() || !closed(product_.output).unreduced.empty()) return;
    if (product_.output.open()) add_otherwise(c, CollectiveKind::all_reduce, std::nullopt);
    for (std::size_t d = 0; d < sums.dimensions.size(); ++d)
      if (output_.has_move(sums, CollectiveKind::reduce_scatter, sums.unreduced, d))
        add_otherwise(c, CollectiveKind::reduce_scatter, d);
  }

  void add(Strategy s) {
    if (seen_.insert(lines_of(s)).second) result_.list.push_back(std::move(s));
  }

  Strategies shortlisted() {
    const auto better = [](const Candidate& x, const Candidate& y) {
      return std::tuple(x.estimate, x.moves, !x.plain) < std::tuple(y.estimate, y.moves, !y.plain);
    };
    std::stable_sort(candidates_.begin(), candidates_.end(), better);
    result_.considered = candidates_.size();
    std::size_t listed = 0, fitting = 0;
    for (const Candidate& c : candidates_) {
      if (c.plain) {
        add_plain(c);
      } else if (listed < shortlist_.most) {
        add(strategy(c));
        ++listed;
        if (shortlist_.memory && result_.list.back().bytes_per_chip <= *shortlist_.memory) ++fitting;
      } else if (shortlist_.memory && fitting < shortlist_.most) {
        Strategy s = strategy(c);
        if (s.bytes_per_chip > *shortlist_.memory) continue;
        add(std::move(s));
        ++fitting;
      }
    }
    std::stable_sort(result_.list.begin(), result_.list.end(), [](const Strategy& x, const Strategy& y) {
      return std::pair(x.estimate, x.steps.size()) < std::pair(y.estimate, y.steps.size());
    });
    return std::move(result_);
  }

  const Product& product_;
  const Mesh& mesh_;
  const StepCosts& costs_;
  const Shortlist shortlist_;
  const Axes axes_;
  const ShardingGraph lhs_, rhs_, output_;
  const BlockProduct multiplication_;
  const std::vector<std::size_t> targets_;
  const ShardingGraph::Ways quick_end_, plain_end_;
  std::vector<Candidate> candidates_;
  std::set<std::string> seen_;
  Strategies result_;
};

}  // namespace

Strategies product_strategies(const Product& p, const Mesh& mesh, const StepCosts& costs,
                              const Shortlist& shortlist) {
  return ProductPlanner(p, mesh, costs, shortlist).from_operands();
}

Strategies layout_strategies(const Product& p, const Mesh& mesh, const StepCosts& costs, const Shortlist& shortlist) {
  return ProductPlanner(p, mesh, costs, shortlist).from_anywhere();
}

Strategies resharding_strategies(const ArrayRef& from, const ArrayRef& to, const Mesh& mesh, const StepCosts& costs) {
  const ShardingGraph graph(from, useful_axes(mesh, {&from, &to}), !from.unreduced.empty(), mesh, costs);
  const Sharding end = sharding_of(to, mesh);
  const auto had = [&](const std::string& axis) {
    return std::find(from.unreduced.begin(), from.unreduced.end(), axis) != from.unreduced.end();
  };
  if (!std::all_of(to.unreduced.begin(), to.unreduced.end(), had))
    throw InputError("partial sums cannot be made of a whole array", sharding_text(to), sharding_text(from));
  const std::size_t a = graph.index(sharding_of(from, mesh)), b = graph.index(end);
  Strategies result;
  std::set<std::string> seen;
  for (const Preference p : {Preference::time, Preference::moves}) {
    const auto ways = graph.from(a, p);
    Strategy s;
    s.steps = ways.steps(b);
    s.estimate = ways.cost(b).time;
    s.output = to;
    s.plain = p == Preference::moves;
    s.name = name_of(s);
    s.bytes_per_chip = held_bytes(s, {from}, mesh);
    ++result.considered;
    if (!ways.cost(b).reachable) continue;
    if (seen.insert(lines_of(s)).second)
      result.list.push_back(std::move(s));
    else
      result.list.front().plain = true;
  }
  if (result.list.empty())
    throw InputError("no steps lead from one sharding to the other", sharding_text(from), sharding_text(to));
  return result;
}

}  // namespace hopsim

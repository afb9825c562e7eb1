#include "scenarios/explain_json.hpp"

#include <algorithm>

#include "scenarios/result_json.hpp"
#include "sim/version.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

Json seconds(bool known, Time t) { return known ? Json(t.seconds()) : Json(nullptr); }

Json threshold_json(const Threshold& t) {
  Json j{{"variable", t.variable.empty() ? Json(nullptr) : Json(t.variable)}};
  if (t.above) j["above"] = *t.above;
  if (t.below) j["below"] = *t.below;
  if (!t.has_value()) j["always"] = t.always;
  return j;
}

// Without `above`, `below` and `always`: more must be known.
Json bound_json(const std::optional<ComputeBound>& bound) {
  if (!bound) return nullptr;
  Json j = bound->main ? threshold_json(*bound->main) : Json{{"variable", nullptr}};
  j["against"] = bound->against_memory ? "hbm" : "communication";
  j["condition"] = bound->condition;
  return j;
}

Json thresholds_json(const std::optional<ComputeBound>& bound) {
  Json list = Json::array();
  if (bound)
    for (const Threshold& t : bound->all) list.push_back(threshold_json(t));
  return list;
}

Json communication_json(const CommunicationNote& c, bool sized) {
  return {{"step", line(StrategyStep(c.step))},
          {"kind", name(c.step.kind)},
          {"axes", c.step.axes},
          {"array_bytes", sized ? Json(c.step.bytes.count()) : Json(nullptr)},
          {"wire_bytes", sized ? Json(c.wire_bytes) : Json(nullptr)},
          {"book_s", c.book_seconds ? Json(*c.book_seconds) : Json(nullptr)},
          {"array_formula", c.array_bytes},
          {"formula", c.wire_cost},
          {"algorithm", c.algorithm.empty() ? Json(nullptr) : Json(c.algorithm)},
          {"schedule", c.schedule.empty() ? Json(nullptr) : Json(c.schedule)},
          {"closed_form_s", c.closed_form ? Json(c.closed_form->seconds()) : Json(nullptr)}};
}

Json strategy_json(const ExplainedStrategy& s, const Explanation& e) {
  const CostedStrategy& c = s.costed;
  const bool timed = e.timed();
  Json steps = Json::array(), communication = Json::array();
  for (const StrategyStep& step : c.strategy.steps) steps.push_back(line(step));
  if (e.kind == ExplainedKind::elementwise) steps.push_back(e.line);
  for (const CommunicationNote& note : s.communication) communication.push_back(communication_json(note, e.sized()));
  return {{"name", c.strategy.name},
          {"steps", steps},
          {"comm_s", seconds(timed, c.comm)},
          {"math_s", seconds(timed, c.math)},
          {"bound_s", seconds(timed, c.bound())},
          {"time_s", seconds(timed, c.time)},
          {"bytes_per_chip", e.sized() ? Json(c.strategy.bytes_per_chip.count()) : Json(nullptr)},
          {"output", sharding_text(c.strategy.output)},
          {"closed_form_s", seconds(timed, c.closed_form)},
          {"lower_bound_s", s.lower_bound ? Json(s.lower_bound->seconds()) : Json(nullptr)},
          {"flops_s", seconds(timed, c.flops)},
          {"hbm_s", seconds(timed, c.hbm)},
          {"fits", timed ? Json(c.fits) : Json(nullptr)},
          {"as_asked", c.strategy.as_asked},
          {"communication", communication},
          {"compute_bound_when", bound_json(s.compute_bound)},
          {"thresholds", thresholds_json(s.compute_bound)}};
}

Json array_json(const ExplainedArray& a) {
  Json j{{"name", a.array.name},
         {"sharding", a.sharding},
         {"partition_spec", a.partition_spec.empty() ? Json(nullptr) : Json(a.partition_spec)},
         {"dtype", name(a.array.dtype.value_or(DType::bf16))},
         {"local_shape", nullptr},
         {"bytes_per_chip", nullptr},
         {"total_bytes", nullptr},
         {"copies", a.copies ? Json(*a.copies) : Json(nullptr)},
         {"padded", nullptr},
         {"local_shape_formula", a.local_shape},
         {"bytes_formula", a.bytes}};
  if (!a.layout) return j;
  j["local_shape"] = a.layout->local_shape;
  j["bytes_per_chip"] = a.layout->bytes_per_chip.count();
  j["total_bytes"] = a.layout->total_bytes.count();
  j["padded"] = a.layout->padded;
  return j;
}

// Of each array its first sharding, but of the output its last.
Json local_shapes_json(const Explanation& e) {
  Json shapes = Json::object();
  for (const ExplainedArray& a : e.arrays) {
    const std::string& name = a.array.name;
    if (shapes.contains(name) && a.sharding != e.output) continue;
    shapes[name] = a.layout ? Json(a.layout->local_shape) : Json(nullptr);
  }
  return shapes;
}

Json shards_json(const Explanation& e) {
  if (!e.only || !e.sized()) return nullptr;
  Json list = Json::array();
  for (const HeldShard& shard : shards_of(*e.only, e.mesh, kMaxListedShards)) {
    Json at = Json::object(), ranges = Json::array();
    for (std::size_t a = 0; a < shard.at.size(); ++a) at[e.mesh.axes()[a].first] = shard.at[a];
    for (const IndexRange& r : shard.ranges) ranges.push_back({r.begin, r.end});
    list.push_back({{"at", at}, {"ranges", ranges}});
  }
  return list;
}

Json duality_json(const Explanation& e) {
  Json list = Json::array();
  for (const DualityNote& note : e.duality) list.push_back({{"forward", note.forward}, {"backward", note.backward}});
  return list;
}

Json answer_json(const Explanation& e) {
  Json j{{"kind", name(e.kind)}, {"expression", e.line}, {"missing_sizes", e.missing_sizes}};
  j["case"] = e.product_case ? Json(e.product_case->number) : Json(nullptr);
  j["legal"] = !e.product_case || e.product_case->legal;
  j["reasons"] = e.product_case ? Json(e.product_case->reasons) : Json::array();
  j["local_product"] = e.local_product.empty() ? Json(nullptr) : Json(e.local_product);
  j["strategies"] = Json::array();
  for (const ExplainedStrategy& s : e.strategies) j["strategies"].push_back(strategy_json(s, e));
  j["chosen"] = e.chosen ? Json(e.strategies[*e.chosen].costed.strategy.name) : Json(nullptr);
  j["considered"] = e.considered;
  j["output"] = e.output.empty() ? Json(nullptr) : Json(e.output);
  j["local_shapes"] = local_shapes_json(e);
  j["arrays"] = Json::array();
  for (const ExplainedArray& a : e.arrays) j["arrays"].push_back(array_json(a));
  j["compute_bound_when"] = e.shown() != nullptr ? bound_json(e.shown()->compute_bound) : Json(nullptr);
  j["thresholds"] = e.shown() != nullptr ? thresholds_json(e.shown()->compute_bound) : Json::array();
  j["shards"] = shards_json(e);
  j["verified"] = e.verified;
  j["warnings"] = e.warnings;
  return j;
}

}  // namespace

std::vector<HeldShard> shards_of(const ArrayRef& array, const Mesh& mesh, std::uint64_t most) {
  std::vector<HeldShard> shards;
  const std::size_t axes = mesh.axes().size();
  for (std::uint64_t chip = 0; chip < std::min(most, mesh.chips()); ++chip) {
    HeldShard shard{.at = std::vector<std::uint32_t>(axes), .ranges = {}};
    std::uint64_t rest = chip;
    for (std::size_t a = axes; a-- > 0; rest /= mesh.axes()[a].second)
      shard.at[a] = static_cast<std::uint32_t>(rest % mesh.axes()[a].second);
    shard.ranges = index_ranges(array, {}, mesh, shard.at);
    shards.push_back(std::move(shard));
  }
  return shards;
}

Json to_json(const Explanation& e, const MachineModel* machine) {
  Json j{{"schema", "hopsim.explain/1"}, {"version", kVersion}};
  j["machine"] = machine != nullptr ? machine_json(*machine) : Json(nullptr);
  j.update(answer_json(e));
  j["backward"] = nullptr;
  if (!e.backward.empty()) j["backward"] = {{"lhs", answer_json(e.backward[0])}, {"rhs", answer_json(e.backward[1])}};
  j["duality"] = duality_json(e);
  return j;
}

}  // namespace hopsim

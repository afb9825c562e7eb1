#include "scenarios/result_json.hpp"

#include "sim/version.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json machine_json(const MachineModel& m) {
  Json dimensions = Json::array(), wrap = Json::array(), mesh = Json::object();
  for (int d = 0; d < m.shape.dimensions; ++d) {
    dimensions.push_back(m.shape.size[d]);
    wrap.push_back(m.shape.wrap[d] || m.shape.twisted(d));
  }
  for (const auto& [axis, size] : m.mesh.axes()) mesh[axis] = size;
  return {{"chip", m.name},
          {"chips", m.shape.logical_chips()},
          {"nodes", m.domains()},
          {"dimensions", dimensions},
          {"wrap", wrap},
          {"mesh", mesh},
          {"links", m.graph->links()}};
}

Json considered_json(const PlannedStep& step) {
  Json list = Json::array();
  for (const Cost& c : step.considered)
    list.push_back({{"algorithm", c.algorithm->name}, {"cost_s", c.time.seconds()}});
  return {{"by", step.tried ? "simulation" : "cost model"}, {"algorithms", list}};
}

namespace {

Json strategies_json(const PlannedStep& step) {
  Json list = Json::array();
  for (const ConsideredStrategy& s : step.strategies)
    list.push_back({{"name", s.name}, {"time_s", s.time.seconds()}, {"fits", s.fits}});
  return list;
}

Json quotient(Time time, Time by) { return by == Time{} ? Json(nullptr) : Json(time.seconds() / by.seconds()); }

// Of a step or the run, and how its time compares, once it is final.
void add_work(Json& j, const WorkTimes& w, Time time, bool final_time) {
  j["compute_s"] = w.compute.seconds();
  j["comm_s"] = w.comm.seconds();
  j["exposed_comm_s"] = w.exposed_comm.seconds();
  j["overlap"] = w.overlap();
  j["bound_s"] = w.bound().seconds();
  j["sum_s"] = w.sum().seconds();
  j["over_bound"] = final_time ? quotient(time, w.bound()) : Json(nullptr);
  j["over_sum"] = final_time ? quotient(time, w.sum()) : Json(nullptr);
}

Json path_json(const RunResult& r, const Fabric& fabric) {
  Json list = Json::array();
  for (const PathSegment& s : r.critical_path) {
    Json j{{"start_s", s.start.seconds()}, {"end_s", s.end.seconds()}, {"what", name_of(s.what)}};
    j["step"] = s.task;
    j["program"] = r.steps[s.task].step.line;
    j["chip"] = s.node;
    j["link"] = s.link == kNoLink ? Json(nullptr) : Json(fabric.link_name(s.link));
    j["held_by"] = s.held_by ? Json(*s.held_by) : Json(nullptr);
    list.push_back(std::move(j));
  }
  return list;
}

Json step_json(const StepResult& r, std::size_t index, bool partial) {
  Json j{{"index", index},
         {"program", r.step.line},
         {"text", r.step.text},
         {"kind", r.step.kind},
         {"axes", r.step.axes}};
  if (!r.step.piece.empty()) j["piece"] = r.step.piece;
  j["algorithm"] = r.step.algorithm;
  if (!r.step.considered.empty()) j["considered"] = considered_json(r.step);
  if (r.step.product_case) j["case"] = r.step.product_case;
  if (!r.step.strategy.empty()) j["strategy"] = r.step.strategy;
  if (!r.step.strategies.empty()) j["strategies"] = strategies_json(r.step);
  j["bytes"] = r.step.collective ? r.step.collective->bytes.count() : 0;
  if (partial) {
    j["started"] = r.started;
    j["finished"] = r.finished;
  }
  j["start_s"] = r.start.seconds();
  j["end_s"] = r.end.seconds();
  j["time_s"] = r.time().seconds();
  j["closed_form_s"] = r.step.closed_form.seconds();
  j["lower_bound_s"] = r.step.lower_bound.seconds();
  if (r.step.compute) {
    j["flops_s"] = r.step.compute->flops.seconds();
    j["hbm_s"] = r.step.compute->hbm.seconds();
  }
  j["algbw_Bps"] = r.finished ? Json(r.algbw) : Json(nullptr);
  j["busbw_Bps"] = r.finished ? Json(r.busbw) : Json(nullptr);
  j["messages"] = r.messages;
  j["hops"] = r.hops;
  if (r.step.collective) j["chunks"] = r.step.collective->chunks;
  j["local_shape"] = r.step.local_shape;
  j["output"] = r.step.output;
  add_work(j, r.work, r.time(), r.finished);
  j["mfu"] = r.mfu() ? Json(*r.mfu()) : Json(nullptr);
  return j;
}

Json memory_json(const RunResult& r) {
  Json arrays = Json::array();
  for (const HeldArray& a : r.arrays)
    arrays.push_back({{"name", a.name},
                      {"sharding", a.sharding},
                      {"local_shape", a.layout.local_shape},
                      {"bytes_per_chip", a.layout.bytes_per_chip.count()},
                      {"total_bytes", a.layout.total_bytes.count()},
                      {"copies", a.layout.copies}});
  return {{"peak_bytes_per_chip", r.peak_bytes_per_chip.count()}, {"arrays", arrays}};
}

Json links_json(const RunResult& r) {
  Json busiest = Json::array();
  for (const LinkUse& l : r.busiest) busiest.push_back({{"link", l.link}, {"utilization", l.utilization}});
  return {{"max_utilization", r.max_utilization},
          {"mean_utilization", r.mean_utilization},
          {"busiest", busiest},
          {"bytes_total", r.link_bytes.count()}};
}

Json expect_json(const ExpectResult& e) {
  Json j = Json::object();
  j["step"] = e.step ? Json(e.step) : Json(nullptr);
  j["what"] = e.what;
  const auto if_evaluated = [&e](auto value) { return e.evaluated ? Json(value) : Json(nullptr); };
  if (!e.evaluated) j["evaluated"] = false;
  j["value"] = if_evaluated(e.value);
  j["expected"] = e.expected;
  j["error"] = if_evaluated(e.error());
  j["within"] = e.measured ? Json(nullptr) : Json(e.within);
  j["pass"] = e.measured ? Json(nullptr) : if_evaluated(e.pass());
  j["measured"] = e.measured;
  j["source"] = e.source;
  return j;
}

}  // namespace

Json stopped_json(const Stopped& s) {
  return {{"reason", s.reason == Stop::time ? "max_time" : "max_events"},
          {"events", s.events},
          {"time_s", s.time.seconds()}};
}

Json to_json(const RunResult& r, const MachineModel& machine) {
  Json j{{"schema", "hopsim.run/1"}, {"version", kVersion}, {"scenario", r.scenario}, {"engine", r.engine}};
  j["folded"] = r.folded;
  j["fingerprint"] = r.fingerprint;
  j["machine"] = machine_json(machine);
  if (r.partial()) {
    j["partial"] = true;
    j["stopped"] = stopped_json(*r.stopped);
  }
  j["time_s"] = r.time.seconds();
  j["steps"] = Json::array();
  for (std::size_t i = 0; i < r.steps.size(); ++i) j["steps"].push_back(step_json(r.steps[i], i, r.partial()));
  add_work(j, r, r.time, !r.partial());
  j["flops"] = r.flops;
  j["mfu"] = r.mfu ? Json(*r.mfu) : Json(nullptr);
  j["memory"] = memory_json(r);
  j["links"] = links_json(r);
  if (!r.critical_path.empty()) j["critical_path"] = path_json(r, machine.fabric());
  j["verified"] = r.verified;
  j["expect"] = Json::array();
  for (const ExpectResult& e : r.expect) j["expect"].push_back(expect_json(e));
  j["warnings"] = r.warnings;
  j["cost"] = {{"events", r.totals.events},
               {"link_hops", r.totals.link_hops},
               {"messages", r.totals.messages},
               {"wall_s", r.wall_seconds},
               {"peak_rss_bytes", r.peak_rss_bytes}};
  return j;
}

}  // namespace hopsim

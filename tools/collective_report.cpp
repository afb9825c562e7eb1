#include "tools/collective_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/result_json.hpp"
#include "sharding/notation.hpp"
#include "sim/units.hpp"
#include "sim/version.hpp"
#include "tools/report.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;
using enum Table::Align;

NcclSize nccl(const PlannedStep& s) {
  return nccl_size(s.collective->operation, s.collective->bytes, s.collective->row->size());
}

// Three digits are enough for where a regime ends: 768 kB.
std::string about_bytes(double bytes) {
  if (!(bytes >= 1 && bytes < 1e18)) return "1 B";
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(bytes)) - 2));
  return format_bytes(Bytes(static_cast<std::uint64_t>(std::round(bytes / unit) * unit)));
}

// As --axis takes it: "XY", "data,model".
std::string axis_text(const PlannedStep& s) {
  const std::string text = axes_text(s.axes);
  return text.starts_with('{') ? text.substr(1, text.size() - 2) : text;
}

std::vector<Table::Column> columns(bool measured) {
  std::vector<Table::Column> columns{{"op", left},     {"axis", left},  {"algorithm", left}, {"bytes"},
                                     {"nccl bytes"},   {"time"},        {"algbw"},           {"busbw"},
                                     {"closed form"},  {"time/form"},   {"bound"},           {"time/bound"},
                                     {"regime", left}, {"of link rate"}};
  if (measured) columns.insert(columns.end(), {{"measured"}, {"time/measured"}});
  return columns;
}

bool any_measured(const CollectiveRows& all) {
  return std::any_of(all.rows.begin(), all.rows.end(), [](const CollectiveRow& r) { return r.measured.has_value(); });
}

}  // namespace

const char* Terms::regime() const {
  if (latency_s == 0 && transfer_s == 0) return "-";
  return latency_s > transfer_s ? "latency-bound" : "bandwidth-bound";
}

Terms terms(const PlannedStep& step) {
  const Wiring& wiring = step.collective->wiring;
  return {.latency_s = step.formula.latency_seconds(wiring), .transfer_s = step.formula.transfer_seconds(wiring)};
}

CollectiveTable::CollectiveTable(const CollectiveRows& all)
    : all_(all), measured_(any_measured(all)), table_(columns(measured_)) {
  for (const CollectiveRow& row : all.rows) table_.add(cells(row, nullptr));
}

std::string CollectiveTable::heading() const {
  std::string text = describe(all_.machine) + "\n";
  std::vector<std::pair<std::string, std::string>> told;
  for (const CollectiveRow& row : all_.rows) {
    const std::pair<std::string, std::string> what(row.step().text, row.step().algorithm);
    if (std::find(told.begin(), told.end(), what) != told.end()) continue;
    told.push_back(what);
    text += about(row.step());
  }
  return text + '\n' + table_.heading();
}

// "AllGather over X, 16 chips: bidirectional_ring, V(N-1)/(N W) + 8 hops; latency-bound below 768 kB (45 kB a hop)".
std::string CollectiveTable::about(const PlannedStep& s) const {
  const Terms t = terms(s);
  const int hops = s.formula.hops + s.formula.nic_hops;
  std::string text = fmt::format("{}, {} chips: {}, {} + {} {}", s.text, s.collective->row->size(), s.algorithm,
                                 s.formula.formula, hops, hops == 1 ? "hop" : "hops");
  if (t.latency_s > 0 && t.transfer_s > 0) {
    const double times = t.latency_s / t.transfer_s;  // both terms are proportional to what they count
    text += fmt::format("; latency-bound below {} ({} a hop)",
                        about_bytes(static_cast<double>(s.collective->bytes.count()) * times),
                        about_bytes(std::max(s.formula.link_bytes, s.formula.nic_bytes) * times / hops));
  }
  return text + '\n' + considered_line(s);
}

std::string CollectiveTable::line(const CollectiveRow& row, const RunResult& result) const {
  return table_.line(cells(row, &result));
}

// Without a result as wide as they will ever be.
std::vector<std::string> CollectiveTable::cells(const CollectiveRow& row, const RunResult* result) const {
  const PlannedStep& s = row.step();
  const StepResult* r = result != nullptr ? &result->steps.front() : nullptr;
  const Time time = r != nullptr ? r->time() : Time{};
  const auto if_run = [r](auto cell, const char* widest) { return r != nullptr ? std::string(cell()) : widest; };
  const auto times = [&](Time yardstick) {
    return if_run([&] { return r->finished ? ratio(time, yardstick) : "-"; }, "88.888");
  };
  const Terms t = terms(s);
  std::vector<std::string> cells{
      std::string(name(s.collective->operation)),
      axis_text(s),
      s.algorithm,
      format_bytes(s.collective->bytes),
      format_bytes(nccl(s).size),
      if_run([&] { return time_so_far(*r); }, "888.88 us"),
      if_run([&] { return rate(r->algbw); }, "888.88 GB/s"),
      if_run([&] { return rate(r->busbw); }, "888.88 GB/s"),
      format_time(s.closed_form),
      times(s.closed_form),
      format_time(s.lower_bound),
      times(s.lower_bound),
      t.regime(),
      if_run([&] { return fmt::format("{:.1f} %", result->max_utilization * 100); }, "100.0 %")};
  if (measured_) cells.push_back(row.measured ? format_time(*row.measured) : "-");
  if (measured_) cells.push_back(row.measured ? times(*row.measured) : "-");
  return cells;
}

namespace {

Json row_json(const CollectiveRow& row, const RunResult& result) {
  const PlannedStep& s = row.step();
  const StepResult& r = result.steps.front();
  const Terms t = terms(s);
  Json j{{"op", name(s.collective->operation)}, {"axis", axis_text(s)}, {"chips", s.collective->row->size()}};
  j["algorithm"] = s.algorithm;
  j["chunks"] = s.collective->chunks;
  j["bytes"] = s.collective->bytes.count();
  j["nccl_bytes"] = nccl(s).size.count();
  if (result.partial()) {
    j["partial"] = true;
    j["stopped"] = stopped_json(*result.stopped);
  }
  j["time_s"] = r.time().seconds();
  j["algbw_Bps"] = r.finished ? Json(r.algbw) : Json(nullptr);
  j["busbw_Bps"] = r.finished ? Json(r.busbw) : Json(nullptr);
  j["closed_form_s"] = s.closed_form.seconds();
  j["lower_bound_s"] = s.lower_bound.seconds();
  if (!s.considered.empty()) j["considered"] = considered_json(s);
  j["regime"] = s.formula.hops + s.formula.nic_hops == 0 ? Json(nullptr) : Json(t.regime());
  j["link_share"] = result.max_utilization;  // of the busiest link
  j["messages"] = r.messages;
  j["hops"] = r.hops;
  j["measured_s"] = row.measured ? Json(row.measured->seconds()) : Json(nullptr);
  j["verified"] = result.verified;
  return j;
}

}  // namespace

Json collective_json(const CollectiveRows& all, const std::vector<RunResult>& results) {
  Json rows = Json::array(), machine,
       cost{{"events", 0}, {"link_hops", 0}, {"messages", 0}, {"wall_s", 0.0}, {"peak_rss_bytes", 0}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json run = to_json(results[i], all.machine);
    machine = run["machine"];
    for (const char* sum : {"events", "link_hops", "messages"})
      cost[sum] = cost[sum].get<std::uint64_t>() + run["cost"][sum].get<std::uint64_t>();
    cost["wall_s"] = cost["wall_s"].get<double>() + run["cost"]["wall_s"].get<double>();
    cost["peak_rss_bytes"] =
        std::max(cost["peak_rss_bytes"].get<std::uint64_t>(), run["cost"]["peak_rss_bytes"].get<std::uint64_t>());
    rows.push_back(row_json(all.rows[i], results[i]));
  }
  return {{"schema", "hopsim.collective/1"},
          {"version", kVersion},
          {"engine", results.front().engine},
          {"machine", machine},
          {"rows", rows},
          {"cost", cost}};
}

}  // namespace hopsim

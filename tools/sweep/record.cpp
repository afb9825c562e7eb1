#include "tools/sweep/record.hpp"

#include <nlohmann/json.hpp>

namespace hopsim {
namespace {

using Json = nlohmann::json;

Json kept_json(const SweepPoint& p) {
  Json kept{{"time", p.time.ps()},
            {"closed_form", p.closed_form.ps()},
            {"lower_bound", p.lower_bound.ps()},
            {"compute", p.compute.ps()},
            {"comm", p.comm.ps()},
            {"exposed_comm", p.exposed_comm.ps()},
            {"bound", p.bound.ps()},
            {"overlap", p.overlap},
            {"max_utilization", p.max_utilization},
            {"peak_bytes", p.peak_bytes_per_chip.count()},
            {"metric", p.metric},
            {"algorithms", p.algorithms},
            {"fingerprint", p.fingerprint},
            {"failed", p.failed}};
  if (p.mfu) kept["mfu"] = *p.mfu;
  if (!p.error.empty()) kept["error"] = p.error;
  if (p.error_place > 0) kept["error_place"] = p.error_place;
  if (!p.partial.empty()) kept["partial"] = p.partial;
  if (!p.unranked.empty()) kept["unranked"] = p.unranked;
  if (!p.expected.empty()) kept["expected"] = p.expected;
  return kept;
}

Time time_of(const Json& kept, const char* key) { return Time::picoseconds(kept.at(key).get<std::uint64_t>()); }

SweepPoint kept_of(const Json& j) {
  SweepPoint p;
  p.time = time_of(j, "time");
  p.closed_form = time_of(j, "closed_form");
  p.lower_bound = time_of(j, "lower_bound");
  p.compute = time_of(j, "compute");
  p.comm = time_of(j, "comm");
  p.exposed_comm = time_of(j, "exposed_comm");
  p.bound = time_of(j, "bound");
  p.overlap = j.at("overlap");
  p.max_utilization = j.at("max_utilization");
  p.peak_bytes_per_chip = Bytes(j.at("peak_bytes").get<std::uint64_t>());
  p.metric = j.at("metric");
  p.algorithms = j.at("algorithms");
  p.fingerprint = j.at("fingerprint");
  p.failed = j.at("failed");
  if (j.contains("mfu")) p.mfu = j["mfu"].get<double>();
  p.error = j.value("error", std::string());
  p.error_place = j.value("error_place", std::size_t{0});
  p.partial = j.value("partial", std::string());
  p.unranked = j.value("unranked", std::string());
  p.expected = j.value("expected", std::vector<std::string>());
  return p;
}

FinishedPoint point_of(const Json& head) {
  FinishedPoint f;
  f.point = head.at("point");
  f.thrown = head.value("thrown", std::string());
  f.bad_input = head.value("bad_input", false);
  if (!f.thrown.empty()) return f;
  f.kept = kept_of(head.at("kept"));
  f.warnings = head.value("warnings", std::vector<std::string>());
  f.lacked_memory = head.value("lacked_memory", false);
  return f;
}

}  // namespace

std::string encode(const FinishedPoint& f) {
  Json head{{"point", f.point}, {"bytes", f.text.size()}};
  if (f.thrown.empty()) {
    head["kept"] = kept_json(f.kept);
    if (!f.warnings.empty()) head["warnings"] = f.warnings;
    if (f.lacked_memory) head["lacked_memory"] = true;
  } else {
    head["thrown"] = f.thrown;
    head["bad_input"] = f.bad_input;
  }
  std::string bytes = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  bytes.reserve(bytes.size() + f.text.size() + 2);
  return bytes.append("\n").append(f.text).append("\n");
}

std::optional<DecodedPoint> decode(std::string_view bytes) {
  const std::size_t line = bytes.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  try {
    const Json head = Json::parse(bytes.substr(0, line));
    const std::size_t begin = line + 1, size = head.at("bytes");
    if (size >= bytes.size() - begin || bytes[begin + size] != '\n') return std::nullopt;
    DecodedPoint d{point_of(head), bytes.substr(begin, size), begin + size + 1};
    return d;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace hopsim

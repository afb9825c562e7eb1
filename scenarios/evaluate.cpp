#include "scenarios/evaluate.hpp"

#include <algorithm>
#include <charconv>

#include "scenarios/result_json.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::string children(const Json& j) {
  std::string list;
  if (j.is_object())
    for (const auto& [key, value] : j.items()) list += (list.empty() ? "" : ", ") + key;
  else if (j.is_array() && !j.empty())
    list = "0 to " + std::to_string(j.size() - 1);
  return list.empty() ? "nothing below it" : list;
}

const Json& look_up(const Json& root, const Placed<std::string>& path) {
  const Json* at = &root;
  for (std::size_t begin = 0; begin <= path.value.size();) {
    const std::size_t end = std::min(path.value.find('.', begin), path.value.size());
    const std::string key = path.value.substr(begin, end - begin);
    std::size_t i = 0;
    const auto [rest, failed] = std::from_chars(key.data(), key.data() + key.size(), i);
    if (at->is_object() && at->contains(key))
      at = &(*at)[key];
    else if (at->is_array() && failed == std::errc{} && rest == key.data() + key.size() && i < at->size())
      at = &(*at)[i];
    else
      throw PlacedError(path.place, "the result has no such value", path.value,
                        children(*at) + " (at " + (key.empty() ? "nothing" : key) + ")");
    begin = end + 1;
  }
  return *at;
}

// From the first start to the last end of a line's steps; of the whole run for no line.
Time time_of(const RunResult& r, int line) {
  if (line == 0) return r.time;
  Time start = Time::max(), end;
  for (const StepResult& s : r.steps)
    if (s.step.line == line) {
      start = std::min(start, s.start);
      end = std::max(end, s.end);
    }
  return start > end ? Time{} : end - start;
}

// A run that was stopped has the times of lines that had ended, and the values of steps that had.
bool has_line(const RunResult& r, int line) {
  if (!r.partial()) return true;
  return line != 0 && std::all_of(r.steps.begin(), r.steps.end(),
                                  [line](const StepResult& s) { return s.step.line != line || s.finished; });
}

bool has_value(const RunResult& r, const std::string& path) {
  if (!r.partial()) return true;
  std::size_t step = 0;
  constexpr std::string_view kSteps = "steps.";
  if (!path.starts_with(kSteps)) return false;
  const auto [rest, failed] = std::from_chars(path.data() + kSteps.size(), path.data() + path.size(), step);
  return failed == std::errc{} && step < r.steps.size() && r.steps[step].finished;
}

bool has(const RunResult& r, const Expectation& e) {
  if (!e.value) return has_line(r, e.step ? e.step->value : 0);
  const ResultPath& of = e.value->of;
  return has_value(r, of.path.value) && (!of.divisor || has_value(r, of.divisor->value));
}

std::string name_of(const Expectation& e) {
  if (!e.value) return "time";
  const ResultPath& of = e.value->of;
  return of.path.value + (of.divisor ? " / " + of.divisor->value : "");
}

// What a run that was stopped does not tell.
ExpectResult unknown(const Expectation& e) {
  ExpectResult r;
  r.what = name_of(e);
  r.evaluated = false;
  r.is_time = !e.value || (e.value->is && e.value->is->kind == QuantityKind::time);
  if (e.value && e.value->is) r.expected = e.value->is->value;
  return r;
}

void check_kind(const ExpectedValue& v) {
  const QuantityKind kind = v.of.divisor ? QuantityKind::number : kind_of_value(v.of.path.value);
  if (v.is->kind != QuantityKind::number && v.is->kind != kind)
    throw PlacedError(v.place, "the value is " + std::string(name_of(kind)), v.text,
                      kind == QuantityKind::number ? "a plain number" : "its unit, or a plain number");
}

ExpectResult value_result(const Expectation& e, const Json& json) {
  const ExpectedValue& v = *e.value;
  ExpectResult r;
  r.what = name_of(e);
  if (!v.is) {
    const Json& found = look_up(json, v.of.path);
    r.what += " is " + v.text;
    r.value = (found.is_string() ? found.get<std::string>() : found.dump()) == v.text;
    r.expected = 1;
    return r;
  }
  check_kind(v);
  r.value = number_at(json, v.of.path);
  if (v.of.divisor) {
    const double divisor = number_at(json, *v.of.divisor);
    if (divisor == 0)
      throw PlacedError(v.of.divisor->place, "the quotient divides by a value that is 0", v.of.divisor->value);
    r.value /= divisor;
  }
  r.expected = v.is->value;
  r.is_time = v.is->kind == QuantityKind::time;
  return r;
}

}  // namespace

double number_at(const Json& result, const Placed<std::string>& path) {
  const Json& j = look_up(result, path);
  if (!j.is_number()) throw PlacedError(path.place, "the value is no number", j.dump());
  return j.get<double>();
}

QuantityKind kind_of_value(const std::string& path) {
  const std::string key = path.substr(path.rfind('.') + 1);
  if (key.ends_with("_s")) return QuantityKind::time;
  if (key.ends_with("_Bps")) return QuantityKind::bandwidth;
  return key.find("bytes") == std::string::npos ? QuantityKind::number : QuantityKind::bytes;
}

std::vector<ExpectResult> evaluate(const std::vector<Expectation>& expectations, const RunResult& run,
                                   const MachineModel& machine) {
  Json json = to_json(run, machine);
  json.erase("cost");  // no two runs have the same
  std::vector<ExpectResult> results;
  for (const Expectation& e : expectations) {
    const int line = e.step ? e.step->value : 0;
    ExpectResult timed;
    timed.what = "time";
    timed.is_time = true;
    timed.value = time_of(run, line).seconds();
    ExpectResult r = !has(run, e) ? unknown(e) : e.value ? value_result(e, json) : timed;
    if (e.time) r.expected = e.time->value.seconds();
    r.step = line;
    r.within = e.within.value();
    r.source = e.source;
    if (e.time || e.value) results.push_back(r);
    if (e.measured) {
      r.expected = e.measured->value.value;
      r.measured = true;
      r.is_time = e.measured->value.kind == QuantityKind::time;
      results.push_back(r);
    }
  }
  return results;
}

}  // namespace hopsim

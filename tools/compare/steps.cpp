#include "tools/compare/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/units.hpp"
#include "tools/compare/align.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLeastAlike = 4;  // as in the report of a run
constexpr std::size_t kMostNamed = 3;

std::string text_of(const ResultValue& step) {
  const std::string piece = step.text_if("piece");
  return piece.empty() ? step.text("text") : step.text("text") + " (" + piece + ")";
}

std::string state_of(const ResultValue& step) {
  if (!step.has("finished") || step.flag("finished")) return {};
  return step.flag("started") ? "unfinished" : "not begun";
}

StepSide side_of(const ResultValue& step) {
  return {step.count("program"), text_of(step), step.text("kind"), step.number("time_s"), state_of(step)};
}

std::vector<StepName> names_of(const std::vector<ResultValue>& steps) {
  std::vector<StepName> names;
  for (const ResultValue& s : steps) names.push_back({s.count("program"), text_of(s), s.text("kind")});
  return names;
}

// ---- What differs

class Changes {
 public:
  Changes(const ResultValue& a, const ResultValue& b) : a_(a), b_(b) {}

  std::string text() {
    if (a_.text("text") != b_.text("text")) text_ = "in B " + b_.text("text");
    add("", a_.text_if("algorithm"), b_.text_if("algorithm"));
    add("", a_.text_if("strategy"), b_.text_if("strategy"));
    add_number("bytes", bytes_text);
    add_number("chunks", count_text, "chunks ");
    if (!state_of(a_).empty() || !state_of(b_).empty()) return text_;
    add_times();
    add_number("mfu", percent_text, "MFU ");
    return text_;
  }

 private:
  void add(const std::string& what, const std::string& a, const std::string& b) {
    if (a == b) return;
    text_ += (text_.empty() ? "" : ", ") + what + changed(a, b);
  }

  template <class Format>
  void add_number(const char* key, Format format, const char* what = "") {
    const Pair p = pair_of(a_, b_, key);
    const auto said = [&](std::optional<double> v) { return v ? format(*v) : std::string(); };
    if (p.differs()) add(what, said(p.a), said(p.b));
  }

  // Where they are not about the step's time itself.
  void add_times() {
    const Pair time = pair_of(a_, b_, "time_s");
    const auto near = [](std::optional<double> part, std::optional<double> all) { return *part > 0.95 * *all; };
    for (const auto& [key, what] : {std::pair{"compute_s", "compute "}, {"exposed_comm_s", "exposed "}}) {
      const Pair p = pair_of(a_, b_, key);
      if (p.both() && !(near(p.a, time.a) && near(p.b, time.b))) add(what, time_text(p.a), time_text(p.b));
    }
  }

  const ResultValue &a_, &b_;
  std::string text_;
};

std::string state_text(const ComparedStep& s) {
  if (!s.a) return "only in B";
  if (!s.b) return "only in A";
  std::string text;
  if (!s.a->state.empty()) text = s.a->state + " in A";
  if (!s.b->state.empty()) text += (text.empty() ? "" : ", ") + s.b->state + " in B";
  return text;
}

std::string why(const ComparedStep& s) {
  const std::string state = state_text(s);
  return state.empty() || s.changes.empty() ? state + s.changes : state + ", " + s.changes;
}

std::optional<double> share_of(const ComparedStep& s, const Pair& total) {
  const auto all = total.time_difference();
  return s.difference() && all && *all != 0 ? std::optional(*s.difference() / *all) : std::nullopt;
}

Pair times_of(const ComparedStep& s) {
  return {s.a ? std::optional(s.a->time) : std::nullopt, s.b ? std::optional(s.b->time) : std::nullopt, s.finished()};
}

// Rows may stand for several steps.
std::string among_finished(std::size_t rows, const std::string& gains) {
  if (rows == 0) return "no step finished in both\n";
  return gains.empty() ? "steps that finished in both took as long\n"
                       : "of the steps that finished in both,\n" + gains;
}

std::string said_with(const ComparedStep& s) {
  return fmt::format("step {} {} {}", s.line(), s.text(), signed_time(s.difference()));
}

}  // namespace

bool ComparedStep::finished() const { return (!a || a->state.empty()) && (!b || b->state.empty()); }

std::optional<double> ComparedStep::difference() const {
  return Pair{a ? a->time : 0, b ? b->time : 0, finished()}.time_difference();
}

std::string ComparedStep::text() const {
  const std::string said = a ? a->text : b->text;
  return steps > 1 ? fmt::format("{}  x{}", said, steps) : said;
}

std::string ComparedStep::line() const {
  if (!a || !b) return std::to_string(a ? a->line : b->line);
  return changed(std::to_string(a->line), std::to_string(b->line));
}

std::vector<ComparedStep> compared_steps(const ResultValue& run_a, const ResultValue& run_b) {
  const std::vector<ResultValue> a = run_a.list("steps"), b = run_b.list("steps");
  std::vector<ComparedStep> steps;
  for (const AlignedStep& row : align(names_of(a), names_of(b))) {
    ComparedStep s;
    if (row.a) s.a = side_of(a[*row.a]);
    if (row.b) s.b = side_of(b[*row.b]);
    if (row.a && row.b) s.changes = Changes(a[*row.a], b[*row.b]).text();
    steps.push_back(std::move(s));
  }
  return steps;
}

std::vector<ComparedStep> grouped(const std::vector<ComparedStep>& steps) {
  const auto key = [](const ComparedStep& s) { return std::tuple(s.line(), s.text(), why(s)); };
  std::map<decltype(key(steps.front())), std::size_t> alike, row_of;
  for (const ComparedStep& s : steps) ++alike[key(s)];
  std::vector<ComparedStep> rows;
  for (const ComparedStep& s : steps) {
    const auto k = key(s);
    const auto [at, fresh] = row_of.emplace(k, rows.size());
    if (fresh || alike[k] < kLeastAlike) {
      rows.push_back(s);
      continue;
    }
    ComparedStep& row = rows[at->second];
    ++row.steps;
    if (row.a) row.a->time += s.a->time;
    if (row.b) row.b->time += s.b->time;
  }
  return rows;
}

std::string steps_table(const std::vector<ComparedStep>& rows, const Pair& total) {
  using enum Table::Align;
  Table table(
      {{"step", left}, {"", left}, {"A"}, {"B"}, {"difference"}, {"of A"}, {"of the total"}, {"what differs", left}});
  for (const ComparedStep& s : rows) {
    const Pair time = times_of(s);
    const auto ratio = time.ratio();
    table.add({s.line(), s.text(), time_text(time.a), time_text(time.b), signed_time(s.difference()),
               signed_percent(ratio ? std::optional(*ratio - 1) : std::nullopt), signed_percent(share_of(s, total)),
               why(s)});
  }
  return table.text();
}

std::string gains_text(const std::vector<ComparedStep>& rows, const Pair& total) {
  std::vector<const ComparedStep*> order;
  double sum = 0;
  for (const ComparedStep& s : rows) {
    if (!total.whole && !(s.a && s.b && s.finished())) continue;
    order.push_back(&s);
    sum += *s.difference();
  }
  std::stable_sort(order.begin(), order.end(), [](auto* x, auto* y) { return *x->difference() < *y->difference(); });
  std::string gains, losses;
  for (std::size_t i = 0; i < std::min(kMostNamed, order.size()); ++i) {
    const ComparedStep &gain = *order[i], &loss = *order[order.size() - 1 - i];
    if (*gain.difference() < 0) gains += (gains.empty() ? "B gains most: " : "; ") + said_with(gain);
    if (*loss.difference() > 0) losses += (losses.empty() ? "B loses most: " : "; ") + said_with(loss);
  }
  std::string text = gains + (gains.empty() ? "" : "\n") + losses + (losses.empty() ? "" : "\n");
  if (!total.whole) return among_finished(order.size(), text);
  constexpr double kWorthTelling = 0.005;
  const double all = *total.time_difference();
  if (std::abs(sum - all) > kWorthTelling * std::abs(all) && std::abs(sum - all) > 1e-12)
    text += fmt::format("steps overlap or wait: their differences add up to {}, not to {}\n", signed_time(sum),
                        signed_time(all));
  return text;
}

std::vector<std::pair<std::string, Pair>> kinds_of(const std::vector<ComparedStep>& steps) {
  std::vector<std::pair<std::string, Pair>> kinds;
  const auto add = [&](const std::optional<StepSide>& side, std::optional<double> Pair::*which) {
    if (!side) return;
    const auto same = [&](const auto& kind) { return kind.first == side->kind; };
    auto at = std::find_if(kinds.begin(), kinds.end(), same);
    if (at == kinds.end()) at = kinds.insert(at, {side->kind, Pair{0, 0}});
    *(at->second.*which) += side->time;
    if (!side->state.empty()) at->second.whole = false;
  };
  for (const ComparedStep& s : steps) {
    add(s.a, &Pair::a);
    add(s.b, &Pair::b);
  }
  return kinds;
}

std::string kinds_text(std::vector<std::pair<std::string, Pair>> kinds) {
  if (kinds.size() < 2) return {};
  const auto difference = [](const auto& kind) { return kind.second.time_difference().value_or(0); };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const auto& x, const auto& y) { return std::abs(difference(x)) > std::abs(difference(y)); });
  std::string text;
  for (const auto& kind : kinds)
    if (difference(kind) != 0)
      text += (text.empty() ? "by operation: " : "; ") + kind.first + " " + signed_time(difference(kind));
  return text.empty() ? text : text + "\n";
}

Json to_json(const ComparedStep& s, const Pair& total) {
  const auto lines = [](const std::optional<StepSide>& side) { return side ? Json(side->line) : Json(nullptr); };
  const auto text = [](const std::optional<StepSide>& side, std::string StepSide::*what) {
    return side ? (*side).*what : std::string();
  };
  Json j{{"program", {{"a", lines(s.a)}, {"b", lines(s.b)}}}};
  j["text"] = text_json(text(s.a, &StepSide::text), text(s.b, &StepSide::text));
  j["kind"] = text_json(text(s.a, &StepSide::kind), text(s.b, &StepSide::kind));
  j["time_s"] = time_json(times_of(s));
  const auto share = share_of(s, total);
  j["share"] = share ? Json(*share) : Json(nullptr);
  j["changes"] = why(s);
  return j;
}

}  // namespace hopsim

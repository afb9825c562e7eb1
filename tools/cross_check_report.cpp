#include "tools/cross_check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sim/units.hpp"
#include "tools/step_tables.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

const char* key(Contact contact) {
  switch (contact) {
    case Contact::one_link:
      return "one_link";
    case Contact::apart:
      return "apart";
    case Contact::meeting:
      return "meeting";
    default:
      return "none";
  }
}

std::string cause(const CrossStep& step) {
  switch (step.contact) {
    case Contact::one_link:
      return "one link each";
    case Contact::apart:
      return "none meets another";
    case Contact::meeting:
      if (step.verdict() == Verdict::agrees) return "meet";
      return step.beside ? "meet those of a step beside" : "meet: " + std::string(step.kind->name);
    default:
      return "-";
  }
}

std::string signed_percent(double share) { return fmt::format("{:+.3f} %", share * 100); }

std::string allowed(const CrossStep& step) {
  const double by = step.verdict() == Verdict::agrees ? step.allowed_s : step.explained_s;
  if (step.event == Time{}) return format_seconds(by);
  return fmt::format("{:.3g} %", by / step.event.seconds() * 100);
}

std::string from_to(Time least, Time most) {
  return least == most ? format_time(least) : format_time(least) + ".." + format_time(most);
}

// Of a group's steps the one whose difference is the largest part of what is allowed, and all their times.
std::vector<std::string> row(const CrossCheck& check, const std::vector<std::size_t>& steps) {
  const auto of = [&](std::size_t i) -> const CrossStep& { return check.steps[i]; };
  const auto apart = [&](std::size_t i) {
    const double by = std::abs(of(i).simgrid.seconds() - of(i).event.seconds());
    return of(i).allowed_s > 0 ? by / of(i).allowed_s : by;
  };
  const CrossStep& worst =
      of(*std::max_element(steps.begin(), steps.end(), [&](auto a, auto b) { return apart(a) < apart(b); }));
  Time event[2] = {worst.event, worst.event}, simgrid[2] = {worst.simgrid, worst.simgrid};
  for (const std::size_t i : steps) {
    event[0] = std::min(event[0], of(i).event);
    event[1] = std::max(event[1], of(i).event);
    simgrid[0] = std::min(simgrid[0], of(i).simgrid);
    simgrid[1] = std::max(simgrid[1], of(i).simgrid);
  }
  return {from_to(event[0], event[1]), from_to(simgrid[0], simgrid[1]), signed_percent(worst.difference()),
          allowed(worst), cause(worst)};
}

// What there is to say of all, and why, once for each reason in the table.
class Conclusion {
 public:
  void add(const CrossCheck& check) {
    for (const CrossStep& s : check.steps) add(s);
    if (check.whole.verdict() == Verdict::disagrees) whole_disagrees_ = true;
  }

  std::string text() const {
    std::string text;
    if (alike_)
      text += "  messages take turns on their first link on both engines; those that meet no others: the same\n";
    if (meet_)
      text += fmt::format(
          "  where messages meet, SimGrid's share links side by side, each at one speed on its whole way, and "
          "waiting hides no latency;\n  the event engine's take turns and wait in buffers: up to {:g} %\n",
          kMeetingModel * 100);
    for (const DifferenceKind* kind : kinds_)
      text += fmt::format("  {}: {}: up to {:g} %\n", kind->name, kind->why, kind->most * 100);
    if (beside_) text += "  a step beside: in turn one of them goes first; side by side both end with the last\n";
    return text + verdict();
  }

 private:
  void add(const CrossStep& s) {
    ++steps_;
    alike_ = alike_ || s.contact == Contact::one_link || s.contact == Contact::apart;
    meet_ = meet_ || s.contact == Contact::meeting;
    if (s.verdict() != Verdict::agrees && s.beside)
      beside_ = true;
    else if (s.verdict() != Verdict::agrees && s.kind)
      kinds_.insert(s.kind);
    if (s.verdict() == Verdict::disagrees) ++disagree_;
    if (s.verdict() == Verdict::explained) ++explained_;
  }

  std::string verdict() const {
    if (disagree_ > 0) return fmt::format("ENGINES DISAGREE on {} of {} steps\n", disagree_, steps_);
    if (whole_disagrees_) return "ENGINES DISAGREE on the whole\n";
    if (explained_ > 0)
      return fmt::format(
          "engines agree, but for {} of {} steps, which differ by more than {:g} % for a known reason\n", explained_,
          steps_, kMeetingModel * 100);
    return "engines agree\n";
  }

  std::size_t steps_ = 0, explained_ = 0, disagree_ = 0;
  bool alike_ = false, meet_ = false, beside_ = false, whole_disagrees_ = false;
  std::set<const DifferenceKind*> kinds_;
};

std::vector<Table::Column> columns(Table::Column first, Table::Column second) {
  return {std::move(first),
          std::move(second),
          {"event engine"},
          {"SimGrid"},
          {"difference"},
          {"allowed"},
          {"messages", Table::Align::left}};
}

const char* key(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::explained:
      return "explained";
    default:
      return "disagrees";
  }
}

Json difference_json(const CrossStep& step) {
  return {{"event_s", step.event.seconds()}, {"simgrid_s", step.simgrid.seconds()}, {"difference", step.difference()},
          {"allowed_s", step.allowed_s},     {"explained_s", step.explained_s},     {"verdict", key(step.verdict())}};
}

}  // namespace

std::string report(const CrossCheck& check, const RunResult& result) {
  Table table(columns({"step", Table::Align::left}, {"cross-check", Table::Align::left}));
  for (const StepGroup& group : grouped(result)) {
    std::vector<std::size_t> steps;
    for (const StepResult* s : group.steps) steps.push_back(static_cast<std::size_t>(s - result.steps.data()));
    std::vector<std::string> cells{std::to_string(group.steps.front()->step.line), text_of(group)};
    for (std::string& cell : row(check, steps)) cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  const CrossStep& whole = check.whole;
  table.add({"total", "", format_time(whole.event), format_time(whole.simgrid), signed_percent(whole.difference()),
             allowed(whole), ""});
  Conclusion conclusion;
  conclusion.add(check);
  return table.text() + conclusion.text();
}

std::string report(const std::vector<CrossCheck>& checks, const std::vector<RunResult>& results) {
  Table table(columns({"cross-check", Table::Align::left}, {"bytes"}));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const PlannedStep& step = results[i].steps.front().step;
    std::vector<std::string> cells{step.text, format_bytes(step.collective->bytes)};
    for (std::string& cell : row(checks[i], {0})) cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  Conclusion conclusion;
  for (const CrossCheck& check : checks) conclusion.add(check);
  return '\n' + table.text() + conclusion.text();
}

Json to_json(const CrossCheck& check, const RunResult& result) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < check.steps.size(); ++i) {
    const CrossStep& s = check.steps[i];
    Json step{{"index", i}, {"program", result.steps[i].step.line}};
    step.update(difference_json(s));
    step["messages"] = key(s.contact);
    step["beside"] = s.beside;
    step["kind"] = s.kind ? Json(s.kind->name) : Json(nullptr);
    steps.push_back(std::move(step));
  }
  Json j{{"agrees", check.agrees()}};
  j.update(difference_json(check.whole));
  j["steps"] = std::move(steps);
  return j;
}

}  // namespace hopsim

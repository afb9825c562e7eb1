#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/compare/kinds.hpp"
#include "tools/compare/steps.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

// ---- The run as a whole

enum class Unit { time, share, bytes };

struct Total {
  const char* name;
  std::array<const char*, 2> path;  // the second is of the first, where there is one
  Unit unit;
};

constexpr std::array<Total, 9> kTotals{{{"compute", {"compute_s", nullptr}, Unit::time},
                                        {"communication", {"comm_s", nullptr}, Unit::time},
                                        {"exposed communication", {"exposed_comm_s", nullptr}, Unit::time},
                                        {"hidden communication", {"overlap", nullptr}, Unit::share},
                                        {"MFU", {"mfu", nullptr}, Unit::share},
                                        {"memory a chip", {"memory", "peak_bytes_per_chip"}, Unit::bytes},
                                        {"busiest link", {"links", "max_utilization"}, Unit::share},
                                        {"all links", {"links", "mean_utilization"}, Unit::share},
                                        {"bytes over links", {"links", "bytes_total"}, Unit::bytes}}};

std::optional<double> value_of(const ResultValue& run, const Total& total) {
  const auto [first, second] = total.path;
  if (second == nullptr) return run.number_if(first);
  return run.has(first) ? run.at(first).number_if(second) : std::nullopt;
}

std::string said(std::optional<double> value, Unit unit) {
  if (!value) return "-";
  if (unit == Unit::time) return time_text(value);
  if (unit == Unit::share) return percent_text(*value);
  return bytes_text(*value);
}

std::string said_difference(const Pair& p, Unit unit) {
  if (!p.difference()) return "-";
  if (unit == Unit::time) return signed_time(p.time_difference());
  if (unit == Unit::share) {
    const std::string percent = signed_percent(p.difference());  // ends in "%"
    return percent.substr(0, percent.size() - 1) + "points";
  }
  const double bytes = *p.difference();
  return (bytes > 0 ? "+" : bytes < 0 ? "-" : "") + bytes_text(std::abs(bytes));
}

std::string totals_table(const ResultValue& a, const ResultValue& b, const Pair& time) {
  using enum Table::Align;
  Table table({{"in all", left}, {"A"}, {"B"}, {"difference"}, {"of A"}});
  const auto add = [&](const char* name, const Pair& p, Unit unit) {
    if (p.a.value_or(0) == 0 && p.b.value_or(0) == 0) return;
    const auto ratio = unit == Unit::share ? std::nullopt : p.ratio();
    table.add({name, said(p.a, unit), said(p.b, unit), said_difference(p, unit),
               signed_percent(ratio ? std::optional(*ratio - 1) : std::nullopt)});
  };
  add("time", time, Unit::time);
  for (const Total& total : kTotals)
    add(total.name, {value_of(a, total), value_of(b, total), time.whole}, total.unit);
  return table.text();
}

// ---- What makes them hard to compare

void note_partial(const ResultValue& run, const char* side, std::vector<std::string>& notes) {
  if (!run.flag("partial")) return;
  const ResultValue stopped = run.at("stopped");
  notes.push_back(fmt::format("{} is partial, stopped at {} (--{}): its times are those so far", side,
                              time_text(stopped.number("time_s")),
                              stopped.text("reason") == "max_time" ? "max-time" : "max-events"));
}

void note_failures(const ResultValue& run, const char* side, std::vector<std::string>& notes) {
  if (!run.has("expect")) return;
  const std::vector<ResultValue> expected = run.list("expect");
  const auto failed = std::count_if(expected.begin(), expected.end(),
                                    [](const ResultValue& e) { return e.has("pass") && !e.flag("pass"); });
  if (failed) notes.push_back(fmt::format("{}: {} of {} expectations failed", side, failed, expected.size()));
}

std::vector<std::string> notes_of(const ResultValue& a, const ResultValue& b) {
  std::vector<std::string> notes = common_notes(a, b);
  if (a.text("scenario") != b.text("scenario")) notes.push_back("different scenarios");
  if (a.at("machine").json() != b.at("machine").json()) notes.push_back("different machines");
  if (a.flag("folded") != b.flag("folded"))
    notes.push_back(
        fmt::format("only {} is folded: in it one chip stood for all that are alike", a.flag("folded") ? "A" : "B"));
  note_partial(a, "A", notes);
  note_partial(b, "B", notes);
  note_failures(a, "A", notes);
  note_failures(b, "B", notes);
  return notes;
}

// Without what no two runs have alike.
Json lasting(const ResultValue& run) {
  Json json = run.json();
  json.erase("cost");
  return json;
}

std::string heading_of(const ResultValue& run) {
  return run.text("scenario") + " on " + machine_text(run.at("machine"));
}

class RunComparison {
 public:
  RunComparison(const ResultValue& a, const ResultValue& b)
      : a_(a),
        b_(b),
        equal_(lasting(a) == lasting(b)),
        time_{a.number("time_s"), b.number("time_s"), !a.flag("partial") && !b.flag("partial")},
        notes_(notes_of(a, b)),
        steps_(compared_steps(a, b)) {}

  bool equal() const { return equal_; }
  const Pair& time() const { return time_; }
  const ResultValue& a() const { return a_; }

  std::string text() const {
    std::string text;
    for (const std::string& note : notes_) text += "note: " + note + "\n";
    if (equal_)
      return text + "A and B are equal: " + time_text(time_.a) +
             ", and every other number but what it took to simulate\n";
    const std::vector<ComparedStep> rows = grouped(steps_);
    text += steps_table(rows, time_) + totals_table(a_, b_, time_);
    return text + verdict() + gains_text(rows, time_) + kinds_text(kinds_of(steps_));
  }

  Json json() const {
    Json j{{"equal", equal_}};
    j["scenario"] = text_json(a_.text("scenario"), b_.text("scenario"));
    j["engine"] = text_json(a_.text("engine"), b_.text("engine"));
    j["machine"] = {{"a", a_.at("machine").json()}, {"b", b_.at("machine").json()}};
    j["notes"] = notes_;
    j["time_s"] = time_json(time_);
    for (const Total& total : kTotals) {
      const Pair p{value_of(a_, total), value_of(b_, total), time_.whole};
      j[total.path[1] ? total.path[1] : total.path[0]] = total.unit == Unit::time ? time_json(p) : to_json(p);
    }
    j["steps"] = Json::array();
    for (const ComparedStep& s : steps_) j["steps"].push_back(to_json(s, time_));
    j["kinds"] = Json::object();
    for (const auto& [kind, seconds] : kinds_of(steps_)) j["kinds"][kind] = time_json(seconds);
    return j;
  }

  // "B is 1.97x faster", "partial".
  std::string speed_text() const { return time_.whole ? speed(time_) : "partial"; }

 private:
  std::string verdict() const {
    const std::string a = time_text(time_.a), b = time_text(time_.b);
    if (!time_.whole) {
      if (a_.flag("partial") && b_.flag("partial"))
        return fmt::format("no verdict: A and B are partial, and {} and {} are not the times of all\n", a, b);
      const bool of_a = a_.flag("partial");
      return fmt::format("no verdict: {} is partial, and {} is not the time of all of it\n", of_a ? "A" : "B",
                         of_a ? a : b);
    }
    std::string text = fmt::format("{}: {} in place of {}", speed(time_), b, a);
    if (const auto ratio = time_.ratio(); ratio && time_.differs())
      text += fmt::format(", {} ({})", signed_time(time_.time_difference()), signed_percent(*ratio - 1));
    return text + "\n";
  }

  ResultValue a_, b_;
  bool equal_;
  Pair time_;
  std::vector<std::string> notes_;
  std::vector<ComparedStep> steps_;
};

// ---- Several runs

std::vector<ResultValue> runs_of(const ResultFile& file) {
  return file.json.is_array() ? file.root().items() : std::vector{file.root()};
}

struct Pairing {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::string> only_a, only_b;
};

// By the names of their scenarios, one by one; where each has one run, these.
Pairing paired(const std::vector<ResultValue>& a, const std::vector<ResultValue>& b) {
  if (a.size() == 1 && b.size() == 1) return {{{0, 0}}, {}, {}};
  Pairing pairing;
  std::vector<bool> taken(b.size(), false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t k = 0;
    while (k < b.size() && (taken[k] || b[k].text("scenario") != a[i].text("scenario"))) ++k;
    if (k == b.size()) {
      pairing.only_a.push_back(a[i].text("scenario"));
      continue;
    }
    taken[k] = true;
    pairing.pairs.emplace_back(i, k);
  }
  for (std::size_t k = 0; k < b.size(); ++k)
    if (!taken[k]) pairing.only_b.push_back(b[k].text("scenario"));
  return pairing;
}

std::string overview(const std::vector<RunComparison>& runs) {
  using enum Table::Align;
  Table table({{"scenario", left}, {"A"}, {"B"}, {"difference"}, {"", left}});
  for (const RunComparison& r : runs)
    table.add({r.a().text("scenario"), time_text(r.time().a), time_text(r.time().b),
               signed_time(r.time().time_difference()), r.equal() ? "equal" : r.speed_text()});
  return table.text();
}

std::string runs_text(std::size_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

}  // namespace

Compared compare_runs(const ResultFile& a, const ResultFile& b) {
  const std::vector<ResultValue> of_a = runs_of(a), of_b = runs_of(b);
  const Pairing pairing = paired(of_a, of_b);
  std::vector<RunComparison> runs;
  for (const auto& [i, k] : pairing.pairs) runs.emplace_back(of_a[i], of_b[k]);

  Json list = Json::array();
  for (const RunComparison& r : runs) list.push_back(r.json());
  const bool equal = pairing.only_a.empty() && pairing.only_b.empty() &&
                     std::all_of(runs.begin(), runs.end(), [](const RunComparison& r) { return r.equal(); });
  Compared c{{{"equal", equal}, {"runs", list}, {"only_a", pairing.only_a}, {"only_b", pairing.only_b}}, {}};
  if (of_a.size() == 1 && of_b.size() == 1) {
    c.text = headings(a, heading_of(of_a[0]), b, heading_of(of_b[0])) + runs[0].text();
    return c;
  }
  c.text = headings(a, runs_text(of_a.size()), b, runs_text(of_b.size()));
  if (!runs.empty()) c.text += overview(runs);
  for (const std::string& name : pairing.only_a) c.text += "only in A: " + name + "\n";
  for (const std::string& name : pairing.only_b) c.text += "only in B: " + name + "\n";
  if (equal) c.text += "A and B are equal\n";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].equal()) continue;
    const auto& [i, k] = pairing.pairs[r];
    c.text += "\nA: " + heading_of(of_a[i]) + "\nB: " + heading_of(of_b[k]) + "\n" + runs[r].text();
  }
  return c;
}

}  // namespace hopsim
